package agent

import (
	"context"
	"maps"
	"slices"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// What a face does between runs: change the model or the session, shorten, look.

// SetModel changes what answers from the next model call on. The conversation stays
// valid: each wire leaves out what another model's wire alone understands.
func (a *Agent) SetModel(p provider.Provider, m provider.Model, e provider.Effort) {
	a.o.Provider, a.o.Model, a.o.Effort = p, m, e
	if a.o.Compact != nil {
		a.o.Compact.SetModel(p, m)
	}
	a.noteModel()
	a.look(nil)
}

// Instruct has requests begin with another system prompt from the next one on; files are
// the instructions in it. A server has nothing of such requests in its cache.
func (a *Agent) Instruct(system string, files []MemoryFile) {
	a.o.System, a.o.Memory = system, files
	a.lookAgain()
}

func (a *Agent) noteModel() {
	a.history.answers(session.Model{Provider: a.o.Model.Provider, ID: a.o.Model.ID, Effort: string(a.o.Effort)})
}

// SetSession goes on in session s (nil: nothing is kept) with this history, which
// may be empty: /new. Totals start anew.
func (a *Agent) SetSession(s *session.Session, history []provider.Message) {
	var rs []session.Record
	for i := range history {
		rs = append(rs, session.Record{Message: &history[i]})
	}
	a.begin(s, rs, session.Close(history, session.Interrupted))
}

// Resume goes on in a stored session; rs is what session.Open returned beside s.
// Calls that were running when it ended are closed, with effects unknown; those that
// were another agent's work with what that one had done.
func (a *Agent) Resume(s *session.Session, rs []session.Record) {
	rs = append(slices.Clip(rs), orphans(s, rs)...)
	a.begin(s, rs, session.Messages(rs))
}

func (a *Agent) begin(s *session.Session, rs []session.Record, ms []provider.Message) {
	a.o.Session = s
	a.leaves(session.Unfinished(rs))
	a.mail.take()
	a.pace, a.cache, a.pins, a.edited = pace{}, cache{}, session.Pins(rs), session.Edited(rs)
	a.history.begin(s, rs, ms)
	a.mu.Lock()
	a.totals, a.besides = storedTotals(rs), storedBesides(rs)
	t := a.totals
	a.mu.Unlock()
	a.beginBudget(rs, t)
	a.noteModel()
	a.look(nil)
}

// Left is what the conversation's last forge left undone; nothing, once a run has
// begun.
func (a *Agent) Left() session.Left {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.left
}

func (a *Agent) leaves(l session.Left) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = l
}

// Session returns where the conversation is kept, nil if nowhere.
func (a *Agent) Session() *session.Session { return a.o.Session }

// Model returns what answers now.
func (a *Agent) Model() (provider.Model, provider.Effort) { return a.o.Model, a.o.Effort }

// Provider returns where it answers from, nil if nowhere yet.
func (a *Agent) Provider() provider.Provider { return a.o.Provider }

// History returns the conversation as the model sees it. It is not to be changed.
func (a *Agent) History() []provider.Message { return a.history.view() }

// Compact shortens the conversation now. focus, where not empty, is what the
// person wants remembered.
func (a *Agent) Compact(ctx context.Context, focus string, sink Sink) error {
	r := a.newRun(sink)
	defer r.work()()
	if err := r.mayBeShortened(ctx, false); err != nil {
		return err
	}
	err := r.shorten(ctx, a.compactor(), AskedFor, compact.Request{Focus: focus})
	if err == nil {
		a.pace.above, a.pace.made = 0, nil
	}
	return err
}

// compactor works also where a conversation is never shortened by itself.
func (a *Agent) compactor() *compact.Compactor {
	if a.o.Compact != nil {
		return a.o.Compact
	}
	return compact.New(compact.Options{Provider: a.o.Provider, Model: a.o.Model})
}

// Uncompact takes the last compaction back: the model sees again what it saw
// before, and what was said since. The conversation is then not shortened by itself
// until it has grown by a tenth of its limit, or the server refuses it.
func (a *Agent) Uncompact(ctx context.Context, sink Sink) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, c := a.newRun(sink), a.compactor()
	c.Overhead = r.overhead()
	before, after, err := a.history.undo(func() int { return c.Estimate(a.history.view()) })
	if err != nil {
		return err
	}
	a.cache.changed("a compaction was taken back")
	a.pace = pace{turns: a.pace.turns, above: after + c.Limit()/10}
	r.emit(Uncompacted{Before: before, After: after})
	return nil
}

// Items lists what the model's window holds of the conversation, with the tokens of
// each, and how many a request has beside it: system prompt and tools.
func (a *Agent) Items() (items []compact.Item, overhead int) {
	c := a.compactor()
	c.Overhead = a.overhead()
	return c.Items(a.history.view()), c.Overhead
}

// SetPins names the items that survive every compaction word for word, by ID.
func (a *Agent) SetPins(ids map[string]bool) {
	a.pins = maps.Clone(ids)
	a.lookAgain()
}
