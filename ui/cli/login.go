package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
	"forge/ui/safe"
)

// Login is what the commands of keys say of a provider: never its key.
type Login struct {
	Name  string `json:"provider"`
	Title string `json:"title"`
	Env   string `json:"key_env,omitempty"` // the variable that a key of it may stand in
	From  string `json:"-"`                 // where its key comes from, in words; empty: there is none
	InEnv string `json:"from_env,omitempty"`
	Kept  string `json:"kept,omitempty"` // "keyring", or the path of a file
}

// NewLogin is a key to be tried and kept. Without Name it is for the address in the flags.
type NewLogin struct {
	Name, Key string
	Untried   bool // keep it without asking the endpoint
}

// LoginOptions is what the commands of keys need. In and Out return lines for the person.
type LoginOptions struct {
	List func(f Flags) ([]Login, error)
	// Find returns the name of List that a word means, and what a person calls it.
	Find func(f Flags, word string) (name, title string, err error)
	In   func(ctx context.Context, f Flags, n NewLogin) ([]string, error)
	Out  func(f Flags, name string) ([]string, error)
	// Secret asks for a line that is not shown while it is typed. It is nil where nobody
	// sits at the input.
	Secret func(ctx context.Context, prompt string) (string, error)
}

// keyMax bounds what is read as a key, in bytes.
const keyMax = 64 << 10

func login(o LoginOptions, r *raw) *cobra.Command {
	var list, untried bool
	c := &cobra.Command{
		Use: "login [PROVIDER]", Aliases: []string{"auth"}, Short: lang.T("Give forge the key of a provider"),
		Long: lang.T(`Give forge the key of a provider. It is typed hidden, or comes through a pipe, and
never stands on the command line. It is tried with one small request, then kept in the
system's keyring, or else in a file that only you can read. With --base-url it is for
the endpoint at that address, which may want none; --wire says what is spoken there.`),
		Example: `  forge login anthropic
  pass show openai | forge login openai
  forge login --base-url https://llm.example.org/v1
  forge login --list`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && safe.LikeKey(args[0]) {
				return Usage{errors.New(lang.T("forge login takes one provider and no key: on the command line others see it, and the shell keeps it. It is asked for, or comes through a pipe"))}
			}
			return nil
		},
		ValidArgsFunction: providerNames(o, r, false),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			if len(args) > 0 && f.BaseURL != "" {
				return Usage{errors.New(lang.T("a provider and --base-url contradict each other: give one of them"))}
			}
			if list {
				return listLogins(c.OutOrStdout(), o, f, r.json || r.format == "json")
			}
			n, title := NewLogin{Untried: untried}, f.BaseURL
			if word := firstWord(args, f.Provider); word != "" || f.BaseURL == "" {
				if word == "" {
					if word, err = askProvider(c, o, f); err != nil {
						return err
					}
				}
				if n.Name, title, err = o.Find(f, word); err != nil {
					return err
				}
			}
			if n.Key, err = readKey(c, o, title); err != nil {
				return err
			}
			said, err := o.In(c.Context(), f, n)
			if err != nil {
				return err
			}
			return sayLines(c.OutOrStdout(), said)
		},
	}
	c.Flags().BoolVar(&list, "list", false, lang.T("say which providers have a key, and from where"))
	c.Flags().BoolVar(&untried, "no-check", false, lang.T("keep the key without trying it"))
	return c
}

func logout(o LoginOptions, r *raw) *cobra.Command {
	return &cobra.Command{
		Use: "logout PROVIDER", Short: lang.T("Let forge forget the key of a provider"),
		Long: lang.T(`Let forge forget the key of a provider, or an endpoint it was given. What is in the
environment stays, and is named.`),
		Args: oneArg("provider"), ValidArgsFunction: providerNames(o, r, true),
		RunE: func(c *cobra.Command, args []string) error {
			if safe.LikeKey(args[0]) {
				return Usage{errors.New(lang.T("forge logout takes a provider and no key: on the command line others see it, and the shell keeps it"))}
			}
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			name, _, err := o.Find(f, args[0])
			if err != nil {
				return err
			}
			said, err := o.Out(f, name)
			if err != nil {
				return err
			}
			return sayLines(c.OutOrStdout(), said)
		},
	}
}

func firstWord(args []string, or string) string {
	if len(args) > 0 {
		return args[0]
	}
	return or
}

// askProvider lists the providers and reads a line with the name of one.
func askProvider(c *cobra.Command, o LoginOptions, f Flags) (string, error) {
	if o.Secret == nil {
		return "", Usage{errors.New(lang.T("which provider? forge login PROVIDER; forge login --list names all"))}
	}
	if err := listLogins(c.ErrOrStderr(), o, f, false); err != nil {
		return "", err
	}
	fmt.Fprint(c.ErrOrStderr(), lang.T("provider: "))
	line, err := bufio.NewReader(&single{c.InOrStdin()}).ReadString('\n')
	if line = strings.TrimSpace(line); line == "" {
		return "", Usage{errors.Join(errors.New(lang.T("no provider was named")), clean(err))}
	}
	if safe.LikeKey(line) {
		return "", Usage{errors.New(lang.T("that is no provider: its name comes first, the key after it, hidden"))}
	}
	return line, nil
}

func clean(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// single reads one byte at a time: what stands behind a line is for whoever reads next.
type single struct{ r io.Reader }

// Read implements io.Reader.
func (s *single) Read(p []byte) (int, error) { return s.r.Read(p[:min(1, len(p))]) }

// readKey asks for a key, or takes it from a pipe.
func readKey(c *cobra.Command, o LoginOptions, title string) (string, error) {
	if o.Secret != nil {
		return o.Secret(c.Context(), lang.T("key for %s (not shown): ", line(title)))
	}
	b, err := io.ReadAll(io.LimitReader(c.InOrStdin(), keyMax))
	if err != nil {
		return "", fmt.Errorf(lang.T("read the key: %w"), err)
	}
	return string(b), nil
}

func sayLines(w io.Writer, said []string) error {
	for _, s := range said {
		if _, err := fmt.Fprintln(w, safe.Output(s)); err != nil {
			return err
		}
	}
	return nil
}

func listLogins(w io.Writer, o LoginOptions, f Flags, asJSON bool) error {
	all, err := o.List(f)
	if err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		e.SetEscapeHTML(false)
		return e.Encode(all)
	}
	rows := [][]string{{lang.T("PROVIDER"), lang.T("KEY")}}
	for _, l := range all {
		from := l.From
		if from == "" {
			from = lang.T("none")
			if l.Env != "" {
				from = lang.T("none; forge login gives one, or %s", l.Env)
			}
		}
		rows = append(rows, []string{safe.Line(l.Name), safe.Line(from)})
	}
	return table(w, rows)
}

// providerNames completes the names of providers; kept: of those whose key forge keeps.
func providerNames(o LoginOptions, r *raw, kept bool) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) (names []string, d cobra.ShellCompDirective) {
		f, err := r.check(c, nil)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, err := o.List(f)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, l := range all {
			if !kept || l.Kept != "" {
				names = append(names, l.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
