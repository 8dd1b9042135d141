package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// raising is how long after the window got the focus a click is only what gave it that.
const raising = 300 * time.Millisecond

// clickAt is a place on the screen.
type clickAt struct{ x, y int }

// laid is where the parts beneath the transcript stood in the last frame: the row of the
// screen they begin in, and how many rows they have.
type laid struct {
	over, overRows int // the dialog or the menu
	comp, compRows int // the prompt
}

// clicked does what a click means there: it moves the caret, takes a row of a list, or
// gives a thing that was said the focus, and folds the one that has it.
func (m *Model) clicked(at clickAt) tea.Cmd {
	if m.o.NoMouse || m.flat() || m.now.Sub(m.cameBack) < raising {
		return nil
	}
	l := m.laid
	over, comp := at.y-l.over, at.y-l.comp
	if m.dialogs.Active() {
		if over >= 0 && over < l.overRows {
			return tea.Batch(m.dialogs.Click(at.x, over), m.draftChanged())
		}
		return nil
	}
	switch {
	case m.pager != nil:
		return m.clickedPager(at)
	case m.servers.panel != nil:
		m.servers.panel.Click(at.y)
		return nil
	case m.window != nil:
		return m.windowDoes(m.window.Click(at.y))
	case m.covered():
		return nil
	case over >= 0 && over < l.overRows:
		return m.composed(m.comp.MenuPoint(over))
	case comp >= 0 && comp < l.compRows:
		if m.inside != nil { // what is written goes on when that is left
			return nil
		}
		m.unread()
		return m.composed(m.comp.Point(comp, at.x))
	case at.y < m.readable():
		m.clickedPane(at.y - m.insideHead())
	}
	return nil
}

func (m *Model) clickedPane(y int) {
	t := m.shown()
	if m.reads != nil && m.reads.line != nil {
		return
	}
	for _, s := range t.shown {
		if y < s.y || y >= s.y+s.to-s.from || matterOf(s.pane).kind == other {
			continue
		}
		if t.focus == s.pane {
			m.taps.undo = t.flipping(s.pane)
			return
		}
		if m.reads == nil {
			m.reads = &reading{}
		}
		t.focus = s.pane
		return
	}
}
