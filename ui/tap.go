package ui

import (
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"forge/ui/composer"
	"forge/ui/reader"
)

// tapping is how long after a click another one at the same place goes on from it: a word
// by two, a line by three.
const tapping = 500 * time.Millisecond

// taps are clicks that came one right behind the other at one place, and what the last of
// them chose.
type taps struct {
	at   clickAt
	when time.Time
	n    int
	undo func() // takes back the folding that the first of them did; nil: it did none

	unit    *composer.Unit       // what dragging goes by; nil: by letters
	first   stretch              // what was chosen when the button went down
	aligned map[pane]*reader.Map // as it was then
	writing bool                 // it is in the prompt
}

// stretch is a word or a line in a pane: its first and its last cell.
type stretch struct {
	a, b point
	m    *reader.Map
	// from and to are its bytes of what was written; none: from is -1, and text is what the
	// row shows.
	from, to int
	text     string
}

// tapped counts a button that went down, from 1 on to 3.
func (m *Model) tapped(e tea.Mouse) int {
	was, at := m.taps, clickAt{e.X, e.Y}
	m.taps = taps{at: at, when: m.now, n: 1}
	if e.Button != tea.MouseLeft {
		m.taps = taps{}
		return 0
	}
	if was.n > 0 && was.n < 3 && was.at == at && m.now.Sub(was.when) < tapping && !m.o.NoMouse && !m.flat() {
		m.taps.n, m.taps.undo = was.n+1, was.undo
	}
	return m.taps.n
}

// chooseUnit chooses the word under a second click, the line under a third one; false:
// there is none, and it is a click as the first one was.
func (m *Model) chooseUnit(at clickAt, clicks int) bool {
	u := composer.Word
	if clicks == 3 {
		u = composer.Line
	}
	if row := at.y - m.laid.comp; row >= 0 && row < m.laid.compRows && m.writes() {
		m.unchoose()
		m.taps.writing = m.comp.Choose(row, at.x, u)
		return m.taps.writing
	}
	if at.y >= m.readable() {
		return false
	}
	if undo := m.taps.undo; undo != nil {
		m.taps.undo = nil
		undo()
		m.shown().view(m.shown().h)
	}
	p, ok := m.pointAt(at.x, at.y)
	if !ok || m.pager == nil && !m.shown().standsAt(at.y-m.insideHead()) {
		return false
	}
	s, ok := m.spanAt(p, u)
	if !ok {
		return false
	}
	m.taps.unit, m.taps.first, m.choosing, m.anchor = &u, s, true, p
	m.choose(m.chosenTo(p))
	return true
}

// standsAt reports whether a row of the view is one of a pane, and not between two.
func (t *transcript) standsAt(y int) bool {
	for _, s := range t.shown {
		if y >= s.y && y < s.y+s.to-s.from {
			return true
		}
	}
	return false
}

// writes reports whether the prompt is what a click there would go to.
func (m *Model) writes() bool {
	return !m.dialogs.Active() && m.pager == nil && m.servers.panel == nil && m.window == nil && !m.covered() && m.inside == nil
}

// chosenTo is what is chosen when the mouse is at a place: from where the button went
// down, or from the word there to the word here.
func (m *Model) chosenTo(p point) *choice {
	first := m.taps.first
	if m.taps.unit == nil {
		return &choice{from: m.anchor, to: p}
	}
	here, ok := m.spanAt(p, *m.taps.unit)
	if !ok {
		here = m.nearest(p)
	}
	if here.a.pane == first.a.pane && here.from >= 0 && first.from >= 0 {
		return first.over(min(here.from, first.from), max(here.to, first.to), m.sideways())
	}
	a, b := first.a, first.b
	if m.before(here.a, a) {
		a = here.a
	}
	if m.before(b, here.b) {
		b = here.b
	}
	c := &choice{from: a, to: b}
	if here.a == first.a && here.b == first.b {
		c.exact = first.text
	}
	return c
}

// over is the choice of some bytes of what a stretch is of.
func (s stretch) over(from, to, left int) *choice {
	r0, c0, r1, c1 := s.m.Cells(from, to)
	return &choice{from: point{s.a.pane, r0, c0 - left}, to: point{s.a.pane, r1, c1 - 1 - left}, exact: s.m.Source(from, to)}
}

func (m *Model) before(a, b point) bool {
	if m.pager == nil && a.pane != b.pane {
		return m.shown().index(a.pane) < m.shown().index(b.pane)
	}
	return a.row < b.row || a.row == b.row && a.col < b.col
}

// sideways is how far the rows are moved to the left.
func (m *Model) sideways() int {
	if m.pager != nil {
		return m.pager.left
	}
	return 0
}

// source is the map of a pane's rows, made once for all that the mouse passes while the
// button is down.
func (m *Model) source(p pane) *reader.Map {
	if had := m.taps.aligned[p]; had != nil {
		return had
	}
	if m.taps.aligned == nil {
		m.taps.aligned = map[pane]*reader.Map{}
	}
	var made *reader.Map
	if m.pager != nil {
		made = m.pager.aligned()
	} else {
		t := m.shown()
		made = t.aligned(p, t.cut(p, 0, t.tall(p)))
	}
	m.taps.aligned[p] = made
	return made
}

// spanAt finds the word or the line under a place: in what was written, or where the row
// is not of it, as it looks.
func (m *Model) spanAt(p point, u composer.Unit) (stretch, bool) {
	src, left := m.source(p.pane), m.sideways()
	at, on := src.At(p.row, p.col+left)
	if on || u == composer.Line && src.Shows(p.row) {
		from, to := composer.Around(src.Source(0, -1), at, u)
		if from == to {
			return stretch{}, false
		}
		r0, c0, r1, c1 := src.Cells(from, to)
		return stretch{a: point{p.pane, r0, c0 - left}, b: point{p.pane, r1, c1 - 1 - left}, m: src, from: from, to: to}, true
	}
	text, c0, c1 := composer.AroundCell(src.Row(p.row), p.col+left, u)
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return stretch{}, false
	}
	return stretch{a: point{p.pane, p.row, c0 - left}, b: point{p.pane, p.row, c1 - 1 - left}, from: -1, text: text}, true
}

// nearest is the place itself: there is no word in it.
func (m *Model) nearest(p point) stretch {
	at, _ := m.source(p.pane).At(p.row, p.col+m.sideways())
	return stretch{a: p, b: p, from: at, to: at}
}
