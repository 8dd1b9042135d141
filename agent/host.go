package agent

import (
	"context"
	"sync"
	"sync/atomic"

	"forge/agent/session"
	"forge/provider"
)

// Host is the run a call belongs to, for a tool that runs another agent as this
// call: where that agent's events go, and who bears its cost. Its methods may be
// called from any goroutine, and do nothing once the call is over.
type Host struct {
	run  *run
	id   string
	over *atomic.Bool

	mu    sync.Mutex
	spent session.Child
}

type hostKey struct{}

// HostOf is the host of the call that runs with ctx; nil outside of a run.
func HostOf(ctx context.Context) *Host {
	h, _ := ctx.Value(hostKey{}).(*Host)
	return h
}

func (r *run) host(ctx context.Context, id string, over *atomic.Bool) (context.Context, *Host) {
	h := &Host{run: r, id: id, over: over}
	return context.WithValue(ctx, hostKey{}, h), h
}

// Emit tells an event of the other agent in the card of the call. It is a Sink.
func (h *Host) Emit(e Event) {
	if h.over.Load() {
		return
	}
	if _, shared := e.(BudgetWarned); shared { // it is the conversation's budget
		h.run.emit(e)
		return
	}
	h.run.emit(Nested{h.id, e})
}

// Call is the ID of the call.
func (h *Host) Call() string { return h.id }

// Path is the IDs of the calls that lead here from the person's own conversation, that
// of this call at its end. Each conversation numbers its calls for itself.
func (h *Host) Path() []string {
	if above := h.run.o.Host; above != nil {
		return append(above.Path(), h.id)
	}
	return []string{h.id}
}

// Depth is how many agents stand above the one that would run here: 1 below the
// person's own.
func (h *Host) Depth() int {
	if above := h.run.o.Host; above != nil {
		return above.Depth() + 1
	}
	return 1
}

// Agent is the agent the call belongs to.
func (h *Host) Agent() *Agent { return h.run.Agent }

// Options is what the agent of the call works with, as it is in force: what another
// one begins with, before its own are put over them. The conversation's own are left
// out: its session, what goes with the person's words, who is asked at a turn limit.
// Its budget is shared.
func (h *Host) Options() Options {
	o := h.run.o
	o.Session, o.Compact, o.Facts, o.Attach, o.Await, o.Asker, o.News, o.Rested = nil, nil, nil, nil, nil, nil, nil, nil
	o.Host, o.Lent = h, true
	return o
}

// Ran notes in the record of the call which agent it is, and where its own
// conversation is kept; empty: nowhere. The face is told.
func (h *Host) Ran(agent, session string) {
	h.mu.Lock()
	h.spent.Agent, h.spent.Session = agent, session
	h.mu.Unlock()
	if !h.over.Load() {
		h.run.emit(Delegated{ID: h.id, Agent: agent, Session: session})
	}
}

// bears adds what the other agent used, which is a part of this conversation's sum.
func (h *Host) bears(u provider.Usage, cost *float64, turn bool) {
	h.mu.Lock()
	t := &h.spent
	if turn {
		t.Turns++
	}
	if u.Reported {
		if t.Usage == nil {
			t.Usage, t.Priced = &provider.Usage{}, true
		}
		*t.Usage = t.Usage.Add(u)
		if cost != nil {
			t.Cost += *cost
		} else {
			t.Priced = false
		}
	}
	h.mu.Unlock()
	h.run.Agent.bears(u, cost)
}

// bears adds usage that is no turn of this agent's.
func (a *Agent) bears(u provider.Usage, cost *float64) {
	a.mu.Lock()
	a.totals.add(u, cost, false)
	a.mu.Unlock()
	if a.o.Host != nil {
		a.o.Host.bears(u, cost, false)
	}
}

// child is what the record of the call keeps; nil where no agent ran.
func (h *Host) child() *session.Child {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.spent == (session.Child{}) {
		return nil
	}
	c := h.spent
	if c.Usage != nil {
		u := *c.Usage
		c.Usage = &u
	}
	return &c
}

// cost is the price of all a child used, nil where it is not known.
func childCost(c session.Child) *float64 {
	if !c.Priced {
		return nil
	}
	return &c.Cost
}
