package agent

import (
	"forge/agent/session"
	"forge/tools"
)

// hide masks the secrets in what a person wrote, and says so: a key is pasted by
// mistake more often than on purpose, and the model can work with it all the same.
func (r *run) hide(text string) string {
	if r.o.Veil == nil || r.o.SendAsIs {
		return text
	}
	masked, hidden := r.o.Veil.Mask(text)
	if len(hidden) > 0 {
		r.emit(Notice{"hidden from the model: " + tools.HiddenSummary(hidden) + "; it sees " + hidden[0].Placeholder +
			", and the value is put in where a file is written or a command runs (secrets.prompts \"send\" in the settings changes that)"})
	}
	return masked
}

// masked is a text without secrets, for the record.
func (a *Agent) masked(text string) string {
	if a.o.Veil == nil {
		return text
	}
	text, _ = a.o.Veil.Mask(text)
	return text
}

// storedEffect is an effect as the record keeps it: without secrets, and without
// the changes, which are kept once they are written.
func (a *Agent) storedEffect(id string, e tools.Effect) session.Call {
	return session.Call{ID: id, Kind: string(e.Kind), Title: a.masked(e.Title), Paths: e.Paths, Command: a.masked(e.Command), Dir: e.Dir,
		Server: e.Server, Detail: a.masked(e.Detail)}
}

// storedChanges are changes without secrets: their real values are for the eyes of
// the person alone, while they are looked at.
func (a *Agent) storedChanges(cs []tools.Change) []session.Change {
	if a.o.Veil == nil {
		return storedChanges(cs)
	}
	out := make([]tools.Change, len(cs))
	for i, c := range cs {
		if c.Before != nil {
			c.Before = []byte(a.masked(string(c.Before)))
		}
		if c.After != nil {
			c.After = []byte(a.masked(string(c.After)))
		}
		out[i] = c
	}
	return storedChanges(out)
}

// hiddenOf is what was hidden in a stored result.
func hiddenOf(c session.Call) []tools.Hidden {
	if c.Hidden == "" {
		return nil
	}
	return []tools.Hidden{{Kind: c.Hidden, Count: 1}}
}
