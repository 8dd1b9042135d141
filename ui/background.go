package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/lang"
)

// sentAway brings how many commands were sent to the background.
type sentAway struct{ n int }

// background sends what the run waits for to the background. A command is shown as
// running a moment before there is a process: it is waited for then, as long as the
// command is shown.
func (m *Model) background() tea.Cmd {
	if m.detaching != nil { // it is on its way
		return nil
	}
	ctx, cancel := m.context()
	m.detaching = cancel
	send := m.o.Background
	return func() tea.Msg { return sentAway{send(ctx)} }
}

// sentAway tells what became of it.
func (m *Model) sentAway(msg sentAway) tea.Cmd {
	m.leaveCommands()
	if msg.n == 0 {
		return m.say(lang.T("no command is waited for now"))
	}
	return m.say(lang.T("sent to the background: it goes on, and the model is told"))
}

// leaveCommands ends the waiting for a command that could be sent to the background.
func (m *Model) leaveCommands() {
	if m.detaching != nil {
		m.detaching()
		m.detaching = nil
	}
}

// commanding reports whether the run waits for a command.
func (m *Model) commanding() bool {
	if m.o.Background == nil {
		return false
	}
	for _, c := range m.talk.calls {
		if c.state == callRunning && c.effect.Kind == tools.Exec {
			return true
		}
	}
	return false
}
