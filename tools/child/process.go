// Package child starts programs that live beside forge and speak with it over their
// input and output, as MCP servers and language servers do, and ends them with all
// they started: when they are not wanted any more, when forge ends, and where the
// system has a way, also when forge is killed.
//
// It owns their processes and what they see of the environment, and knows no protocol.
// mcp, lsp and ui/spelling call it, from any goroutine.
package child

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// How long a server may take to leave: after its input was closed, after TERM, and
// after KILL; and how long its last words may then take to be read. Together they stay
// below the two seconds forge's own end may take.
const (
	closeGrace     = 600 * time.Millisecond
	terminateGrace = 600 * time.Millisecond
	killGrace      = 400 * time.Millisecond
	wordsGrace     = 200 * time.Millisecond
)

// markName is a variable that tells whose child a process is: it is inherited also
// by what leaves the process group or loses its parent.
const markName = "FORGE_CHILD_ID"

// A Process is a program that was started, and all that it started.
type Process struct {
	cmd    *exec.Cmd
	mark   string
	group  group
	Stdin  *os.File // it reads what is written here
	Stdout *os.File // what it writes; its error stream goes to a writer
	exited chan struct{}
	silent chan struct{} // its error stream has ended
	once   sync.Once
	ended  chan struct{} // End is through
}

// Start starts argv. Its error stream goes to stderr line by line. mark gives
// a value no other process has; nil: a random one.
func Start(argv []string, dir string, env []string, stderr io.Writer, mark func() string) (*Process, error) {
	path, err := Find(argv[0], dir, env)
	if err != nil {
		return nil, err
	}
	if mark == nil {
		mark = rand.Text
	}
	p := &Process{mark: mark(), exited: make(chan struct{}), silent: make(chan struct{}), ended: make(chan struct{})}
	p.cmd = exec.Command(path, argv[1:]...)
	p.cmd.Args[0] = argv[0]
	p.cmd.Dir = dir
	p.cmd.Env = append(env[:len(env):len(env)], markName+"="+p.mark)
	var theirs []*os.File
	var ours []*os.File
	for _, at := range []struct {
		dst   any
		write bool // we write
	}{{&p.cmd.Stdin, true}, {&p.cmd.Stdout, false}, {&p.cmd.Stderr, false}} {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(theirs, ours)
			return nil, err
		}
		if at.write {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	// Files themselves, so that Wait waits for the process and not for whoever
	// inherited its output.
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	p.Stdin, p.Stdout = ours[0], ours[1]
	p.group.prepare(p.cmd)
	started := make(chan error, 1)
	go p.hold(started)
	err = <-started
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		if _, statErr := os.Stat(dir); statErr != nil {
			return nil, fmt.Errorf("start it in %s: %w", dir, statErr)
		}
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	go func() {
		defer recovered("read a server's error stream")
		defer close(p.silent)
		defer ours[2].Close()
		_, _ = io.Copy(stderr, ours[2])
	}()
	return p, nil
}

func closeAll(lists ...[]*os.File) {
	for _, fs := range lists {
		for _, f := range fs {
			f.Close()
		}
	}
}

// Find looks a program up in the PATH the server will have, and relative to
// the folder it will run in.
func Find(name, dir string, env []string) (string, error) {
	if name == "" {
		return "", errors.New("its command is empty")
	}
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); strings.EqualFold(k, "PATH") && v != os.Getenv("PATH") && !strings.ContainsAny(name, `/\`) {
			for _, d := range strings.Split(v, string(os.PathListSeparator)) {
				if path, err := exec.LookPath(d + string(os.PathSeparator) + name); d != "" && err == nil {
					return path, nil
				}
			}
		}
	}
	if strings.ContainsAny(name, `/\`) && !strings.HasPrefix(name, "/") && dir != "" {
		if path, err := exec.LookPath(dir + string(os.PathSeparator) + name); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil && errors.Is(err, exec.ErrDot) {
		return "", fmt.Errorf("%s is found only in the current folder; write ./%s if that is meant", name, name)
	}
	if err != nil {
		if first, rest, _ := strings.Cut(strings.TrimSpace(name), " "); rest != "" {
			return "", fmt.Errorf("no program %q is found; if %s is the program, put the rest into its args", name, first)
		}
		return "", fmt.Errorf("no program %s is found; install it, or give its whole path", name)
	}
	return path, nil
}

// hold starts the process and waits for it on one thread, which it keeps: on Linux
// a child may be told to die with the thread that made it.
func (p *Process) hold(started chan<- error) {
	defer recovered("start a server")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		p.group.adopt(p.cmd)
	}
	started <- err
	if err != nil {
		return
	}
	defer close(p.exited)
	_ = p.cmd.Wait() // how it ended is in ProcessState
	// What it left in its group goes with it, and now: later its number may be another's.
	p.group.left(p.cmd.Process.Pid)
}

// gone says whether the process itself has ended: then its number is not its own.
func (p *Process) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// End closes the server's input, waits, then asks it to stop, then kills it and
// all it started. It may be called more than once and returns when all are gone.
func (p *Process) End() {
	p.once.Do(func() {
		defer close(p.ended)
		pid := p.cmd.Process.Pid
		var kin []kin
		if !p.gone() {
			kin = descendants(pid) // while it can be seen whose they are
		}
		p.Stdin.Close()
		for _, step := range []struct {
			send func(pid int)
			wait time.Duration
		}{{nil, closeGrace}, {p.group.terminate, terminateGrace}, {p.group.kill, killGrace}} {
			if step.send != nil && !p.gone() {
				step.send(pid)
			}
			if WaitFor(p.exited, step.wait) {
				break
			}
		}
		p.group.sweep(p.mark)
		killAll(kin)
		WaitFor(p.silent, wordsGrace)
		p.Stdout.Close()
	})
	<-p.ended
}

// Exited is closed when the process itself has ended, whatever it left.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Pid is the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Memory is what the process and all it started hold in memory now, in bytes; 0 where
// that is not known.
func (p *Process) Memory() int64 {
	if p.gone() {
		return 0
	}
	size := memoryOf(p.Pid())
	for _, k := range descendants(p.Pid()) {
		size += memoryOf(k.pid)
	}
	return size
}

// A kin is a process that another one started, and when: a number may come again.
type kin struct {
	pid   int
	began string
}

// WaitFor waits until c is closed, for as long as d, and says whether it was.
func WaitFor(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}

// How says how the process ended; empty while it runs.
func (p *Process) How() string {
	if !p.gone() {
		return ""
	}
	st := p.cmd.ProcessState
	if st == nil {
		return "it could not be waited for"
	}
	if s := signalOf(st); s != "" {
		return "killed by signal: " + s
	}
	return fmt.Sprintf("exit code %d", st.ExitCode())
}

// recovered keeps a panic of a goroutine from ending the program.
func recovered(what string) {
	if v := recover(); v != nil {
		slog.Error("panic", "where", what, "value", v, "stack", string(debug.Stack()))
	}
}
