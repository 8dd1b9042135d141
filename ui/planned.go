package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/tools/permission"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// planMade offers, when a run has answered in plan mode, to carry its plan out. It is
// an offer in a line, not a question in the way: what the model answered may be no
// plan, and what comes next is most often a word about it.
func (m *Model) planMade() {
	if m.status.mode != permission.ModePlan || m.o.SetMode == nil {
		return
	}
	m.left.plan = true
	m.tr.add(newNotice(m.o.Keys.Named(lang.T("plan mode: alt+c carries the plan out, or say what to change"), keymap.Continue)))
}

// acceptPlan asks how freely the plan is to be carried out, and begins.
func (m *Model) acceptPlan() tea.Cmd {
	ways := []struct {
		mode         permission.Mode
		label, about string
	}{
		{permission.ModeEdits, lang.T("carry it out"), lang.T("edits inside the workspace run, the rest asks")},
		{permission.ModeAsk, lang.T("carry it out, asking for each edit"), lang.T("writes, commands and what is unknown ask")},
	}
	entries := make([]dialog.Entry, 0, len(ways)+1)
	for _, w := range ways {
		entries = append(entries, dialog.Entry{Label: w.label, Detail: w.about})
	}
	entries = append(entries, dialog.Entry{Label: lang.T("go on planning"), Detail: lang.T("nothing changes: what would is refused")})
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("The plan"), entries, func(i int) tea.Cmd {
		if i >= len(ways) {
			return nil
		}
		cmd := m.setMode(ways[i].mode)
		if m.status.mode == permission.ModePlan { // a policy holds it: that was said
			return cmd
		}
		m.left.plan = false
		return tea.Batch(cmd, m.submit(lang.T("Carry out the plan.")))
	}))
}
