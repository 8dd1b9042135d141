package ui

import "sort"

// In the view with one row of work (brief.go) a turn may have thousands of panes without a
// row, side by side. A frame walks over those near the window; so that this costs the same
// however many they are, stretches of them that were walked over are remembered.

// rowless is panes from (included) to (excluded) to that have no rows.
type rowless struct{ from, to int }

// refold forgets the stretches: a pane that had no rows may have some now, or stands at
// another place.
func (t *transcript) refold() { t.rowless = t.rowless[:0] }

// inRowless is the remembered stretch that a pane is in; an empty one: it is in none.
func (t *transcript) inRowless(i int) rowless {
	all := t.rowless
	if n := sort.Search(len(all), func(n int) bool { return all[n].to > i }); n < len(all) && all[n].from <= i {
		return all[n]
	}
	return rowless{i, i}
}

// noteRowless remembers that these panes have no rows, as one with those it touches.
func (t *transcript) noteRowless(s rowless) {
	all := t.rowless
	first := sort.Search(len(all), func(n int) bool { return all[n].to >= s.from })
	behind := first
	for behind < len(all) && all[behind].from <= s.to {
		s.from, s.to = min(s.from, all[behind].from), max(s.to, all[behind].to)
		behind++
	}
	if behind == first {
		all = append(all, rowless{})
		copy(all[first+1:], all[first:])
	} else {
		all = append(all[:first+1], all[behind:]...)
	}
	all[first] = s
	t.rowless = all
}

// shownBefore is the last pane before one that the row of its work does not stand for; -1:
// there is none.
func (t *transcript) shownBefore(i int) int {
	if !t.briefly() {
		return i - 1
	}
	at, walked := i-1, 0
	for at >= 0 {
		if s := t.inRowless(at); s.from < s.to {
			at = s.from - 1
			continue
		}
		if !t.folded(t.panes[at]) {
			break
		}
		at--
		walked++
	}
	if walked > 0 {
		t.noteRowless(rowless{at + 1, i})
	}
	return at
}

// shownFrom is the first such pane from one on; their number: there is none.
func (t *transcript) shownFrom(i int) int {
	if !t.briefly() {
		return i
	}
	at, walked := i, 0
	for at < len(t.panes) {
		if s := t.inRowless(at); s.from < s.to {
			at = s.to
			continue
		}
		if !t.folded(t.panes[at]) {
			break
		}
		at++
		walked++
	}
	if walked > 0 {
		t.noteRowless(rowless{i, at})
	}
	return at
}
