package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/theme"
)

// Ledger is what the screen can say of the conversation's window and costs, and do to
// the window. Each function is called between runs, off the loop.
type Ledger struct {
	Window func() ledger.Window
	Act    func(a ledger.Action) error
	Usage  func() ledger.Usage
}

type (
	windowRead struct {
		win  ledger.Window
		open bool
		act  ledger.Action // what was done before; Nothing: it was only looked at
		undo bool
		err  error
	}
	usageRead struct{ usage ledger.Usage }
)

func (m *Model) cmdContext(string) tea.Cmd {
	if m.o.Ledger == nil {
		return m.say(lang.T("there is nothing to look into here"))
	}
	return m.readWindow(ledger.Action{}, false)
}

// readWindow does something to the window, if that is asked for, and reads it.
func (m *Model) readWindow(a ledger.Action, undo bool) tea.Cmd {
	o, open := m.o.Ledger, m.window == nil
	return m.between(func() tea.Msg {
		msg := windowRead{open: open, act: a, undo: undo}
		if a.Want != ledger.Nothing {
			msg.err = o.Act(a)
		}
		msg.win = o.Window()
		return msg
	})
}

func (m *Model) cmdUsage(string) tea.Cmd {
	if m.o.Ledger == nil {
		return m.say(lang.T("there is nothing to look into here"))
	}
	read := m.o.Ledger.Usage
	return m.between(func() tea.Msg { return usageRead{read()} })
}

// looked takes the messages of both panels.
func (m *Model) looked(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case windowRead:
		p := m.window
		switch {
		case p == nil && msg.open:
			m.window = ledger.NewContext(msg.win)
			m.window.Keys = m.o.Keys
			return nil, true
		case p == nil: // it was closed meanwhile
			return nil, true
		}
		p.Set(msg.win)
		m.status.used = msg.win.Tokens
		switch {
		case msg.err != nil:
			p.Say(oneLine(msg.err))
		case msg.undo:
			p.Undone()
		case msg.act.Want != ledger.Nothing:
			p.Did(msg.act)
		}
	case usageRead:
		m.pager = &pager{title: lang.T("What was used up"), draw: func(th *theme.Theme, w int) []string { return msg.usage.View(th, w) }}
	default:
		return nil, false
	}
	return nil, true
}

// windowKey takes every key while the panel of the window is open.
func (m *Model) windowKey(k tea.KeyPressMsg) tea.Cmd {
	switch m.o.Keys.Action(keymap.Window, k.String()) {
	case keymap.WindowRedraw:
		return tea.ClearScreen
	case keymap.WindowSuspend:
		return tea.Suspend
	}
	a, undo := m.window.Key(k.String())
	switch {
	case a.Want == ledger.Close:
		m.window = nil
		return nil
	case a.Want == ledger.Nothing:
		return nil
	case m.busy():
		m.window.Say(lang.T("wait for the end of the run"))
		return nil
	}
	return m.readWindow(a, undo)
}
