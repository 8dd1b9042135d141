package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/markdown"
	"forge/ui/safe"
	"forge/ui/theme"
)

// readAll shows the whole conversation that is read as it was written, its end first.
func (m *Model) readAll() tea.Cmd {
	text := m.shown().source()
	if text == "" {
		return m.say(lang.T("there is nothing to read yet"))
	}
	m.pager = &pager{title: lang.T("the conversation"), text: text, file: "conversation.md", top: len(text),
		draw: func(th *theme.Theme, w int) (rows []string) {
			for l := range strings.Lines(text) {
				for _, part := range safe.Wrap(safe.Output(strings.TrimSuffix(l, "\n")), max(1, w)) {
					rows = append(rows, th.Text.Apply(part))
				}
			}
			return rows
		}}
	return nil
}

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
