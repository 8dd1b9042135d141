package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options is what running tasks needs.
type Options struct {
	// Forge is the program and the flags every run gets: which model, say.
	Forge []string
	// Demo lets each task's own script play the model.
	Demo bool
	// Parallel is how many tasks run at a time; 0: one.
	Parallel int
	// Scratch is where the copies are made; empty: the folder for temporary files.
	Scratch string
	// Keep leaves the copies there.
	Keep bool
	// Check runs a check's command in a folder, confined as commands of a model are,
	// since it runs what a model wrote; ok says that it ended well.
	Check func(ctx context.Context, dir, command string) (output string, ok bool, err error)
	// Done hears of each result as it comes, from the goroutine that made it; may be nil.
	Done func(Result)
	// Environ is the environment of the runs; nil: this program's.
	Environ []string
}

// stopping is how long a run may take to end after it was interrupted: its own
// commands have to be ended first.
const stopping = 10 * time.Second

// checkTime bounds one check's command.
const checkTime = 2 * time.Minute

// most bounds what is kept of a run's output and of a check's, in bytes.
const (
	mostOutput = 8 << 20
	mostDetail = 2000
)

// Run runs tasks and reports them in their order. Only the end of ctx is an error of
// its own: it comes beside the results there are.
func Run(ctx context.Context, tasks []Task, o Options) (Report, error) {
	began := time.Now()
	results := make([]Result, len(tasks))
	free := make(chan struct{}, max(1, o.Parallel))
	var wg sync.WaitGroup
	var told sync.Mutex
	for i, t := range tasks {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			results[i] = Result{Task: t.Name, Error: "not run: interrupted"}
			continue
		}
		wg.Go(func() {
			defer func() { <-free }()
			results[i] = one(ctx, t, o)
			if o.Done != nil {
				told.Lock()
				defer told.Unlock()
				o.Done(results[i])
			}
		})
	}
	wg.Wait()
	return newReport(began, results), ctx.Err()
}

func one(ctx context.Context, t Task, o Options) (r Result) {
	began := time.Now()
	r.Task = t.Name
	defer func() {
		if p := recover(); p != nil {
			slog.Error("task crashed", "task", t.Name, "panic", p, "stack", string(debug.Stack()))
			r.Passed, r.Error = false, fmt.Sprintf("crashed: %v", p)
		}
		r.Seconds = time.Since(began).Round(time.Millisecond).Seconds()
	}()
	scratch, err := os.MkdirTemp(o.Scratch, "forge-eval-")
	if err != nil {
		r.Error = err.Error()
		return r
	}
	if o.Keep {
		r.Folder = scratch
	} else {
		defer func() {
			if err := os.RemoveAll(scratch); err != nil {
				slog.Warn("copy of a task not removed", "folder", scratch, "err", err)
			}
		}()
	}
	dir := filepath.Join(scratch, "workspace")
	if err := write(dir, t.Files); err != nil {
		r.Error = "make its workspace: " + err.Error()
		return r
	}
	args := append([]string(nil), o.Forge...)
	if o.Demo {
		if len(t.Script) == 0 {
			r.Skipped, r.Error = true, "it has no demo script"
			return r
		}
		script := filepath.Join(scratch, scriptFile)
		if err := os.WriteFile(script, t.Script, 0o600); err != nil {
			r.Error = err.Error()
			return r
		}
		args = append(args, "--demo="+script)
	}
	out, err := start(ctx, t, append(args, t.flags(dir)...), o)
	r.answer(out, err)
	if ctx.Err() != nil {
		r.Error = "interrupted"
		return r
	}
	r.Passed = true
	for _, c := range t.Checks {
		cr := check(ctx, c, t, dir, r.Text, o)
		r.Checks = append(r.Checks, cr)
		r.Passed = r.Passed && cr.OK
	}
	// What stopped a run at a limit, or for good, is no success, whatever it left.
	r.Passed = r.Passed && (r.ExitCode == exitDone || r.ExitCode == exitRefused)
	r.Text = clip(r.Text, mostDetail)
	return r
}

// The exit codes of a headless run that did what it could.
const (
	exitDone    = 0
	exitRefused = 3 // a call was not allowed: the checks say whether it was needed
)

// flags are the run's own.
func (t Task) flags(dir string) []string {
	mode := t.Mode
	if mode == "" {
		mode = "auto"
	}
	turns := t.Turns
	if turns == 0 {
		turns = defaultTurns
	}
	fs := []string{"-C", dir, "--no-session", "--output-format", "json", "--mode", mode, "--max-turns", strconv.Itoa(turns)}
	if t.USD > 0 {
		fs = append(fs, "--max-budget-usd", strconv.FormatFloat(t.USD, 'f', -1, 64))
	}
	if t.Tokens > 0 {
		fs = append(fs, "--max-budget-tokens", strconv.Itoa(t.Tokens))
	}
	return append(append(fs, t.Flags...), "-p", t.Prompt)
}

// start runs forge once and returns its standard output.
func start(ctx context.Context, t Task, args []string, o Options) ([]byte, error) {
	seconds := t.Time
	if seconds == 0 {
		seconds = defaultSeconds
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	out, said := &head{most: mostOutput}, &head{most: mostDetail}
	cmd.Stdout, cmd.Stderr, cmd.Env = out, said, o.Environ
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopping
	err := cmd.Run()
	if limited.Err() != nil && ctx.Err() == nil {
		return out.kept.Bytes(), fmt.Errorf("stopped after %d seconds", seconds)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return out.kept.Bytes(), err
	}
	if out.kept.Len() == 0 {
		return nil, errors.New(strings.TrimSpace("forge said nothing: " + said.kept.String()))
	}
	return out.kept.Bytes(), nil
}

// head keeps the beginning of what is written to it. It has no other way in than Write,
// which what copies to it would prefer.
type head struct {
	kept bytes.Buffer
	most int
}

func (h *head) Write(p []byte) (int, error) {
	h.kept.Write(p[:min(len(p), max(0, h.most-h.kept.Len()))])
	return len(p), nil
}

// answer takes the result line of a headless run.
func (r *Result) answer(out []byte, err error) {
	var line struct {
		ExitCode int      `json:"exit_code"`
		Text     string   `json:"text"`
		Turns    int      `json:"turns"`
		Cost     *float64 `json:"cost_usd"`
		Provider string   `json:"provider"`
		Model    string   `json:"model"`
		Usage    struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			CacheRead  int `json:"cache_read_tokens"`
		} `json:"usage"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	r.ExitCode = -1
	if e := json.Unmarshal(lines[len(lines)-1], &line); e != nil {
		if err == nil {
			err = fmt.Errorf("its result is no JSON: %w", e)
		}
	} else {
		r.ExitCode, r.Text, r.Turns, r.USD = line.ExitCode, line.Text, line.Turns, line.Cost
		r.Input, r.Output, r.CacheRead = line.Usage.Prompt, line.Usage.Completion, line.Usage.CacheRead
		r.Provider, r.Model = line.Provider, line.Model
		if line.Error != nil {
			r.Error = line.Error.Message
		}
	}
	if err != nil {
		r.ExitCode, r.Error = -1, err.Error()
	}
}

func write(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if bytes.HasPrefix(text, []byte("#!")) {
			mode = 0o755
		}
		if err := os.WriteFile(path, text, mode); err != nil {
			return err
		}
	}
	return nil
}

// check looks whether one thing is true. The workspace is a model's work by now: no
// link in it is followed out of it.
func check(ctx context.Context, c Check, t Task, dir, answer string, o Options) (r CheckResult) {
	r.What = c.String()
	switch {
	case c.Answer != "":
		if r.OK = regexp.MustCompile(c.Answer).MatchString(answer); !r.OK {
			r.Detail = "the answer was: " + clip(answer, mostDetail)
		}
	case c.Run != "":
		if o.Check == nil {
			r.Detail = "no command can be run here"
			return r
		}
		limited, cancel := context.WithTimeout(ctx, checkTime)
		defer cancel()
		out, ok, err := o.Check(limited, dir, c.Run)
		if err != nil {
			out, ok = err.Error(), false
		}
		if r.OK = ok && c.text(out) == ""; !r.OK {
			r.Detail = clip(out, mostDetail)
		}
	default:
		r.OK, r.Detail = c.file(dir, t)
	}
	return r
}

// text says what is wrong with a text, empty: nothing.
func (c Check) text(s string) string {
	switch {
	case c.Matches != "" && !regexp.MustCompile(c.Matches).MatchString(s):
		return "/" + c.Matches + "/ is not in it"
	case c.Lacks != "" && regexp.MustCompile(c.Lacks).MatchString(s):
		return "/" + c.Lacks + "/ is in it"
	}
	return ""
}

func (c Check) file(dir string, t Task) (ok bool, detail string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err.Error()
	}
	defer root.Close()
	text, err := root.ReadFile(filepath.FromSlash(c.File))
	switch {
	case c.Absent:
		if _, e := root.Lstat(filepath.FromSlash(c.File)); e == nil {
			return false, "it is there"
		}
		return true, ""
	case err != nil:
		return false, err.Error()
	case c.Unchanged && !bytes.Equal(text, t.Files[c.File]):
		return false, "it was changed"
	case c.Equals != nil && strings.TrimSpace(string(text)) != strings.TrimSpace(*c.Equals):
		return false, "it holds: " + clip(string(text), mostDetail)
	}
	detail = c.text(string(text))
	return detail == "", detail
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
