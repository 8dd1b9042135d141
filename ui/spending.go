package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/theme"
)

// Ledger is what the screen can say of the conversation's window and costs, and do to
// the window. Window and Usage only look, and are called off the loop at any time; Act
// is called where nothing else uses the agent.
type Ledger struct {
	Window func() ledger.Window
	Act    func(a ledger.Action) error
	Text   func(id string) (string, error) // of an item, as the model sees it; off the loop
	Usage  func() ledger.Usage
}

type usageRead struct{ usage ledger.Usage }

func (m *Model) cmdUsage(string) tea.Cmd {
	if m.o.Ledger == nil {
		return m.say(lang.T("there is nothing to look into here"))
	}
	read := m.o.Ledger.Usage
	return look(func() tea.Msg { return usageRead{read()} })
}

func (m *Model) usageRead(u ledger.Usage) {
	m.pager = &pager{title: lang.T("What was used up"), draw: func(th *theme.Theme, w int) []string { return u.View(th, w) }}
}

// look does what may be done at any time off the loop, and returns its message.
func look(f func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		var msg tea.Msg
		if err := guard(func() error { msg = f(); return nil }); err != nil {
			return failed{"", err}
		}
		return msg
	}
}
