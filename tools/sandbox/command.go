package sandbox

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"forge/programs"
)

// Command is a process to run. It gets a session and a process group of its own,
// no terminal, an empty standard input unless there is Input, and Environ unless Env
// says otherwise.
type Command struct {
	Argv  []string // the program and its arguments, or
	Shell string   // a line for the shell
	With  string   // the shell's program; empty: bash, else sh (Windows: bash, else cmd)
	Dir   string   // where it runs; must be absolute
	Env   []string // the whole environment; nil: Environ()

	// Input is what it can read on its standard input; nil: nothing. One that does not
	// read it is no error.
	Input []byte
	// Apart keeps what it writes on standard error out of Output, in Result.Errors.
	Apart bool

	// Timeout is how long it may run; 0: for ever.
	Timeout time.Duration
	// Output sees both streams as they are written, in Write calls of at most 32
	// KiB; nil: nobody. A slow Output slows the command. An error ends the watching,
	// not the command.
	Output io.Writer

	// Policy confines it; nil: nothing does. A command that cannot be confined does
	// not run.
	Policy *Policy
	// Guardian ends what is left of it when forge is killed; nil: nobody does.
	Guardian *Guardian

	Head, Tail int   // bytes of output that Result keeps; 0: 64 KiB and 256 KiB
	Max        int64 // bytes of output after which it is ended; 0: 200 MB
}

// The limits of a Command that sets none.
const (
	defaultHead = 64 << 10
	defaultTail = 256 << 10
	defaultMax  = 200 << 20
)

// Result is how a Command ended. It is no error for a command to fail.
type Result struct {
	ExitCode  int    // of the process; -1: it was ended by a signal
	Signal    string // that signal, as in "killed"; empty: none
	TimedOut  bool   // Timeout was over
	Cancelled bool   // the context ended, or Stop was called
	OverLimit bool   // it wrote more than Max
	Took      time.Duration
	Limit     time.Duration // it might have run so long: Timeout, and what Extend added; 0: for ever
	Total     int64         // bytes it wrote
	Output    string        // the first and the last of them, as text, with a note of what is missing
	Errors    string        // the same of standard error, where it was kept Apart
	// Left are processes that were still there at the end, in the command's group:
	// started with &, they go on without it.
	Left []int
	// Denied is what the sandbox stopped, if that is why it, or a part of it, failed,
	// as far as its words tell.
	Denied *Denied
	// Notes say what else is worth knowing, a line each.
	Notes []string
}

// Ok says whether the command ran to its end and succeeded.
func (r Result) Ok() bool {
	return r.ExitCode == 0 && r.Signal == "" && !r.TimedOut && !r.Cancelled && !r.OverLimit
}

// Run runs c to its end. When ctx ends or the time is over, the whole process
// group is asked to stop, then killed, within about a second; that is a Result,
// not an error. The error is that it could not be started.
func (c Command) Run(ctx context.Context) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	p, err := c.Start()
	if err != nil {
		return Result{}, err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop()
		<-p.Done()
	}
	return p.Result(), nil
}

// cmd builds what os/exec needs.
func (c Command) cmd() (*exec.Cmd, error) {
	if !filepath.IsAbs(c.Dir) {
		return nil, fmt.Errorf("run: the directory %q is not absolute", c.Dir)
	}
	argv := c.Argv
	if c.Shell != "" {
		if strings.ContainsRune(c.Shell, 0) {
			return nil, fmt.Errorf("run: the command holds a NUL byte")
		}
		argv = shellArgv(c.With, c.Shell, c.Dir)
	}
	if len(argv) == 0 {
		return nil, fmt.Errorf("run: there is no command")
	}
	env := c.Env
	if env == nil {
		env = Environ()
	}
	program, err := programs.By(env, argv[0])
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, argv[1:]...)
	cmd.Args[0], cmd.Dir, cmd.Env = argv[0], c.Dir, env
	return cmd, nil
}

// OnTerminal is what os/exec needs to run c on a terminal of the person's, which is to be
// put on it: nothing confines it then, bounds it or looks at what it writes.
func (c Command) OnTerminal() (*exec.Cmd, error) {
	if c.Env == nil {
		c.Env = TerminalEnviron()
	}
	cmd, err := c.cmd()
	if err == nil {
		cmd.Args = slices.DeleteFunc(cmd.Args, func(a string) bool { return a == "-NonInteractive" })
	}
	return cmd, err
}

// Ended is how a command ended that somebody else ran; err is what exec.Cmd returned.
func Ended(cmd *exec.Cmd, err error, took time.Duration) Result {
	r := Result{Took: took, ExitCode: -1}
	if cmd.ProcessState != nil {
		r.ExitCode, r.Signal = exitOf(cmd.ProcessState)
	} else if err == nil {
		r.ExitCode = 0
	}
	return r
}

// FindShell finds the program commands run in. None of the folder dir is taken.
func FindShell(dir string) string {
	if path, err := programs.Find("bash", dir); err == nil && !isWSL(path) {
		return path
	}
	if runtime.GOOS == "windows" {
		return "cmd"
	}
	if path, err := programs.Find("sh", dir); err == nil {
		return path
	}
	return "/bin/sh"
}

// isWSL says whether a bash of Windows is the door to another system, where
// paths are not these.
func isWSL(path string) bool {
	return runtime.GOOS == "windows" && strings.Contains(strings.ToLower(path), `\system32\`)
}

// ReadsAsBash reports whether a shell reads lines as bash does, quotes and all. Those of
// Windows do not.
func ReadsAsBash(shell string) bool {
	switch shellName(shell) {
	case "cmd", "powershell", "pwsh":
		return false
	}
	return true
}

func shellName(shell string) string {
	return strings.TrimSuffix(strings.ToLower(shell[strings.LastIndexAny(shell, `/\`)+1:]), ".exe")
}

func shellArgv(shell, line, dir string) []string {
	if shell == "" {
		shell = FindShell(dir)
	}
	switch shellName(shell) {
	case "cmd":
		// Its console is one of its own, and begins with the letters of the country.
		return []string{shell, "/d", "/s", "/c", "chcp 65001 >nul 2>&1 & " + line}
	case "powershell", "pwsh":
		return []string{shell, "-NoProfile", "-NonInteractive", "-Command", line}
	}
	return []string{shell, "-c", line}
}
