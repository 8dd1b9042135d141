package sandbox

import "time"

// How long a process and all it started may take to end.
const (
	interruptGrace = 400 * time.Millisecond // after INT
	terminateGrace = 500 * time.Millisecond // after TERM
	killGrace      = time.Second            // after KILL; then it is given up
	pollEvery      = 10 * time.Millisecond
)

// A stray is a process that belongs to a command; start tells it from a later one
// of the same number.
type stray struct {
	pid   int
	start string
}

// Stop ends the process and all it started. It returns at once; Done tells when
// they are gone.
func (p *Process) Stop() { p.once.Do(func() { close(p.stop) }) }

// end stops the process and all it started: asked with INT, then with TERM, then
// killed.
func (p *Process) end() {
	pid := p.cmd.Process.Pid
	others := p.group.strays(pid, p.mark) // while their parents still tell whose they are
	for _, step := range []struct {
		send func(pid int)
		wait time.Duration
	}{
		{p.group.interrupt, interruptGrace}, {p.group.terminate, terminateGrace}, {p.group.kill, killGrace},
	} {
		step.send(pid)
		if p.gone(pid, step.wait) {
			break
		}
	}
	for range 5 { // what forks while it is looked for is found the next time
		killAll(others)
		if others = p.group.strays(0, p.mark); len(others) == 0 {
			break
		}
	}
	p.group.close()
}

// gone waits until the process has ended and its group is empty.
func (p *Process) gone(pid int, limit time.Duration) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	exited := p.exited
	for {
		select {
		case <-exited:
			exited = nil
		case <-tick.C:
		case <-deadline.C:
			return false
		}
		if exited == nil && len(p.group.members(pid)) == 0 {
			return true
		}
	}
}

// Sweep kills what a process that ended by itself left in the background. It may
// be called more than once.
func (p *Process) Sweep() {
	select {
	case <-p.done:
	default:
		return
	}
	killAll(p.group.strays(0, p.mark)) // its own number may be another's by now
	if len(p.result.Left) > 0 {
		p.guard.ended(p.cmd.Process.Pid)
	}
	p.group.close()
}
