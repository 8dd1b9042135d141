package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
)

// MCPFound is a server a registry knows. Its texts are its publisher's.
type MCPFound struct {
	Name        string   `json:"name"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Version     string   `json:"version,omitempty"`
	Status      string   `json:"status,omitempty"`
	Repository  string   `json:"repository,omitempty"`
	Ways        []string `json:"ways"` // npm, pypi, oci, …, http, sse
}

func mcpSearch(o MCPOptions, _ *raw) *cobra.Command {
	var base string
	var asJSON bool
	c := &cobra.Command{Use: "search WORD", Short: lang.T("Look for servers in an MCP registry"),
		Long: lang.T(`Look for servers with a word in their name in an MCP registry. What it says of them
is their publishers' word: nobody has looked at the programs.`),
		Example: `  forge mcp search weather
  forge mcp add --from-registry io.github.someone/weather`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || strings.TrimSpace(args[0]) == "" {
				return Usage{errors.New(lang.T("forge mcp search takes one word of a server's name"))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, more, err := o.Search(c.Context(), base, strings.TrimSpace(args[0]))
			if err != nil {
				return err
			}
			w := c.OutOrStdout()
			if asJSON {
				if found == nil {
					found = []MCPFound{}
				}
				return printJSON(w, map[string]any{"servers": found, "more": more})
			}
			if len(found) == 0 {
				_, err := fmt.Fprintf(w, lang.T("no server has %q in its name\n"), line(args[0]))
				return err
			}
			for _, s := range found {
				head := line(s.Name + " " + s.Version)
				if s.Status != "" && s.Status != "active" {
					head += " (" + line(s.Status) + ")"
				}
				if len(s.Ways) > 0 {
					head += "  " + line(strings.Join(s.Ways, ", "))
				}
				fmt.Fprintln(w, head)
				if d := line(s.Description); d != "" {
					fmt.Fprintln(w, "    "+d)
				}
				if s.Repository != "" {
					fmt.Fprintln(w, "    "+line(s.Repository))
				}
			}
			if more {
				fmt.Fprintln(w, lang.T("there are more; a longer word finds fewer"))
			}
			_, err = fmt.Fprintln(w, lang.T("forge mcp add --from-registry NAME adds one"))
			return err
		}}
	c.Flags().StringVar(&base, "registry", "", lang.T("the registry's address; left out: $FORGE_MCP_REGISTRY, else the official one"))
	c.Flags().BoolVar(&asJSON, "json", false, lang.T("as JSON"))
	return c
}
