package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"forge/lazy"
	"forge/tools"
	"forge/tools/sandbox"
)

// errNotExist is what a missing file's error wraps.
var errNotExist = fs.ErrNotExist

const (
	defaultTimeout = 120 * time.Second
	maxTimeout     = 600 * time.Second
	// What Linux takes as one argument; others take more, or little less.
	maxCommand = 128<<10 - 1
	// What a result shows of a command: more of its end, where errors stand, and in
	// all less than a result is bounded to.
	bashHead = 12 << 10
	bashTail = 30 << 10
)

type bashInput struct {
	Command     string `json:"command"`
	Timeout     int    `json:"timeout,omitempty" description:"seconds, default 120, at most 600"`
	Background  bool   `json:"background,omitempty" description:"return at once with a job id; for servers and watchers"`
	Description string `json:"description,omitempty" hidden:"true"`
}

func newBash(e *Env) tools.Tool {
	return prepared("run_bash", "Run a command in the shell. Each call starts in the workspace folder: a cd does not last, write cd DIR && …. "+
		"A failing command gives its exit code and output; of long output the begin and the end.",
		func(_ context.Context, in bashInput) (*tools.Invocation, error) { return e.prepareBash(in) })
}

func (e *Env) prepareBash(in bashInput) (*tools.Invocation, error) {
	timeout := time.Duration(in.Timeout) * time.Second
	switch {
	case strings.TrimSpace(in.Command) == "":
		return nil, errors.New("command is empty")
	case strings.ContainsRune(in.Command, 0):
		return nil, errors.New("command holds a NUL byte; write it as \\0 for the program that wants it")
	case len(in.Command) > maxCommand:
		return nil, fmt.Errorf("command is %s long, at most %s work; write it to a file and run that", size(int64(len(in.Command))), size(maxCommand))
	case in.Timeout < 0:
		return nil, fmt.Errorf("timeout is %d, must be at least 1 second", in.Timeout)
	case timeout > maxTimeout && !in.Background:
		return nil, fmt.Errorf("timeout is %d seconds, at most %d; run longer work with background and read job_output", in.Timeout, int(maxTimeout.Seconds()))
	}
	command := sandbox.Command{Shell: in.Command, With: e.Shell, Dir: e.Workspace.Root(), Env: e.Vars, Timeout: timeout, Policy: e.Policy, Guardian: e.Guardian}
	effect := tools.Effect{Kind: tools.Exec, Command: in.Command, Dir: command.Dir, Title: "run " + oneLine(in.Command)}
	if in.Background {
		effect.Title += " in the background"
	} else {
		effect.Limit = cmp.Or(timeout, defaultTimeout)
	}
	return e.invocation(command, effect, in.Background), nil
}

// invocation runs a command in the way its policy says. What the sandbox stops
// can be done again with less of it, by an invocation of its own, which is
// authorized like any other.
func (e *Env) invocation(command sandbox.Command, effect tools.Effect, background bool) *tools.Invocation {
	return &tools.Invocation{
		Effect: effect,
		Run: func(ctx context.Context, now tools.Effect, out io.Writer) (tools.Result, error) {
			command := command // the environment is of this run alone, and so are values of secrets
			command.Shell = now.Command
			if len(now.Env) > 0 {
				if command.Env == nil {
					command.Env = sandbox.Environ()
				}
				command.Env = append(slices.Clone(command.Env), now.Env...)
			}
			if background {
				return e.runJob(command, effect.Command)
			}
			command.Timeout = cmp.Or(command.Timeout, defaultTimeout)
			res, denied, err := e.runBash(ctx, command, out)
			if denied != nil && (denied.Network || !e.Policy.Required()) {
				command.Shell = effect.Command
				res.Again = e.escape(command, effect, denied)
			}
			return res, err
		},
	}
}

// escape is a command once more, with as much of the sandbox left off as what was
// denied needs.
func (e *Env) escape(command sandbox.Command, effect tools.Effect, denied *sandbox.Denied) *tools.Invocation {
	command.Env = e.Vars
	effect.Escape, command.Policy = tools.Outside, nil
	if denied.Network {
		effect.Escape, command.Policy = tools.NetworkOpen, e.Policy.WithNetwork()
	}
	effect.Title = "run again " + string(effect.Escape) + ": " + oneLine(command.Shell)
	effect.Detail = fmt.Sprintf("the sandbox did not let it %s (it said: %s); it would run again from its start, %s", denied, denied.Line, effect.Escape)
	return e.invocation(command, effect, false)
}

// oneLine is a command as a title: its first line, cut.
func oneLine(command string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(command), "\n")
	if strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return tools.Clip(line, 100)
}

func (e *Env) runBash(ctx context.Context, c sandbox.Command, out io.Writer) (tools.Result, *sandbox.Denied, error) {
	whole := &spill{dir: e.OutDir, keep: bashHead + bashTail, live: out}
	c.Head, c.Tail, c.Output = bashHead, bashTail, whole
	masking := func() {}
	if e.Veil != nil { // what is kept on disk is masked as what a model sees is
		s := e.Veil.Stream(whole)
		c.Output, masking = s, func() { _ = s.Close() } // a spill never fails
	}
	p, err := c.Start()
	if err != nil {
		return tools.Result{}, nil, err
	}
	began := time.Now()
	f := e.Jobs.waitFor(p, c.Timeout)
	defer e.Jobs.waited(f)
	for away := f.away; ; {
		select {
		case <-p.Done():
		case <-away:
			if b := e.Jobs.adopt(p, c.Shell, began); b != nil {
				p.Release()
				whole.close()
				return b.sentAway(), nil, nil
			}
			away = nil // it stays where it is
			continue
		case <-ctx.Done():
			p.Stop()
			<-p.Done()
		}
		break
	}
	r := p.Result()
	e.Jobs.remember(p, r)
	masking()
	begin, file, kept := whole.close()
	var b strings.Builder
	writeOutput(&b, r.Output, begin)
	fmt.Fprintf(&b, "[%s, %s]\n", ending(r, r.Limit), shortTime(r.Took))
	switch {
	case file != "" && kept >= maxSpill && kept < r.Total:
		fmt.Fprintf(&b, "[the first %s of its %s of output are in %s]\n", size(kept), size(r.Total), file)
	case file != "":
		fmt.Fprintf(&b, "[the whole output, %s, is in %s]\n", size(r.Total), file)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "[%s]\n", n)
	}
	if e.Terminal && !r.Ok() && tools.WantedTerminal(r.Output) {
		b.WriteString(tools.TerminalNote + "\n")
	}
	return tools.Result{Text: b.String(), IsError: !r.Ok(), Display: ending(r, r.Limit) + " · " + shortTime(r.Took)}, r.Denied, nil
}

// csi is a terminal's control sequence: colours, mostly.
var csi = lazy.Regexp{Expr: "\x1b\\[[0-9;:?<=>]*[ -/]*[@-~]"}

// writeOutput writes what a command said, without colours and never as bytes a
// model cannot read. begin is how the output begins before it was made text.
func writeOutput(b *strings.Builder, text string, begin []byte) {
	text = csi.Get().ReplaceAllString(text, "")
	switch {
	case strings.ContainsRune(text[:min(len(text), 8<<10)], 0):
		fmt.Fprintf(b, "(binary output%s)\n", beginning(begin))
	case strings.TrimSpace(text) == "":
		b.WriteString("(no output)\n")
	default:
		b.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
}

func beginning(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return fmt.Sprintf("; it begins with % x", b)
}

// ending says how a command ended.
func ending(r sandbox.Result, timeout time.Duration) string {
	switch {
	case r.TimedOut:
		return fmt.Sprintf("timed out after %s and was ended; there is no input to answer with, and background runs what takes longer", shortTime(timeout))
	case r.Cancelled:
		return "cancelled by the user"
	case r.OverLimit:
		return "ended: too much output"
	case r.Signal != "":
		return "ended by signal: " + r.Signal
	}
	return fmt.Sprintf("exit code %d", r.ExitCode)
}

func shortTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
