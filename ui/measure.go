package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/theme"
)

// measuring draws a sign of ambiguous width at the beginning of a row, asks where the
// cursor is then, and wipes the row.
const measuring = "\r●\x1b[6n\r\x1b[K"

// answering is how long the terminal has to say it.
const answering = time.Second

// unmeasured says that the time for it is over.
type unmeasured struct{}

// measure asks a terminal whether it draws signs of ambiguous width in two cells, where
// the locale leaves that open: an East Asian one says that it may, most terminals do not.
func (m *Model) measure() tea.Cmd {
	if m.o.Glyphs != "" && m.o.Glyphs != "auto" || m.glyphs.Name != "narrow" {
		return nil
	}
	m.measured = false
	return tea.Batch(tea.Raw(measuring), tea.Tick(answering, func(time.Time) tea.Msg { return unmeasured{} }))
}

// tookMeasure takes the answer. The row that was wiped is drawn anew, whatever it was.
func (m *Model) tookMeasure(msg tea.Msg) (tea.Cmd, bool) {
	at, answered := msg.(tea.CursorPositionMsg)
	if _, over := msg.(unmeasured); !over && !answered {
		return nil, false
	}
	if m.measured {
		return nil, true
	}
	m.measured = true
	if answered && at.X == 1 {
		m.glyphs = theme.Unicode()
		lang.Plainly(false)
		m.speak()
	}
	return tea.ClearScreen, true
}
