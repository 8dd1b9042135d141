package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"forge/ui/reader"
	"forge/ui/safe"
)

// The window's view of what is read: the pane with the focus, what is found in the
// panes, and what is chosen of them. None of it changes a pane.

// decorate paints what is found and chosen over rows of a pane that begin with its
// row from, and marks the pane with the focus: with a bar, since colours alone tell
// some eyes nothing.
func (t *transcript) decorate(p pane, from int, rows []string) {
	if !t.query.Empty() {
		for i, r := range rows {
			rows[i] = reader.Highlight(r, t.query, t.d.th.Match, t.hitIn(p, from+i), t.d.th.Selection)
		}
	}
	if t.chosen != nil {
		t.chosen.paint(t, p, from, rows)
	}
	if t.focus != p {
		return
	}
	mark := t.d.th.Accent.Apply(t.d.th.Glyphs.Bar)
	for i, r := range rows {
		if t.d.w < 2*gutter {
			break
		}
		if safe.Width(r) < gutter {
			r += safe.Blanks(gutter)
		}
		rows[i] = safe.Truncate(r, 1, "") + mark + safe.Skip(r, gutter)
	}
}

// index is where a pane stands; -1: nowhere.
func (t *transcript) index(p pane) int { return slices.Index(t.panes, p) }

// step gives the focus to the next pane in a direction for which want holds, from
// the one that has it, else from the window's end or top, and shows it.
func (t *transcript) step(by int, want func(matter) bool) bool {
	i := t.index(t.focus)
	if i < 0 {
		i = len(t.panes)
		if by > 0 {
			i = t.settle().pane - 1
		} else if !t.follow && len(t.shown) > 0 {
			i = t.index(t.shown[len(t.shown)-1].pane) + 1
		}
	}
	for i += by; i >= 0 && i < len(t.panes); i += by {
		if m := matterOf(t.panes[i]); m.kind != other && want(m) && t.tall(t.panes[i]) > 0 {
			t.focus = t.panes[i]
			t.reveal(i, 0, t.tall(t.focus)-1)
			return true
		}
	}
	return false
}

// stepUp gives the focus to the thing before. Of one that is higher than the window its
// end is shown, where the reader comes from, and not the begin far above.
func (t *transcript) stepUp() {
	top := t.settle()
	if !t.step(-1, anyMatter) || t.tall(t.focus) <= t.h {
		return
	}
	t.follow, t.top, t.was = false, top, place{}
	last := t.tall(t.focus) - 1
	t.reveal(t.index(t.focus), last, last)
}

// reveal moves the window as little as it takes to show the rows from first to last
// of pane i; of more than fit, the first.
func (t *transcript) reveal(i, first, last int) {
	gap := t.gap(i)
	want, end := spot{i, gap + first}, spot{i, gap + last + 1}
	if first == 0 {
		want.row = 0
	}
	top := t.settle()
	if before(want, top) {
		t.follow, t.top, t.was = false, want, place{}
		t.settle()
		return
	}
	bottom, n := t.forth(top, t.h)
	if n < t.h || !before(bottom, end) {
		return
	}
	to, _ := t.back(end, t.h)
	if before(want, to) {
		to = want
	}
	t.follow, t.top, t.was = false, to, place{}
	t.settle()
}

// before reports whether a stands above b.
func before(a, b spot) bool { return a.pane < b.pane || a.pane == b.pane && a.row < b.row }

// beyond reports whether the pane with the focus goes on below the window (by > 0),
// or above it.
func (t *transcript) beyond(by int) bool {
	for _, s := range t.shown {
		if s.pane == t.focus {
			return by > 0 && s.to < t.tall(s.pane) || by < 0 && s.from > 0
		}
	}
	return false
}

// flip folds a pane otherwise than it is. Where nothing of it is folded the window stays.
func (t *transcript) flip(p pane) {
	was := t.tall(p)
	if t.flipped == nil {
		t.flipped = map[pane]bool{}
	}
	if w := t.leads(p); w != nil {
		w.open = !w.open
		t.refold()
	} else if t.flipped[p] {
		delete(t.flipped, p)
	} else {
		t.flipped[p] = true
	}
	if i := t.index(p); i >= 0 && t.tall(p) != was {
		t.reveal(i, 0, t.tall(p)-1)
	}
}

// flipping is flip, and returns what takes it back, the window included.
func (t *transcript) flipping(p pane) (undo func()) {
	follow, top, was, moved := t.follow, t.top, t.was, t.moved
	t.flip(p)
	return func() {
		t.flip(p)
		t.follow, t.top, t.was, t.moved = follow, top, was, moved
	}
}

// show puts the nth place of the words in pane i into view and gives it the focus.
// What is folded away there is unfolded.
func (t *transcript) showHit(i, nth int) {
	p := t.panes[i]
	t.focus = p
	row, _, ok := t.rowOf(p, nth)
	if !ok {
		t.flip(p)
		if again, _, found := t.rowOf(p, nth); found {
			row = again
		} else {
			t.flip(p) // it stands nowhere: a mark inside, a piece that no row shows
		}
	}
	t.at = hit{pane: p, nth: nth}
	t.reveal(i, row, min(row+2, t.tall(p)-1))
}

// rowOf is the row of a pane that shows the nth place of the words, and which one of
// the row's it is. Words that are wrapped stand in no row: then the row before the next
// one is near enough.
func (t *transcript) rowOf(p pane, nth int) (row, within int, ok bool) {
	seen := 0
	for r, text := range t.cut(p, 0, t.tall(p)) {
		n := len(t.query.Find(ansi.Strip(text)))
		if n > 0 {
			row = r
		}
		if seen+n > nth {
			return r, nth - seen, true
		}
		seen += n
	}
	return row, 0, false
}

// hit is the place of the words that is looked at: the nth of a pane. Where that is on
// the screen is kept until the pane is drawn in other rows.
type hit struct {
	pane          pane
	nth           int
	row, within   int
	width, height int
}

// hitIn is which place of the words in a row of a pane is the one looked at; -1: none.
func (t *transcript) hitIn(p pane, row int) int {
	if t.at.pane != p {
		return -1
	}
	if w, h := t.d.w, t.tall(p); t.at.width != w || t.at.height != h {
		t.at.width, t.at.height = w, h
		ok := false
		if t.at.row, t.at.within, ok = t.rowOf(p, t.at.nth); !ok {
			t.at.within = -1
		}
	}
	if t.at.row != row {
		return -1
	}
	return t.at.within
}

// source is the text of all panes, as a document of its own.
func (t *transcript) source() string { return sourceOf(t.panes) }

func sourceOf(panes []pane) string {
	var out []string
	for _, p := range panes {
		m := matterOf(p)
		switch {
		case m.text == "" || m.kind == isNoted:
		case m.kind == isAnswered:
			out = append(out, m.text)
		case m.kind == isPrompted:
			out = append(out, "> "+strings.ReplaceAll(m.text, "\n", "\n> "))
		default:
			fence := "```"
			for strings.Contains(m.text, fence) {
				fence += "`"
			}
			out = append(out, m.title+"\n\n"+fence+"\n"+m.text+"\n"+fence)
		}
	}
	return strings.Join(out, "\n\n")
}
