package ui

import "forge/ui/safe"

// The words of "screen.scrollbar": only while the window stands above the end, which is
// what is usual; whenever there is more than it shows; not at all.
const (
	barScrolled = "scrolled"
	barAlways   = "always"
	barNever    = "never"
)

// withBar puts the thumb of a scrollbar at the right edge of a transcript's rows, which
// are w cells wide: how much of the conversation the window shows, and where. Nothing is
// covered: a row that needs its last cell has it. The place is that among the panes, so
// that it costs the same in a long conversation.
func (m *Model) withBar(t *transcript, rows []string, w int) []string {
	m.thumb = span{}
	if m.flat() || m.o.Scrollbar == barNever || m.o.Scrollbar != barAlways && t.follow || w < 20 || len(rows) < 4 {
		return rows
	}
	from, to := t.extent()
	if from <= 0 && to >= 1 {
		return rows
	}
	h := len(rows)
	size := max(1, int((to-from)*float64(h)))
	at := min(int(from*float64(h)), h-size)
	if t.follow {
		at = h - size
	}
	m.thumb = span{max(0, at), min(h, at+size)}
	for y := m.thumb.from; y < m.thumb.to; y++ {
		if n := safe.Width(rows[y]); n < w {
			rows[y] += safe.Blanks(w-1-n) + m.th.Faint.Apply(m.th.Glyphs.Thumb)
		}
	}
	return rows
}

// span is some rows of the screen.
type span struct{ from, to int }

// grip is the scrollbar while the mouse holds it: how far below the begin of the thumb.
type grip struct{ below int }

// grasp takes hold of the scrollbar where the button went down at it: of the thumb where
// it is, which goes there first from anywhere else at the edge.
func (m *Model) grasp(x, y int) bool {
	if m.thumb.to <= m.thumb.from || x != m.talkWidth()-1 || y >= m.tr.h || m.pager != nil || m.inside != nil || m.readable() == 0 {
		return false
	}
	m.grip = &grip{below: (m.thumb.to - m.thumb.from) / 2}
	if y >= m.thumb.from && y < m.thumb.to {
		m.grip.below = y - m.thumb.from
		return true
	}
	m.drag(y)
	return true
}

// drag moves the window of the conversation with the mouse.
func (m *Model) drag(y int) {
	m.tr.goTo(float64(y-m.grip.below) / float64(max(1, m.tr.h)))
}

// goTo shows what stands at a share of the conversation, as extent counts it.
func (t *transcript) goTo(share float64) {
	n := len(t.panes)
	at := max(0, share) * float64(n)
	pane := min(int(at), n-1)
	if pane < 0 {
		return
	}
	row := min(1, at-float64(pane)) * float64(t.height(pane))
	t.follow, t.top, t.was = false, spot{pane, int(row)}, place{}
	t.settle()
}

// extent is which part of the conversation the last view showed, as shares of it.
func (t *transcript) extent() (from, to float64) {
	first, last := -1, -1
	for i, s := range t.shown {
		if s.to > s.from {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 || len(t.panes) == 0 {
		return 0, 1
	}
	n := float64(len(t.panes))
	share := func(s part, row int) float64 {
		if tall := t.tall(s.pane); tall > 0 {
			return float64(row) / float64(tall)
		}
		return 0
	}
	a, b := t.shown[first], t.shown[last]
	from = (float64(a.at) + share(a, a.from)) / n
	end := b.at
	if b.to >= t.tall(b.pane) { // those behind it have no rows to show
		end = t.shownFrom(end+1) - 1
	}
	to = (float64(end) + share(b, b.to)) / n
	return from, min(1, to)
}
