// Package cli holds the commands beside the screen.
//
// It owns the command line of forge: the flags, and one file for each command
// that prints and ends (models, debug). main hands it what a command needs and
// runs what it returns; it opens no screen and starts no run itself.
package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Options is what the commands need of main.
type Options struct {
	Version string
	In      io.Reader
	Out     io.Writer
	Err     io.Writer
	// Start runs forge itself, with a screen or headless.
	Start func(c *cobra.Command, f Flags) error
	// Commands beside it.
	Models ModelsOptions
	Debug  DebugOptions
}

// Root returns the whole command line.
func Root(o Options) *cobra.Command {
	r := &raw{}
	start := func(c *cobra.Command, args []string) error {
		f, err := r.check(c, args)
		if err != nil {
			return err
		}
		return o.Start(c, f)
	}
	root := &cobra.Command{
		Use:   "forge [prompt]",
		Short: "A terminal agent that reads, edits and runs code",
		Long: `forge is a full-screen terminal agent that reads, edits and runs code.

Without -p it opens the screen. With -p, or as forge run, it answers once:
exit code 0 done, 1 failed, 2 wrong usage, 3 a call needed a permission nobody
could give, 4 a limit was reached, 130 interrupted.`,
		Example: `  forge --demo                      see it work, without a key
  forge                             open the screen here
  forge -c                          go on where this folder's last conversation ended
  forge -p "why does the test fail" answer once
  git diff | forge -p "review this" --json`,
		Version:       o.Version,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          start,
	}
	root.SetIn(o.In)
	root.SetOut(o.Out)
	root.SetErr(o.Err)
	root.SetVersionTemplate("forge {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return Usage{err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Flags().BoolP("version", "v", false, "print the version")
	r.define(root)
	root.Flags().StringVarP(&r.prompt, "prompt", "p", "", "answer this prompt once; what stands on stdin is added")
	root.Flags().StringVar(&r.prompt, "print", "", "as --prompt")
	root.Flags().Lookup("print").Hidden = true

	run := &cobra.Command{
		Use:   "run [prompt]",
		Short: "Answer one prompt and end, as -p does",
		Args:  cobra.ArbitraryArgs,
		RunE:  start,
	}
	run.Flags().StringVarP(&r.prompt, "prompt", "p", "", "the prompt")
	root.AddCommand(run, models(o.Models), debug(o.Debug))
	return root
}

// noArgs is cobra's check with the words of ours.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage{fmt.Errorf("%s takes no %s", c.CommandPath(), strings.Join(args, " "))}
	}
	return nil
}
