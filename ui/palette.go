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
	if m.o.FromFiles != nil { // with those there are now
		return m.readFiled((*Model).showPalette)
	}
	return m.showPalette()
}

func (m *Model) showPalette() tea.Cmd {
	table := m.table
	entries := make([]dialog.Entry, len(table))
	for i, c := range table {
		args, about := c.said()
		entries[i] = dialog.Entry{Label: "/" + c.name, Detail: about, Search: strings.Join(c.meant(), " ")}
		if args != "" {
			entries[i].Label += " " + args
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
