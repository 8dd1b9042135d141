package cli

import (
	"github.com/spf13/cobra"

	"forge/ui/lang"
)

// MCPServe is how forge's own tools are to be served.
type MCPServe struct {
	HTTP string // the address; empty: stdin and stdout
	All  bool   // also the tools whose calls would be asked about
}

func mcpServe(o MCPOptions, r *raw) *cobra.Command {
	var s MCPServe
	c := &cobra.Command{Use: "serve", Short: lang.T("Serve forge's own tools to other clients"), Args: noArgs,
		Long: lang.T(`Serve forge's own tools on this folder to any MCP client, on stdin and stdout, or
with --http at http://ADDRESS/mcp. Only tools that read are served, unless --mode
allows more: edits adds the tools that write files, auto those that run commands.
What would be asked about is refused, with the reason; deny and allow rules of the
settings hold.

Over HTTP a client sends a token: that of FORGE_MCP_TOKEN, or one that is made up
and printed on stderr. An address other machines can reach needs FORGE_MCP_TOKEN.`),
		Example: `  forge mcp serve -C ~/project
  forge mcp serve --http 8931 --mode edits
  claude mcp add forge -- forge mcp serve -C ~/project`,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			return o.Serve(c.Context(), f, s, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		}}
	c.Flags().StringVar(&s.HTTP, "http", "", lang.T("serve HTTP on this address: a port, or HOST:PORT"))
	c.Flags().BoolVar(&s.All, "all", false, lang.T("serve all tools; what would be asked about is refused"))
	return c
}
