package agent

import (
	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// Note tells the model, with its next request, of something that was done outside
// of the conversation: files were taken back, say. shown is what a face shows of it
// when the conversation is told again. It is called like Run, between runs.
func (a *Agent) Note(text, shown string) {
	m := provider.UserText(compact.NoteMark + " " + clean(text))
	a.history.add(session.Record{Message: &m, Note: &session.Note{Text: clean(shown)}})
}
