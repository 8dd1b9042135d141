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
}

func editor(o ACPOptions, keys LoginOptions, r *raw) *cobra.Command {
	c := &cobra.Command{Use: "acp", Short: lang.T("Be the agent of an editor: Zed, Neovim, Emacs, JetBrains"), Args: noArgs,
		Long: lang.T(`Be the agent of an editor that speaks the Agent Client Protocol: on stdin and
stdout, until stdin ends. An editor starts this by itself; docs/acp.md says what to
write into its settings. It chooses folder and conversation, shows what forge does
and asks what forge would ask. Conversations are kept where forge keeps its own.`),
		Example: `  forge acp
  forge acp --mode edits --model anthropic/claude-sonnet-4-5`,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			return o.Serve(c.Context(), f, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		}}
	if keys.List != nil { // an editor that shows terminals runs it there, behind what it starts forge with
		in := login(keys, r)
		in.Hidden = true
		c.AddCommand(in)
	}
	return c
}
