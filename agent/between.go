package agent

import (
	"context"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// What a face does between runs: change the model or the session, shorten, look.

// SetModel changes what answers from the next run on. The conversation stays
// valid: each wire leaves out what another model's wire alone understands.
func (a *Agent) SetModel(p provider.Provider, m provider.Model, e provider.Effort) {
	a.o.Provider, a.o.Model, a.o.Effort = p, m, e
	if a.o.Compact != nil {
		a.o.Compact.SetModel(p, m)
	}
	a.noteModel()
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
// Calls that were running when it ended are closed, with effects unknown.
func (a *Agent) Resume(s *session.Session, rs []session.Record) {
	a.begin(s, rs, session.Messages(rs))
}

func (a *Agent) begin(s *session.Session, rs []session.Record, ms []provider.Message) {
	a.o.Session = s
	a.left = session.Unfinished(rs)
	a.mail.take()
	a.history.begin(s, rs, ms)
	a.mu.Lock()
	a.totals = storedTotals(rs)
	a.mu.Unlock()
	a.noteModel()
}

// Left is what the conversation's last forge left undone; nothing, once a run has
// begun.
func (a *Agent) Left() session.Left { return a.left }

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
	c := a.o.Compact
	if c == nil { // never by itself, but when asked
		c = compact.New(compact.Options{Provider: a.o.Provider, Model: a.o.Model})
	}
	return a.newRun(sink).shorten(ctx, c, "asked for", focus)
}
