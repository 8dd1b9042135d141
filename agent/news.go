package agent

import (
	"strings"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// newsMark opens what the model is told and nobody typed.
const newsMark = compact.NewsMark

// news tells the model what has changed around it. It comes as a message of the user's,
// since every server takes one there, and says that it is none. It goes behind the
// conversation: what the server has cached stays.
func (r *run) news() {
	if r.o.News == nil || r.paused {
		return
	}
	if texts := r.o.News(); len(texts) > 0 {
		m := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: newsMark + clean(r.masked(strings.Join(texts, "\n\n")))}}}
		r.history.add(session.Record{Message: &m, Steer: true})
	}
}

// isNews says whether a record is such a note.
func isNews(r session.Record) bool {
	return r.Steer && r.Message != nil && strings.HasPrefix(r.Message.PlainText(), newsMark)
}
