package sandbox

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// drainGrace is how long output may still come once the process is gone:
	// whatever holds the pipe then is in the background.
	drainGrace = 200 * time.Millisecond
	drainLimit = 2 * time.Second
	eyesLimit  = 5 * time.Second // for one piece of output
	pipeMost   = 1 << 20         // bytes a pipe can hold: Linux's fs.pipe-max-size
)

// A Process is a Command that was started.
type Process struct {
	cmd    *exec.Cmd
	out    *output
	waits  atomic.Pointer[time.Time] // since when more output is waited for; nil: it is being shown
	mark   string                    // in its environment, and so in that of all it starts
	start  time.Time
	group  group
	guard  *Guardian
	jail   *confinement  // nil: it is not confined
	stop   chan struct{} // closed by Stop
	once   sync.Once
	free   chan struct{} // closed by Release
	loose  sync.Once
	more   atomic.Int64  // of time, given by Extend, in nanoseconds
	longer chan struct{} // Extend was called
	exited chan struct{} // the process itself ended
	done   chan struct{} // the result is there
	result Result
}

// markName is the variable that tells whose child a process is: it is inherited
// also by what leaves the group (setsid) or lost its parent.
const markName = "FORGE_COMMAND_ID"

// Start starts c and returns at once.
func (c Command) Start() (*Process, error) {
	cmd, err := c.cmd()
	if err != nil {
		return nil, err
	}
	p := &Process{
		cmd: cmd, mark: c.Guardian.Mark(), guard: c.Guardian, stop: make(chan struct{}), free: make(chan struct{}), longer: make(chan struct{}, 1), exited: make(chan struct{}), done: make(chan struct{}),
		out: newOutput(or(c.Head, defaultHead), or(c.Tail, defaultTail), or(c.Max, defaultMax), c.Output),
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], markName+"="+p.mark)
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	cmd.Stdout, cmd.Stderr = w, w // the file itself, so that Wait waits for the process alone
	side, err := p.sides(c, cmd)
	if err != nil {
		r.Close()
		w.Close()
		return nil, fmt.Errorf("run: %w", err)
	}
	SealDescriptors()
	p.group.prepare(cmd)
	if p.jail, err = c.Policy.confine(cmd); err != nil {
		r.Close()
		w.Close()
		side.close()
		return nil, startError(c, err)
	}
	defer p.jail.close()

	started := make(chan error, 1)
	go p.hold(started)
	err = <-started
	w.Close()
	if err != nil {
		r.Close()
		side.close()
		p.jail.over()
		return nil, startError(c, err)
	}
	read := make(chan struct{})
	go p.read(r, read)
	side.begin(p, c.Input)
	go p.watch(c, read, side)
	return p, nil
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func startError(c Command, err error) error {
	if _, statErr := os.Stat(c.Dir); statErr != nil {
		return fmt.Errorf("run in %s: %w", c.Dir, statErr)
	}
	return fmt.Errorf("run: %w", err)
}

// hold starts the process and waits for it on one thread, which it keeps: on
// Linux a child may be told to die with the thread that made it. Where the thread
// itself is confined, the child is born so; it is never unlocked then, and ends
// with this function.
func (p *Process) hold(started chan<- error) {
	defer recovered("start a command")
	runtime.LockOSThread()
	if p.jail == nil || p.jail.thread == nil {
		defer runtime.UnlockOSThread()
	} else if onMainThread() {
		defer runtime.UnlockOSThread()
		other := make(chan error, 1)
		go p.hold(other) // on another thread, since this one is taken until it began
		started <- <-other
		return
	} else if err := p.jail.thread(); err != nil {
		started <- err
		return
	}
	p.start = time.Now()
	err := p.cmd.Start()
	if err == nil {
		p.group.adopt(p.cmd)
		p.guard.began(p.cmd.Process.Pid)
	}
	started <- err
	if err != nil {
		return
	}
	defer close(p.exited)
	if err := p.cmd.Wait(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			slog.Warn("wait for a command", "error", err)
		}
	}
}

// read takes the output until nobody can write any more. It goes on behind the
// result while something in the background holds the pipe: closing it would end
// that with its next line.
func (p *Process) read(r *os.File, done chan<- struct{}) {
	defer recovered("read a command's output")
	defer close(done)
	defer r.Close()
	buf := make([]byte, 32<<10)
	for {
		now := time.Now()
		p.waits.Store(&now)
		n, err := r.Read(buf)
		p.waits.Store(nil)
		if n > 0 {
			p.out.Write(buf[:n])
		}
		if err != nil {
			if err != io.EOF {
				slog.Debug("read a command's output", "error", err)
			}
			return
		}
	}
}

// watch waits for whichever end comes first and works out the result.
func (p *Process) watch(c Command, read <-chan struct{}, side *sides) {
	defer recovered("watch a command")
	defer close(p.done)
	defer side.over()
	var timeout <-chan time.Time
	var t *time.Timer
	given := func() time.Duration { return c.Timeout + time.Duration(p.more.Load()) }
	if c.Timeout > 0 {
		t = time.NewTimer(given())
		defer t.Stop()
		timeout = t.C
	}
	res := &p.result
	ended := true // by us
	for free := p.free; ; {
		select {
		case <-free:
			free, timeout = nil, nil
			continue
		case <-p.longer:
			if timeout != nil {
				t.Reset(time.Until(p.start.Add(given())))
			}
			continue
		case <-p.exited:
			ended = false
		case <-timeout:
			res.TimedOut = true
		case <-p.stop:
			res.Cancelled = true
		case <-p.out.over:
			res.OverLimit = true
		case <-side.tooMuch():
			res.OverLimit = true
		}
		break
	}
	if ended {
		p.end()
	} else if p.jail.takesAll() && len(p.group.members(p.cmd.Process.Pid)) > 0 {
		p.group.kill(p.cmd.Process.Pid) // what is left is about to be ended by the kernel
		p.gone(p.cmd.Process.Pid, killGrace)
	}
	drained := p.drain(read)
	p.out.unwatch()
	res.Took, res.Limit = time.Since(p.start), given()
	text, _, total := p.out.since(0)
	res.Output, res.Total = tidy(text), total
	res.Errors = side.errors()
	select {
	case <-p.exited:
		res.ExitCode, res.Signal = exitOf(p.cmd.ProcessState)
	default:
		res.ExitCode = -1
		res.Notes = append(res.Notes, fmt.Sprintf("process %d did not end even when killed; it may hang in the kernel", p.cmd.Process.Pid))
	}
	if ended {
		p.guard.ended(p.cmd.Process.Pid)
	} else {
		res.Left = p.group.members(p.cmd.Process.Pid)
		switch {
		case len(res.Left) > 0:
			res.Notes = append(res.Notes, fmt.Sprintf("it left running in the background: process %s", join(res.Left)))
		case !drained:
			res.Notes = append(res.Notes, "a process it left in the background still holds its output; what that writes is not seen")
		default:
			p.group.close()
		}
		if len(res.Left) == 0 {
			p.guard.ended(p.cmd.Process.Pid)
		}
	}
	p.jail.finish(c.Shell, res)
	if res.OverLimit {
		res.Notes = append(res.Notes, fmt.Sprintf("it was ended after %d MB of output", or(c.Max, defaultMax)>>20))
	}
}

// drain waits for the rest of the output: until nobody can write any more, until
// nothing came for drainGrace, or for drainLimit if something in the background
// never stops writing. What the process wrote stands in the pipe when it is gone, so
// that eyes which take long over what was read already are waited for.
func (p *Process) drain(read <-chan struct{}) bool {
	began := time.Now()
	tick := time.NewTicker(drainGrace / 4)
	defer tick.Stop()
	first, moved := p.out.written(), began
	for before := first; ; {
		select {
		case <-read:
			return true
		case <-tick.C:
			if now := p.out.written(); now != before {
				before, moved = now, time.Now()
			}
			waits := p.waits.Load()
			gone := time.Since(began)
			late := gone >= drainLimit
			switch {
			case waits != nil && (min(gone, time.Since(*waits)) >= drainGrace || late),
				waits == nil && time.Since(moved) >= eyesLimit,
				late && before-first > pipeMost:
				return false
			}
		}
	}
}

// Pid is the number of the process, which is also that of its group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the Result is there.
func (p *Process) Done() <-chan struct{} { return p.done }

// Result waits for the end and tells how it was.
func (p *Process) Result() Result {
	<-p.done
	return p.result
}

// Extend lets a command that has a Timeout run longer by d.
func (p *Process) Extend(d time.Duration) {
	p.more.Add(int64(d))
	select {
	case p.longer <- struct{}{}:
	default: // what was not noticed yet stands for both
	}
}

// Release lets the process run for as long as it likes, and nobody watches its
// output any more: whoever waited for it has other things to do.
func (p *Process) Release() {
	p.loose.Do(func() { close(p.free) })
	p.out.unwatch()
}

// Since gives the output written from an offset on, where the next call goes on,
// and how many bytes before the text were not kept.
func (p *Process) Since(offset int64) (text string, next, missed int64) {
	b, missed, next := p.out.since(offset)
	return tidy(b), next, missed
}

// Written is how many bytes of output there were so far.
func (p *Process) Written() int64 { return p.out.written() }

// recovered keeps a panic of a goroutine from ending the program.
func recovered(what string) {
	if v := recover(); v != nil {
		slog.Error("panic", "where", what, "value", v, "stack", string(debug.Stack()))
	}
}

func join(pids []int) string {
	s := ""
	for i, pid := range pids {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprint(pid)
	}
	return s
}
