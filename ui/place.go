package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/safe"
)

// Place is where the conversation is at, as far as that changes behind the screen's back.
type Place struct {
	Branch  string // of git; empty: none
	Session string // its ID; empty: it is not kept
	Title   string // empty: it has none yet
}

// placeRead brings it.
type placeRead struct{ place Place }

// wantsPlace reports whether anything shows where the conversation is at.
func (m *Model) wantsPlace() bool {
	a := m.status.arranged()
	return m.o.Place != nil && (a.has("branch") || a.has("title") || a.has("session") || m.script.command != "" || m.panel.on || m.titleWants())
}

// readPlace looks where the conversation is at, off the loop, where somebody wants to
// know.
func (m *Model) readPlace() tea.Cmd {
	if !m.wantsPlace() {
		return nil
	}
	read := m.o.Place
	return m.here(look(func() tea.Msg { return placeRead{read()} }))
}

func (m *Model) placed(msg placeRead) tea.Cmd {
	m.status.place = msg.place
	if msg.place.Title != "" {
		return nil
	}
	for _, p := range m.tr.panes { // what it is called by in the list of conversations
		if mt := matterOf(p); mt.kind == isPrompted {
			m.status.place.Title = safe.Line(firstLine(mt.text))
			break
		}
	}
	return nil
}
