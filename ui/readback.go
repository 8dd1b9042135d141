package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/markdown"
	"forge/ui/theme"
)

// readBack shows what was said since the last prompt over a question that has the rows
// of it, its end first. The question waits meanwhile, and gets no key.
func (m *Model) readBack() tea.Cmd {
	from := 0
	for i, p := range m.tr.panes {
		if isPrompt(matterOf(p)) {
			from = i
		}
	}
	text := sourceOf(m.tr.panes[from:])
	if text == "" {
		return m.say(lang.T("there is nothing to read yet"))
	}
	m.pager = &pager{title: lang.T("said before the question"), text: text, file: "conversation.md", top: len(text), aside: true,
		draw: func(th *theme.Theme, w int) []string { return markdown.Render(th, min(w, markdown.Measure), text) }}
	return nil
}
