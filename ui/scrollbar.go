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
	for y := max(0, at); y < min(h, at+size); y++ {
		if n := safe.Width(rows[y]); n < w {
			rows[y] += safe.Blanks(w-1-n) + m.th.Faint.Apply(m.th.Glyphs.Thumb)
		}
	}
	return rows
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
	begin := float64(t.settle().pane)
	a, b := t.shown[first], t.shown[last]
	from = (begin + float64(first) + share(a, a.from)) / n
	to = (begin + float64(last) + share(b, b.to)) / n
	return from, min(1, to)
}
