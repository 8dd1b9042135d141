package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
)

// typedAhead is what was typed or pasted behind /login, before the field for the key was
// there: a key that stood in the prompt would be on the screen, in the draft on disk and,
// with an Enter behind it, at the model.
type typedAhead struct {
	on   bool // the field is being waited for
	msgs []tea.Msg
}

// keepAhead keeps a key press or a paste for the field that is to come. A question that
// takes keys meanwhile has its own, and what interrupts gives up what was typed.
func (m *Model) keepAhead(msg tea.Msg) bool {
	if !m.ahead.on || m.dialogs.Armed() {
		return false
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if a := m.o.Keys.Action(keymap.Screen, msg.String()); a == keymap.Leave || a == keymap.Interrupt {
			m.ahead.msgs = nil
			return false
		}
	case tea.PasteMsg:
	default:
		return false
	}
	m.ahead.msgs = append(m.ahead.msgs, msg)
	return true
}

// openAhead opens what was waited for, and hands it what was typed. Where it is not what
// is shown, since there is no such provider or a question came first, what was typed is
// left out: it may be a key.
func (m *Model) openAhead(open func() tea.Cmd) tea.Cmd {
	msgs := m.ahead.msgs
	m.ahead = typedAhead{}
	before := m.dialogs.Waiting()
	cmd := open()
	if before > 0 || m.dialogs.Waiting() == 0 {
		return cmd
	}
	for _, msg := range msgs {
		cmd = tea.Batch(cmd, m.update(msg))
	}
	return cmd
}
