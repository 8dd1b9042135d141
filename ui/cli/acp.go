package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"forge/ui/lang"
)

// ACPOptions is what the command acp needs of main.
type ACPOptions struct {
	// Serve speaks the Agent Client Protocol on in and out until in ends.
	Serve func(ctx context.Context, f Flags, in io.Reader, out, errs io.Writer) error
	// Connect is a client of forge serve instead, on in and out. An empty address is where
	// the person's own server is.
	Connect func(ctx context.Context, address string, in io.Reader, out, errs io.Writer) error
}

func editor(o ACPOptions, keys LoginOptions, r *raw) *cobra.Command {
	var k connecting
	c := &cobra.Command{Use: "acp", Short: lang.T("Be the agent of an editor: Zed, Neovim, Emacs, JetBrains"),
		Args: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("connect") && len(args) == 1 { // an optional value is not seen behind a blank
				return nil
			}
			return noArgs(c, args)
		},
		Long: lang.T(`Be the agent of an editor that speaks the Agent Client Protocol: on stdin and
stdout, until stdin ends. An editor starts this by itself; docs/acp.md says what to
write into its settings. It chooses folder and conversation, shows what forge does
and asks what forge would ask. Conversations are kept where forge keeps its own.
With --connect they are those of forge serve, which go on when the editor is gone.`),
		Example: `  forge acp
  forge acp --mode edits --model anthropic/claude-sonnet-4-5
  forge acp --connect`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("connect") {
				at, err := k.to(c, args)
				if err != nil {
					return err
				}
				return o.Connect(c.Context(), at, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
			}
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			return o.Serve(c.Context(), f, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		}}
	k.define(c)
	if keys.List != nil { // an editor that shows terminals runs it there, behind what it starts forge with
		in := login(keys, r)
		in.Hidden = true
		c.AddCommand(in)
	}
	return c
}
