package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/reader"
	"forge/ui/safe"
)

// choice is what the mouse has chosen: from where the button went down to where it
// is. A choice in the pager has no panes.
type choice struct {
	from, to point
	exact    string // the text of it, where it is known by itself; empty: as the rows show
}

// point is a cell of a pane: its row in the pane, its column on the screen.
type point struct {
	pane     pane
	row, col int
}

// ordered returns the ends of the choice, the upper one first.
func (c *choice) ordered(index func(pane) int) (a, b point) {
	a, b = c.from, c.to
	i, k := index(a.pane), index(b.pane)
	if i > k || i == k && (a.row > b.row || a.row == b.row && a.col > b.col) {
		a, b = b, a
	}
	return a, b
}

// columns are the cells of a row that are chosen; none: to <= from.
func (c *choice) columns(index func(pane) int, p pane, row int) (from, to int) {
	a, b := c.ordered(index)
	at, i, k := index(p), index(a.pane), index(b.pane)
	if at < i || at > k || at == i && row < a.row || at == k && row > b.row {
		return 0, 0
	}
	to = 1 << 20
	if at == i && row == a.row {
		from = a.col
	}
	if at == k && row == b.row {
		to = b.col + 1
	}
	return from, to
}

func (c *choice) paint(t *transcript, p pane, first int, rows []string) {
	for i, r := range rows {
		if from, to := c.columns(t.index, p, first+i); to > from {
			rows[i] = reader.Paint(r, max(gutter, from), min(to, safe.Width(r)), t.d.th.Selection)
		}
	}
}

// point finds the cell under a place of the view.
func (t *transcript) point(x, y int) (point, bool) {
	for i := len(t.shown) - 1; i >= 0; i-- {
		s := t.shown[i]
		if s.to <= s.from {
			continue
		}
		if y >= s.y {
			row := s.from + y - s.y
			if row >= s.to { // below it
				return point{s.pane, s.to - 1, 1 << 20}, true
			}
			return point{s.pane, row, x}, true
		}
	}
	for _, s := range t.shown {
		if s.to > s.from {
			return point{s.pane, s.from, 0}, true
		}
	}
	return point{}, false
}

// text is what was chosen as it was written: whole panes are their source, of others
// the part of the source that the rows show.
func (c *choice) text(t *transcript) string {
	if c.exact != "" {
		return c.exact
	}
	a, b := c.ordered(t.index)
	var out []string
	for i := t.index(a.pane); i >= 0 && i <= t.index(b.pane); i++ {
		p := t.panes[i]
		m, n := matterOf(p), t.tall(p)
		r0, c0, r1, c1 := 0, 0, n-1, 1<<20
		if p == a.pane {
			r0, c0 = a.row, a.col
		}
		if p == b.pane {
			r1, c1 = b.row, b.col+1
		}
		rows := t.cut(p, 0, n)
		if r0 == 0 && r1 == n-1 && c0 <= gutter && n > 0 && c1 >= safe.Width(rows[n-1]) &&
			(m.kind == isPrompted || m.kind == isAnswered) {
			out = append(out, m.text)
			continue
		}
		if s := t.aligned(p, rows).Text(r0, max(0, c0), r1, c1, m.kind != isAnswered && m.kind != isPrompted); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n\n")
}

// aligned is which part of what was written the rows of a pane show.
func (t *transcript) aligned(p pane, rows []string) *reader.Map {
	m := matterOf(p)
	source := m.text
	if plain := m.plain(); plain != "" {
		source, rows = plain, blankNumbers(rows, 2*gutter)
	}
	return reader.Align(source, ungutter(p, rows))
}

// ungutter blanks the glyph that stands before a prompt: it is in no source.
func ungutter(p pane, rows []string) []string {
	if w, ok := p.(*whole); !ok || len(rows) == 0 || w.matter.kind != isPrompted {
		return rows
	}
	out := append([]string(nil), rows...)
	out[0] = reader.Blank(out[0], gutter)
	return out
}

// mouse chooses text with the left button and copies it when the button is let go. One
// that comes up where it went down is a click.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	e := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		m.choosing, m.down, m.grip = false, nil, nil
		clicks := m.tapped(e)
		if e.Button == tea.MouseLeft && m.grasp(e.X, e.Y) {
			return nil
		}
		if m.onPanel(e.X, e.Y) {
			if e.Button != tea.MouseLeft || m.o.NoMouse || m.now.Sub(m.cameBack) < raising {
				return nil
			}
			return m.clickedPanel(e.Y)
		}
		if clicks > 1 && m.chooseUnit(clickAt{e.X, e.Y}, clicks) {
			return nil
		}
		if e.Button == tea.MouseLeft && m.choice() == nil { // else it takes the choice back
			m.down = &clickAt{e.X, e.Y}
		}
		m.unchoose()
		if e.Button != tea.MouseLeft || e.Y >= m.readable() {
			return nil
		}
		if p, ok := m.pointAt(e.X, e.Y); ok {
			m.choosing = true
			m.anchor = p
		}
	case tea.MouseMotionMsg:
		if m.grip != nil {
			m.drag(e.Y)
			return nil
		}
		if m.down != nil && *m.down != (clickAt{e.X, e.Y}) {
			m.down = nil
		}
		if m.taps.writing {
			m.comp.ChooseTo(e.Y-m.laid.comp, e.X)
			return nil
		}
		if !m.choosing {
			return nil
		}
		if last := m.readable() - 1; e.Y <= 0 || e.Y >= last { // the text comes along
			by := 1
			if e.Y <= 0 {
				by = -1
			}
			m.scrollBy(by)
			e.Y = max(0, min(e.Y, last))
		}
		if p, ok := m.pointAt(e.X, e.Y); ok {
			m.choose(m.chosenTo(p))
		}
	case tea.MouseReleaseMsg:
		if m.grip != nil {
			m.grip = nil
			return nil
		}
		if m.taps.writing {
			m.taps.writing = false
			if text := m.comp.Selection(); text != "" { // else a key took it while the button was down
				return m.copy(lang.T("the selection"), text)
			}
			return nil
		}
		down := m.down
		m.down = nil
		if down != nil && *down == (clickAt{e.X, e.Y}) && m.choice() == nil {
			m.choosing = false
			return m.clicked(*down)
		}
		if !m.choosing {
			return nil
		}
		m.choosing = false
		if c := m.choice(); c != nil {
			return m.copy(lang.T("the selection"), m.chosenText(c))
		}
	}
	return nil
}

// readable is how many rows at the top of the screen can be chosen from.
func (m *Model) readable() int {
	if m.pager == nil && (m.servers.panel != nil || m.window != nil) {
		return 0
	}
	if m.pager != nil {
		return m.pager.h + pagerHead
	}
	return m.insideHead() + m.shown().h
}

func (m *Model) pointAt(x, y int) (point, bool) {
	if m.pager == nil {
		return m.shown().point(x, y-m.insideHead())
	}
	row := m.pager.top + y - pagerHead
	if y < pagerHead || row >= len(m.pager.list) {
		return point{}, false
	}
	return point{nil, row, x}, true
}

func (m *Model) scrollBy(by int) {
	if m.pager != nil {
		m.pager.scroll(by)
		return
	}
	t := m.shown()
	t.scroll(by)
	t.view(t.h)
}

func (m *Model) choice() *choice {
	if m.pager != nil {
		return m.pager.chosen
	}
	return m.shown().chosen
}

func (m *Model) choose(c *choice) {
	if m.pager != nil {
		m.pager.chosen = c
		return
	}
	m.shown().chosen = c
}

// unchoose forgets what was chosen; every key does so.
func (m *Model) unchoose() {
	m.shown().chosen = nil
	if m.pager != nil {
		m.pager.chosen = nil
	}
}

func (m *Model) chosenText(c *choice) string {
	if m.pager == nil {
		return c.text(m.shown())
	}
	if c.exact != "" {
		return c.exact
	}
	a, b := c.ordered(func(pane) int { return 0 })
	return m.pager.aligned().Text(a.row, a.col+m.pager.left, b.row, b.col+m.pager.left+1, true)
}

// aligned is which part of what is copied the rows show.
func (p *pager) aligned() *reader.Map {
	rows := p.list
	if p.plain != "" {
		rows = blankNumbers(rows, 0)
	}
	return reader.Align(p.copied(), rows)
}
