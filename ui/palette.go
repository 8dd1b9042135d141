package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/lang"
)

// palette lists every command with what it does. One that has nothing to ask by
// itself is written into the prompt, for its argument; the others run.
func (m *Model) palette() tea.Cmd {
	table := m.table
	entries := make([]dialog.Entry, len(table))
	for i, c := range table {
		entries[i] = dialog.Entry{Label: "/" + c.name, Detail: lang.T(c.about), Search: strings.Join(c.aliases, " ")}
		if c.args != "" {
			entries[i].Label += " " + lang.T(c.args)
		}
	}
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("Commands"), entries, func(i int) tea.Cmd {
		name := table[i].name
		if table[i].fill {
			return tea.Batch(m.comp.Complete("/"+name+" "), m.draftChanged())
		}
		return m.runCommand("/"+name, name, "")
	}))
}
