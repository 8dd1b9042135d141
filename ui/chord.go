package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
)

// chord takes a key that is one of two, where something other than the screen takes the
// keys: a question, or what lies over the transcript. There the second one would answer:
// ctrl+x y copies the last answer, and y alone allows a call. So behind the first of two
// no key is one of the question's or the view's. What both mean is done where a question
// stands, as any key of the screen is that the question does not want; over a view nothing
// of the screen is. handled is false for a key that belongs to no two.
func (m *Model) chord(s string) (cmd tea.Cmd, handled bool) {
	aside := m.pager != nil && m.pager.aside
	view := m.pager != nil || m.servers.panel != nil || m.window != nil
	if !view && !m.dialogs.Active() {
		return nil, false
	}
	keys := m.o.Keys
	if first := m.prefix; first != "" {
		m.prefix = ""
		if keys.Action(keymap.Screen, s) == keymap.Leave {
			return nil, false
		}
		if !view && (m.dialogs.Asked() || !m.dialogs.Armed()) {
			if a := keys.Action(keymap.Screen, first+" "+s); a != "" {
				cmd, _ = m.do(a)
			}
		}
		return cmd, true
	}
	if !keys.Begins(s) {
		return nil, false
	}
	switch {
	case m.dialogs.Armed() && !aside:
		handled = m.dialogs.Unused(s)
	case view:
		handled = m.viewContext() != keymap.Line && keys.Action(m.viewContext(), s) == ""
	}
	if handled {
		m.prefix = s
	}
	return nil, handled
}
