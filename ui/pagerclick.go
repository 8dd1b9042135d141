package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// clickedPager does what stands in the pager where a click was: a key named in its first
// row is pressed, the rest of that row is a way back, and the words that were found lead
// to the next place of them.
func (m *Model) clickedPager(at clickAt) tea.Cmd {
	p := m.pager
	switch {
	case p.line != nil:
		return nil
	case at.y == 0:
		key, _, _ := strings.Cut(hintUnder(p.hinted, at.x-p.hintAt), " ")
		if a := m.o.Keys.Action(keymap.Pager, key); a != "" {
			return m.pagerDoes(a)
		}
		if at.x < p.hintAt { // beside a key is not at it
			m.pager = nil
		}
	case at.y == p.h+pagerHead && !p.query.Empty() && len(p.hits) > 0:
		return m.pagerDoes(keymap.PagerHitNext)
	}
	return nil
}

// hintUnder is the part of a row of hints, "KEY does  KEY does · KEY does", that a cell
// belongs to; empty: none.
func hintUnder(hints string, x int) string {
	at := 0
	for part := range strings.SplitSeq(strings.ReplaceAll(hints, lang.T(" · "), "   "), "  ") {
		lead := len(part) - len(strings.TrimLeft(part, " "))
		if word := part[lead:]; x >= at+lead && x < at+safe.Width(part) {
			return word
		}
		at += safe.Width(part) + 2
	}
	return ""
}
