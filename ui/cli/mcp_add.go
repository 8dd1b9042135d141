package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
	"forge/ui/safe"
)

// MCPNew is a server that is to be added.
type MCPNew struct {
	Name    string
	Words   []string // its command, or one URL
	Type    string
	Env     map[string]string
	Headers map[string]string
	Cwd     string
	Replace bool
}

func mcpAdd(o MCPOptions, r *raw) *cobra.Command {
	var s MCPNew
	var env, headers []string
	var scope, whole, base string
	c := &cobra.Command{
		Use:   "add [flags] NAME COMMAND [ARGUMENT...] | NAME URL | --from-registry WHOLE/NAME [NAME [ARGUMENT...]]",
		Short: lang.T("Add a server"),
		Long: lang.T(`Add a server to your own file, or with --scope project to the .mcp.json here,
which other clients read, too. Flags come before the server's command: what follows
is that command's own. Write ${NAME} where a secret of the environment belongs, so
that the secret itself does not stand in the file.

With --from-registry its command or URL is a registry's, as forge mcp search finds
it; --type http takes the URL where there is a command, too. Look at what it says.`),
		Example: `  forge mcp add files npx -y @modelcontextprotocol/server-filesystem .
  forge mcp add -e GITHUB_TOKEN='${GITHUB_TOKEN}' github docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server
  forge mcp add -H 'Authorization: Bearer ${KEY}' docs https://mcp.example.com/mcp
  forge mcp add --from-registry io.github.someone/weather weather`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 && whole == "" {
				return Usage{errors.New(lang.T("forge mcp add takes a name and a command, or a name and a URL"))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				s.Name, s.Words = args[0], args[1:]
			}
			if whole == "" { // a registry's server takes what stands behind its name
				var err error
				if s.Words, err = flagsBehind(c, s.Words); err != nil {
					return err
				}
				if len(s.Words) == 0 {
					return Usage{errors.New(lang.T("forge mcp add takes a name and a command, or a name and a URL"))}
				}
			} else if len(s.Words) > 0 && s.Words[0] == "--" {
				s.Words = s.Words[1:]
			}
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			if s.Env, err = pairs(env, "=", "-e KEY=VALUE"); err != nil {
				return err
			}
			if s.Headers, err = pairs(headers, ":", "-H 'NAME: VALUE'"); err != nil {
				return err
			}
			if err := scoped(scope, false); err != nil {
				return err
			}
			var open []string
			if whole != "" {
				if s, open, err = o.Find(c.Context(), base, whole, s); err != nil {
					return err
				}
			}
			file, err := o.Add(f, scope, s)
			if err != nil {
				return err
			}
			if whole != "" {
				fmt.Fprintf(c.OutOrStdout(), lang.T("%s is %s\n"), line(s.Name), line(strings.Join(s.Words, " ")))
			}
			for _, v := range open {
				fmt.Fprintf(c.OutOrStdout(), lang.T("set before forge starts: %s\n"), line(v))
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), lang.T("added %s to %s; forge mcp test %s tries it\n"), safe.Output(s.Name), safe.Output(file), safe.Output(s.Name))
			return err
		},
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringVarP(&scope, "scope", "s", "user", lang.T("where: user or project"))
	c.Flags().StringArrayVarP(&env, "env", "e", nil, lang.T("a variable of the server's environment, KEY=VALUE (repeatable)"))
	c.Flags().StringArrayVarP(&headers, "header", "H", nil, lang.T("a header sent to the URL, NAME: VALUE (repeatable)"))
	c.Flags().StringVar(&s.Type, "type", "", lang.T("stdio, http or sse; left out: as it looks"))
	c.Flags().StringVar(&s.Cwd, "cwd", "", lang.T("the folder the server runs in"))
	c.Flags().StringVar(&whole, "from-registry", "", lang.T("take a server of an MCP registry, by its whole name there"))
	c.Flags().StringVar(&base, "registry", "", lang.T("the registry's address; left out: $FORGE_MCP_REGISTRY, else the official one"))
	c.Flags().BoolVar(&s.Replace, "replace", false, lang.T("replace one of that name"))
	return c
}

// flagsBehind takes the flags that stand behind the name, or behind a URL, as other clients
// have them there, and returns the server's own words: no command begins with a dash.
func flagsBehind(c *cobra.Command, words []string) ([]string, error) {
	parse := func(words []string) ([]string, error) {
		if err := c.Flags().Parse(words); err != nil {
			return nil, Usage{flagError(c, err)}
		}
		return c.Flags().Args(), nil
	}
	if len(words) > 0 && strings.HasPrefix(words[0], "-") {
		var err error
		if words, err = parse(words); err != nil {
			return nil, err
		}
	}
	if len(words) < 2 || !strings.HasPrefix(words[0], "http://") && !strings.HasPrefix(words[0], "https://") {
		return words, nil
	}
	more, err := parse(words[1:])
	if err == nil && len(more) > 0 {
		err = Usage{fmt.Errorf(lang.T("%s is an address, which takes no %s"), words[0], strings.Join(more, " "))}
	}
	return words[:1], err
}

func scoped(scope string, empty bool) error {
	if scope != "user" && scope != "project" && !(empty && scope == "") {
		return Usage{fmt.Errorf(lang.T("scope %q is unknown: use user or project"), scope)}
	}
	return nil
}

func pairs(list []string, sep, shape string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := map[string]string{}
	for _, p := range list {
		k, v, ok := strings.Cut(p, sep)
		k = strings.TrimSpace(k)
		if !ok || k == "" {
			return nil, Usage{fmt.Errorf(lang.T("%q is not of the shape %s"), p, shape)}
		}
		if sep == ":" {
			v = strings.TrimSpace(v)
		}
		out[k] = v
	}
	return out, nil
}
