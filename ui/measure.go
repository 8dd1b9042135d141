package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/display"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// measure finds out whether the terminal draws characters of ambiguous width in two
// cells. The setting for the symbols says it where it is one or the other; else the
// terminal is asked, with the first frame. Until it answers, and where it does not, the
// symbols are those that are safe in the locale, and a character counts as one cell.
func (m *Model) measure() tea.Cmd {
	switch {
	case m.o.Glyphs == "unicode":
		return nil
	case m.o.Glyphs == "narrow":
		safe.UseWide(true)
		return display.DrawWide(true)
	case m.glyphs.Name == "ascii" && m.o.Glyphs != "ascii": // of a terminal without such characters
		return nil
	}
	return display.Measure
}

// tookMeasure takes the answer: forge's own symbols are those of one cell, and what
// models and people write is laid out as wide as it is drawn.
func (m *Model) tookMeasure(msg tea.Msg) (tea.Cmd, bool) {
	a, ok := msg.(display.Ambiguous)
	if !ok {
		return nil, false
	}
	wide := a.Cells == 2
	m.answers.Ambiguous = max(0, a.Cells)
	if a.Cells != 1 && !wide {
		return nil, true
	}
	glyphs := m.glyphs
	switch {
	case m.o.Glyphs == "ascii":
	case wide:
		glyphs = theme.Narrow()
	default:
		glyphs = theme.Unicode()
	}
	if glyphs.Name == m.glyphs.Name && wide == safe.Wide() {
		return nil, true
	}
	m.glyphs = glyphs
	lang.Plainly(glyphs.Name != "unicode")
	safe.UseWide(wide)
	m.speak()
	return display.DrawWide(wide), true
}
