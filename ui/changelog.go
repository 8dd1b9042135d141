package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/theme"
)

// cmdChangelog shows what is new in this build.
func (m *Model) cmdChangelog(string) tea.Cmd {
	text := m.o.Changelog
	if text == "" {
		return m.say(lang.T("this build brings no changelog"))
	}
	page := newAnswer()
	page.add(text)
	page.finish()
	m.pager = &pager{title: lang.T("What is new"), text: text, file: "CHANGELOG.md", draw: func(th *theme.Theme, w int) []string {
		return indent(page.all(&drawing{th: th, w: w, expanded: true}), gutter)
	}}
	return nil
}

// changelog says it in lines.
func (l *lines) changelog(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
	say(l.now().Changelog)
	return nil, nil
}
