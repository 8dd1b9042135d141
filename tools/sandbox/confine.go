package sandbox

import (
	"log/slog"
	"os"
	"os/exec"
)

// A confinement is what a policy makes of one command.
type confinement struct {
	// thread confines the thread that starts the command, which cannot be undone:
	// the thread is given up with it. nil: the command confines itself.
	thread func() error
	alone  bool     // no other command runs under the policy
	roots  []string // where it may write
	before stock    // of what programs obey, to be compared at the end
	orders []orders // what git runs, to be put back
	policy *Policy
	dir    string
	files  []*os.File // handed to the command
}

// confine prepares a command to run under the policy; nil: under none. It does
// not run if that fails.
func (p *Policy) confine(cmd *exec.Cmd) (*confinement, error) {
	if !p.Active() {
		return nil, nil
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], p.environ()...)
	c := &confinement{policy: p, dir: cmd.Dir, alone: p.running.Add(1) == 1}
	if err := p.apply(c, cmd); err != nil {
		c.close()
		c.over()
		return nil, err
	}
	c.roots = p.scope().roots
	c.before, c.orders = takeStock(c.roots), keepOrders(c.roots)
	return c, nil
}

// close gives back forge's side of what was handed over.
func (c *confinement) close() {
	if c == nil {
		return
	}
	for _, f := range c.files {
		_ = f.Close()
	}
}

// over says that nothing of the command runs any more, or that it never did.
func (c *confinement) over() {
	if c != nil {
		c.policy.running.Add(-1)
	}
}

// takesAll says whether nothing the command started outlives it: its world ends
// with it.
func (c *confinement) takesAll() bool { return c != nil && c.policy.form == Bubblewrap }

// finish adds what the sandbox knows of an end to the result of line, the words of
// the command.
func (c *confinement) finish(line string, r *Result) {
	if c == nil {
		return
	}
	c.over()
	var told []string
	for _, o := range c.orders {
		note, paths := o.putBack()
		if note != "" {
			r.Notes = append(r.Notes, note)
			slog.Warn("a command changed what git runs", "dir", c.dir, "note", note)
		}
		told = append(told, paths...)
	}
	now := takeStock(c.roots)
	for _, path := range told {
		delete(now, path)
	}
	if note := c.before.compare(now); note != "" {
		r.Notes = append(r.Notes, note)
	}
	switch {
	case r.TimedOut, r.Cancelled, r.OverLimit:
		return
	case r.Ok():
		r.Denied = c.policy.deniedWithin(line, *r)
	default:
		r.Denied = c.policy.denied(c.dir, *r)
	}
	if hint := c.policy.hint(r.Denied); hint != "" {
		r.Notes = append(r.Notes, hint)
	}
}
