package agent

import (
	"forge/agent/session"
	"forge/provider"
)

// Rest is a moment in which the model asks for nothing more.
type Rest struct {
	Text  string // its last words
	Calls int    // tool calls it made in this run
}

// goesOn asks, when the model rests and nobody has words for it, whether something stands
// that is not reached yet: then it is told so, and the run goes on.
func (r *run) goesOn(m provider.Message) bool {
	if r.o.Rested == nil {
		return false
	}
	text := r.o.Rested(Rest{Text: m.PlainText(), Calls: r.called})
	if text == "" {
		return false
	}
	note := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: newsMark + clean(r.masked(text))}}}
	r.history.add(session.Record{Message: &note, Steer: true})
	return true
}
