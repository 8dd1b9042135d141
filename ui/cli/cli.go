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
	"github.com/spf13/pflag"

	"forge/spell"
	"forge/ui/lang"
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
	Models      ModelsOptions
	Debug       DebugOptions
	Permissions PermissionsOptions
	Sessions    SessionsOptions
	Usage       UsageOptions    // without Calls there is no such command
	Config      ConfigOptions   // without List there is no such command
	Eval        EvalOptions     // without Program there is no such command
	ACP         ACPOptions      // without Serve there is no such command
	Serve       ServeOptions    // without Serve there is no such command
	MCP         MCPOptions      // without List there is no such command
	Doctor      DoctorOptions   // without Examine there is no such command
	Feedback    FeedbackOptions // without Write there is no such command
	Trust       TrustOptions    // without List there is no such command
	Skills      SkillsOptions   // without List there is no such command
	Login       LoginOptions    // without List there is no such command
	Logs        LogsOptions     // without Files there is no such command
	Update      UpdateOptions   // without Look there is no such command
	Hooks       HooksOptions    // without List there is no such command
	Changelog   string          // empty: there is no such command
}

// Root returns the whole command line.
func Root(o Options) *cobra.Command {
	r := &raw{}
	start := func(c *cobra.Command, args []string) error {
		if err := elsewhere(c, args); err != nil {
			return Usage{err}
		}
		if name := misspelt(c, args); name != "" {
			return Usage{fmt.Errorf(lang.T("there is no command %s; did you mean forge %s? To ask it: forge -p %s"), args[0], name, args[0])}
		}
		f, err := r.check(c, args)
		if err != nil {
			return err
		}
		return o.Start(c, f)
	}
	root := &cobra.Command{
		Use:   "forge [prompt]",
		Short: lang.T("A terminal agent that reads, edits and runs code"),
		Long: lang.T(`forge is a full-screen terminal agent that reads, edits and runs code.

Without -p it opens the screen. With -p, or as forge run, it answers once:
exit code 0 done, 1 failed, 2 wrong usage, 3 a call needed a permission nobody
could give, 4 a limit was reached, 130 interrupted.`),
		Example: lang.T(`  forge --demo                      see it work, without a key
  forge                             open the screen here
  forge -c                          go on where this folder's last conversation ended
  forge -p "why does the test fail" answer once
  git diff | forge -p "review this" --json
  forge completion bash             print what completes all this in a shell`),
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(c *cobra.Command, args []string) error {
			if asked, err := c.Flags().GetBool("version"); err != nil || !asked {
				return start(c, args)
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), "forge "+o.Version)
			return err
		},
	}
	root.SetIn(o.In)
	root.SetOut(o.Out)
	root.SetErr(o.Err)
	root.SetUsageFunc(usageOf)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return Usage{flagError(c, err)} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Flags().BoolP("version", "v", false, lang.T("print the version"))
	r.define(root)
	root.Flags().StringVarP(&r.prompt, "prompt", "p", "", lang.T("answer this prompt once; what stands on stdin is added"))
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name {
		case "print":
			name = "prompt"
		case "yes":
			name = "yolo"
		case "transport": // of mcp add, in the lines that servers' pages give to copy
			name = "type"
		}
		return pflag.NormalizedName(name)
	})

	run := &cobra.Command{
		Use:   "run [prompt]",
		Short: lang.T("Answer one prompt and end, as -p does"),
		Args:  cobra.ArbitraryArgs,
		RunE:  start,
	}
	run.Flags().StringVarP(&r.prompt, "prompt", "p", "", lang.T("the prompt"))
	root.AddCommand(run, models(o.Models, r), debug(o.Debug), permissions(o.Permissions, r), sessions(o.Sessions, r))
	addThose(root, o, r)
	ownHelp(root)
	return root
}

// addThose adds the commands that this forge has what they need for.
func addThose(root *cobra.Command, o Options, r *raw) {
	if o.Usage.Calls != nil {
		root.AddCommand(usage(o.Usage))
	}
	if o.Config.List != nil {
		root.AddCommand(configure(o.Config, r))
	}
	if o.Eval.Program != nil {
		root.AddCommand(evaluate(o.Eval, r))
	}
	if o.ACP.Serve != nil {
		root.AddCommand(editor(o.ACP, o.Login, r))
	}
	if o.Serve.Serve != nil {
		root.AddCommand(server(o.Serve, r))
	}
	if o.MCP.List != nil {
		root.AddCommand(mcp(o.MCP, r))
	}
	if o.Doctor.Examine != nil {
		root.AddCommand(examine(o.Doctor, r))
	}
	if o.Feedback.Write != nil {
		root.AddCommand(feedback(o.Feedback, r))
	}
	if o.Trust.List != nil {
		root.AddCommand(trusts(o.Trust, r))
	}
	if o.Skills.List != nil {
		root.AddCommand(skills(o.Skills, r))
	}
	if o.Login.List != nil {
		root.AddCommand(login(o.Login, r), logout(o.Login, r))
	}
	if o.Hooks.List != nil {
		root.AddCommand(hooks(o.Hooks, r))
	}
	if o.Changelog != "" {
		root.AddCommand(changelog(o.Changelog))
	}
	if o.Update.Look != nil {
		root.AddCommand(updates(o.Update))
	}
	if o.Logs.Files != nil {
		root.AddCommand(logs(o.Logs))
	}
}

// Args prepares a command line for the flag parser, whose options always take the
// word behind them: a -p with nothing but other flags behind it takes its prompt
// from stdin or from the words that stand elsewhere.
func Args(root *cobra.Command, args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		bare := a == "-p" || a == "--prompt" || a == "--print"
		if bare && (i == len(args)-1 || isFlag(root, args[i+1])) {
			a = "--prompt="
		}
		out = append(out, a)
	}
	return out
}

// isFlag reports whether a word is one of forge's flags and nothing else: a
// prompt may begin with a dash.
func isFlag(root *cobra.Command, word string) bool {
	if word == "--" {
		return true
	}
	if len(word) == 2 && word[0] == '-' {
		return word == "-h" || root.Flags().ShorthandLookup(word[1:]) != nil || root.PersistentFlags().ShorthandLookup(word[1:]) != nil
	}
	name, ok := strings.CutPrefix(word, "--")
	name, _, _ = strings.Cut(name, "=")
	return ok && name != "" && (root.Flags().Lookup(name) != nil || root.PersistentFlags().Lookup(name) != nil)
}

// misspelt is the command a lone word was probably meant to be: one letter is wrong, or
// two have changed places. It would go to the model as a prompt.
func misspelt(c *cobra.Command, args []string) string {
	if c.HasParent() || len(args) != 1 || len(args[0]) < 5 || c.Flags().Changed("prompt") {
		return ""
	}
	for _, sub := range c.Commands() {
		if name := sub.Name(); !sub.Hidden && spell.Distance(args[0], name) == 1 {
			return name
		}
	}
	return ""
}

// flagError names the flag a person most likely meant.
func flagError(c *cobra.Command, err error) error {
	if said := flagElsewhere(c, err.Error()); said != "" {
		return fmt.Errorf("%s", said)
	}
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return fmt.Errorf(lang.T("%w; %s --help lists the flags"), err, c.CommandPath())
	}
	best, distance := "", 3
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if d := spell.Distance(name, f.Name); d < distance && d*3 <= len(name) && !f.Hidden {
			best, distance = f.Name, d
		}
	})
	if best != "" {
		return fmt.Errorf(lang.T("unknown flag --%s: did you mean --%s?"), name, best)
	}
	return fmt.Errorf(lang.T("unknown flag --%s; %s --help lists the flags"), name, c.CommandPath())
}

// noArgs is cobra's check with the words of ours.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage{fmt.Errorf(lang.T("%s takes no %s"), c.CommandPath(), strings.Join(args, " "))}
	}
	return nil
}

// oneArg is the same for commands that need one word.
func oneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usage{fmt.Errorf(lang.T("%s needs one %s, not %d; see %s --help"), c.CommandPath(), what, len(args), c.CommandPath())}
		}
		return nil
	}
}
