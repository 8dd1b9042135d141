package subagent

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"forge/agent"
	"forge/tools"
)

// work is an agent from the call that starts it, which may have to wait for a place, to
// its report.
type work struct {
	key     string
	cancel  context.CancelFunc
	stopped atomic.Bool // the person stopped it, not a run it is part of
}

// errStopped ends an agent that the person stopped alone.
var errStopped = errors.New("stopped by the user")

// Stop ends one agent: the one that runs as the last of these calls, each of which
// belongs to the agent that runs as the call before it, the first one to the person's own
// conversation. Those it has started end with it; all others, and the run, go on, and
// whoever started it is told in the place of a report, with its last words. false: none
// is at work there. It does not wait for the end.
func (c *Crew) Stop(path []string) bool {
	c.mu.Lock()
	w := c.atWork[keyOf(path)]
	c.mu.Unlock()
	if w == nil {
		return false
	}
	w.stopped.Store(true)
	w.cancel()
	return true
}

func keyOf(path []string) string { return strings.Join(path, "\x00") }

// begin notes that an agent is at work, so that it can be stopped.
func (c *Crew) begin(ctx context.Context, path []string) (context.Context, *work) {
	ctx, cancel := context.WithCancel(ctx)
	w := &work{key: keyOf(path), cancel: cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.atWork[w.key] = w
	return ctx, w
}

func (c *Crew) end(w *work) {
	w.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.atWork[w.key] == w {
		delete(c.atWork, w.key)
	}
}

// neverBegan is what is told of an agent that was stopped before its first request.
func neverBegan(d Definition) tools.Result {
	return tools.Result{IsError: true, Text: agent.Cancelled + ": this agent, " + d.Name + ", and no other. It had not begun; start none in its place unless the user asks for it."}
}
