package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
)

// leads reports whether a key would stop the run, or close the question, and also leads
// out of a view that was open before the question came and still says so. It is the
// view's then: what was pressed to get back must deny nothing. A part of the question
// that the person opened since, such as a comment, lies nearer.
func (m *Model) leads(s string) bool {
	keys := m.o.Keys
	if !m.dialogs.Asked() || m.dialogs.Within() {
		return false
	}
	if keys.Action(keymap.Ask, s) != keymap.AskStop && keys.Action(keymap.Question, s) != keymap.QuestionClose &&
		keys.Action(keymap.Form, s) != keymap.FormClose && keys.Action(keymap.Inquiry, s) != keymap.InquiryClose {
		return false
	}
	view := m.viewContext()
	return view != "" && keys.Action(view, s) != ""
}

// viewContext is where the keys of what lies over the transcript are pressed, or of the
// transcript being read; empty: neither is.
func (m *Model) viewContext() keymap.Context {
	switch {
	case m.pager != nil && m.pager.line != nil:
		return keymap.Line
	case m.pager != nil:
		return keymap.Pager
	case m.servers.panel != nil:
		return m.servers.panel.Context()
	case m.window != nil:
		return keymap.Window
	case m.reads != nil && m.reads.line != nil:
		return keymap.Line
	case m.reads != nil:
		return keymap.Read
	}
	return ""
}

// viewKey hands a key to that view.
func (m *Model) viewKey(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.pager != nil:
		return m.pagerKey(k)
	case m.servers.panel != nil:
		return m.panelKey(k)
	case m.window != nil:
		return m.windowKey(k)
	}
	cmd, _ := m.readKey(k, k.String())
	return cmd
}
