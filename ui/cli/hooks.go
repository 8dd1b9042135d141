package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/ui/lang"
	"forge/ui/safe"
)

// HookInfo is a hook as the commands show it.
type HookInfo struct {
	Event   string  `json:"event"`
	Matcher string  `json:"matcher"`
	Command string  `json:"command"`
	Source  string  `json:"source"`
	Trusted bool    `json:"trusted"`
	Seconds float64 `json:"timeout"`
}

// HookTrial is how a hook answered that was run by hand. What is in English.
type HookTrial struct {
	Command string         `json:"command"`
	What    string         `json:"result"`
	MS      int64          `json:"duration_ms"`
	Context string         `json:"context,omitempty"`
	System  string         `json:"message,omitempty"`
	Input   map[string]any `json:"updated_input,omitempty"`
}

// HookTest is an event made up for hooks: Text is the prompt, the result of the call, or
// what was said last.
type HookTest struct{ Event, Tool, Input, Text string }

// HooksOptions is what the hooks commands need.
type HooksOptions struct {
	List func(f Flags) (hooks []HookInfo, problems []string, err error)
	Test func(ctx context.Context, f Flags, t HookTest) ([]HookTrial, error)
}

func hooks(o HooksOptions, r *raw) *cobra.Command {
	c := &cobra.Command{Use: "hooks", Short: lang.T("See and try the commands that run at set moments"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	list := &cobra.Command{
		Use: "list", Short: lang.T("List your hooks, and those this folder names"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			all, problems, err := o.List(f)
			if err != nil {
				return err
			}
			for _, p := range problems {
				fmt.Fprintln(c.ErrOrStderr(), "forge: "+safe.Output(lang.Said(p)))
			}
			if r.json || r.format == "json" {
				return indented(c.OutOrStdout(), append([]HookInfo{}, all...))
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), lang.T("no hooks are set up; docs/hooks.md says how"))
				return err
			}
			rows := [][]string{{lang.T("EVENT"), lang.T("MATCHER"), lang.T("COMMAND"), lang.T("FROM"), ""}}
			for _, h := range all {
				state := ""
				if !h.Trusted {
					state = lang.T("not trusted")
				}
				rows = append(rows, []string{h.Event, safe.Line(h.Matcher), safe.Line(h.Command), safe.Line(h.Source), state})
			}
			return table(c.OutOrStdout(), rows)
		},
	}
	var t HookTest
	test := &cobra.Command{
		Use:   "test EVENT",
		Short: lang.T("Run the hooks of an event by hand, and see what they answer"),
		Long: lang.T(`Run the hooks of EVENT as a session would, with a call or a text of yours, and
say how each answered. Nothing else is done: no call runs. Exit code 1 where one
of them failed.`),
		Example: `  forge hooks test PreToolUse --tool Bash --input '{"command":"rm -rf /"}'
  forge hooks test UserPromptSubmit --text "fix the tests"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return Usage{errors.New(lang.T("forge hooks test takes an event, such as PreToolUse"))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			t.Event = args[0]
			if t.Input != "" && !json.Valid([]byte(t.Input)) {
				return Usage{errors.New(lang.T("--input must be JSON"))}
			}
			all, err := o.Test(c.Context(), f, t)
			if err != nil {
				return err
			}
			if err := trials(c.OutOrStdout(), all, r.json || r.format == "json"); err != nil {
				return err
			}
			for _, a := range all {
				if strings.HasPrefix(a.What, "failed") {
					return errors.New(lang.T("a hook failed"))
				}
			}
			return nil
		},
	}
	test.Flags().StringVar(&t.Tool, "tool", "run_bash", lang.T("the tool of the call, by forge's name or Bash, Read, Write, Edit …"))
	test.Flags().StringVar(&t.Input, "input", "", lang.T("its arguments, as JSON, in the words of that name"))
	test.Flags().StringVar(&t.Text, "text", "", lang.T("the prompt, the result of the call, or what was said last"))
	c.AddCommand(list, test)
	return c
}

func trials(w io.Writer, all []HookTrial, asJSON bool) error {
	if asJSON {
		return indented(w, append([]HookTrial{}, all...))
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, lang.T("no hook in force matches that; forge hooks list shows them"))
		return err
	}
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "%s\n  %s (%s)\n", safe.Line(a.Command), safe.Line(lang.Said(a.What)), time.Duration(a.MS)*time.Millisecond)
		if a.Input != nil {
			in, err := json.Marshal(a.Input)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "  %s\n", lang.T("arguments: %s", safe.Line(string(in))))
		}
		for _, text := range []string{a.Context, a.System} {
			if text != "" {
				fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(safe.Output(text), "\n", "\n  "))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented writes a value as JSON for programs and people.
func indented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
