package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
)

// todoView is what the person said of the todo list.
type todoView int

const (
	todosAsNeeded todoView = iota // nothing: it stands there while a run works on it
	todosShown
	todosHidden
)

// todoRoom is the height from which on the list shows itself.
const todoRoom = 20

// showsTodos reports whether the list stands above the prompt of a screen h rows high.
func (m *Model) showsTodos(h int) bool {
	switch m.todoView {
	case todosShown:
		return true
	case todosHidden:
		return false
	}
	if !m.busy() || m.panelShown() || h < todoRoom || m.dialogs.Active() { // a question needs the rows more; the panel has it anyway
		return false
	}
	return m.todosOpen()
}

// todosOpen reports whether something of the list is still to be done.
func (m *Model) todosOpen() bool {
	return slices.ContainsFunc(m.todos, func(t Todo) bool { return t.State != "done" })
}

// closeTodos puts the list away that somebody opened, once a run has done all of it.
func (m *Model) closeTodos() {
	if m.todoView == todosShown && len(m.todos) > 0 && !m.todosOpen() {
		m.todoView = todosAsNeeded
	}
}

func (m *Model) toggleTodos() tea.Cmd {
	if m.showsTodos(m.h) {
		m.todoView = todosHidden
	} else {
		m.todoView = todosShown
	}
	return m.loadTodos()
}

// todoPanel is the list, or the part of it around what is being done, in a screen h
// rows high.
func (m *Model) todoPanel(w, h int) []string {
	if len(m.todos) == 0 {
		return []string{"  " + m.th.Faint.Apply(lang.T("no todo list yet"))}
	}
	n := todoRows
	if m.todoView == todosAsNeeded { // nobody asked for it: it is brief
		n = min(n, h/6)
	}
	done, from := 0, 0
	for i, t := range m.todos {
		if t.State == "done" {
			done++
		}
		if t.State == "in_progress" && i >= n {
			from = i - n/2
		}
	}
	from = max(0, min(from, len(m.todos)-n))
	var rows []string
	for _, t := range m.todos[from:min(from+n, len(m.todos))] {
		rows = append(rows, "  "+m.todoRow(t, w-2))
	}
	if len(m.todos) > len(rows) {
		rows = append(rows, "    "+m.th.Faint.Apply(lang.T("%d of %d done", done, len(m.todos))))
	}
	return append(rows, "")
}

// todoRow is one of them, and how it stands.
func (m *Model) todoRow(t Todo, w int) string {
	glyph, mark, text := m.th.Glyphs.Ring, m.th.Muted, m.th.Text
	switch t.State {
	case "done":
		glyph, mark, text = m.th.Glyphs.Ok, m.th.Ok, m.th.Muted
	case "in_progress":
		glyph, mark, text = m.th.Glyphs.Dot, m.th.Accent, m.th.Strong
	}
	return mark.Apply(glyph) + " " + text.Apply(clip(t.Text, w-2, m.th))
}
