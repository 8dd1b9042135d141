package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"forge/agent/eval"
	"forge/ui/lang"
	"forge/ui/safe"
)

// EvalOptions is what `forge eval` needs.
type EvalOptions struct {
	// Program is forge itself, started anew for every task.
	Program func() (string, error)
	// Check runs a check's command in a folder, confined.
	Check func(ctx context.Context, dir, command string) (output string, ok bool, err error)
}

// ofRun are the flags a run of a task sets itself.
var ofRun = []string{"demo", "json", "output-format", "cd", "no-session", "mode", "yolo", "continue", "resume", "prompt", "max-turns", "help", "out", "parallel", "keep-copies", "compare"}

func evaluate(o EvalOptions, r *raw) *cobra.Command {
	var file string
	var parallel int
	var keep, compare bool
	c := &cobra.Command{
		Use:   "eval DIR [TASK…]",
		Short: lang.T("Run a folder of tasks and report which were solved"),
		Long: lang.T(`Run the tasks of a folder, each in a scratch copy of its workspace, and check
what became of it. Which model answers is said as always (--model, --provider,
settings); --demo lets each task's own script answer. Exit code 1: a task failed.`),
		Example: `  forge eval evals --demo
  forge eval evals -m deepseek/deepseek-chat --parallel 4 --out new.json
  forge eval --compare old.json new.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if compare && len(args) != 2 {
				return Usage{errors.New(lang.T("--compare takes two reports: forge eval --compare A.json B.json"))}
			}
			if len(args) == 0 {
				return Usage{errors.New(lang.T("name the folder with the tasks: forge eval DIR"))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if compare {
				return compared(c.OutOrStdout(), args[0], args[1])
			}
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			if parallel < 1 {
				return Usage{errors.New(lang.T("--parallel must be at least 1"))}
			}
			tasks, err := chosen(args[0], args[1:])
			if err != nil {
				return Usage{err}
			}
			program, err := o.Program()
			if err != nil {
				return err
			}
			run := eval.Options{Forge: append([]string{program}, passed(c.Flags())...), Demo: f.Demo, Parallel: parallel, Keep: keep, Check: o.Check}
			asJSON := r.json || r.format == "json"
			if !asJSON {
				run.Done = func(x eval.Result) { writeResult(c.OutOrStdout(), x) }
			}
			report, err := eval.Run(c.Context(), tasks, run)
			if file != "" {
				if e := writeReport(file, report); e != nil {
					return errors.Join(err, e)
				}
			}
			if asJSON {
				if e := report.Write(c.OutOrStdout()); e != nil {
					return errors.Join(err, e)
				}
			} else {
				writeSum(c.OutOrStdout(), report)
			}
			if err != nil {
				return err
			}
			if report.Failed > 0 {
				return errors.New(lang.T("%d of %s failed", report.Failed, lang.Count(report.Failed+report.Passed, "1 task", "%d tasks")))
			}
			return nil
		},
	}
	c.Flags().StringVar(&file, "out", "", lang.T("write the report to this file, as JSON"))
	c.Flags().IntVar(&parallel, "parallel", 1, lang.T("tasks at a time"))
	c.Flags().BoolVar(&keep, "keep-copies", false, lang.T("leave the scratch copies, to look at"))
	c.Flags().BoolVar(&compare, "compare", false, lang.T("compare two reports instead"))
	return c
}

// chosen loads the tasks of a folder, or those of them that are named.
func chosen(dir string, names []string) ([]eval.Task, error) {
	tasks, err := eval.Load(dir)
	if err != nil || len(names) == 0 {
		return tasks, err
	}
	var out []eval.Task
	for _, n := range names {
		i := slices.IndexFunc(tasks, func(t eval.Task) bool { return t.Name == n })
		if i < 0 {
			return nil, errors.New(lang.T("there is no task %s in %s", n, dir))
		}
		out = append(out, tasks[i])
	}
	return out, nil
}

// passed are the flags that were given and are for every run: which model, say.
func passed(fs *pflag.FlagSet) (out []string) {
	fs.Visit(func(f *pflag.Flag) {
		if slices.Contains(ofRun, f.Name) {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				out = append(out, "--"+f.Name+"="+v)
			}
			return
		}
		out = append(out, "--"+f.Name+"="+f.Value.String())
	})
	return out
}

func writeReport(path string, r eval.Report) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := errors.Join(r.Write(f), f.Close()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func writeResult(w io.Writer, r eval.Result) {
	word := lang.T("ok")
	switch {
	case r.Skipped:
		word = lang.T("skipped")
	case !r.Passed:
		word = lang.T("FAILED")
	}
	fmt.Fprintf(w, "%s %-24s %s\n", padded(word, 8), safe.Output(r.Task), figures(r.Turns, r.Input, r.Output, r.USD, r.Seconds))
	if r.Passed {
		return
	}
	if r.Error != "" {
		fmt.Fprintf(w, "         %s\n", firstLine(lang.Said(r.Error)))
	}
	for _, c := range r.Checks {
		if !c.OK {
			fmt.Fprintf(w, "         %s\n", firstLine(c.What))
			if c.Detail != "" {
				fmt.Fprintf(w, "           %s\n", firstLine(lang.Said(c.Detail)))
			}
		}
	}
	if r.Folder != "" {
		fmt.Fprintf(w, "         %s\n", safe.Output(r.Folder))
	}
}

func firstLine(s string) string {
	s, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more {
		s += " …"
	}
	return safe.Output(s)
}

func figures(turns, in, out int, usd *float64, seconds float64) string {
	cost := "-"
	if usd != nil {
		cost = fmt.Sprintf("$%.4f", *usd)
	}
	return lang.T("%s, %s in, %s out, %s, %s", lang.Count(turns, "1 turn", "%d turns"), Tokens(in), Tokens(out), cost, time.Duration(seconds*float64(time.Second)).Round(100*time.Millisecond).String())
}

func writeSum(w io.Writer, r eval.Report) {
	fmt.Fprintf(w, "\n%s\n%s\n", lang.T("%d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped), figures(r.Turns, r.Input, r.Output, r.USD, r.Seconds))
	if len(r.Models) > 0 {
		fmt.Fprintln(w, safe.Output(strings.Join(r.Models, ", ")))
	}
}

// compared sets two reports side by side. What was solved and is no more is an error.
func compared(w io.Writer, a, b string) error {
	ra, err := eval.ReadReport(a)
	if err != nil {
		return err
	}
	rb, err := eval.ReadReport(b)
	if err != nil {
		return err
	}
	broken := 0
	words := map[string]string{"fixed": lang.T("fixed"), "broken": lang.T("BROKEN"), "same": "", "new": lang.T("new"), "gone": lang.T("gone")}
	for _, c := range eval.Compare(ra, rb) {
		v := c.Verdict()
		if v == "broken" {
			broken++
		}
		fmt.Fprintf(w, "%s %-24s %s\n", padded(words[v], 8), safe.Output(c.Task), sides(c))
	}
	fmt.Fprintf(w, "\n%s\n%s\n",
		"A  "+lang.T("%d passed, %d failed, %d skipped", ra.Passed, ra.Failed, ra.Skipped)+", "+figures(ra.Turns, ra.Input, ra.Output, ra.USD, ra.Seconds),
		"B  "+lang.T("%d passed, %d failed, %d skipped", rb.Passed, rb.Failed, rb.Skipped)+", "+figures(rb.Turns, rb.Input, rb.Output, rb.USD, rb.Seconds))
	if broken > 0 {
		return errors.New(lang.Count(broken, "1 task that was solved is not any more", "%d tasks that were solved are not any more"))
	}
	return nil
}

// sides is what a task took, before and after.
func sides(c eval.Change) string {
	side := func(r *eval.Result) string {
		switch {
		case r == nil || r.Skipped:
			return "-"
		case !r.Passed:
			return lang.T("failed") + fmt.Sprintf(" (%d, %s)", r.Turns, Tokens(r.Input+r.Output))
		}
		return lang.T("passed") + fmt.Sprintf(" (%d, %s)", r.Turns, Tokens(r.Input+r.Output))
	}
	return side(c.A) + " → " + side(c.B)
}
