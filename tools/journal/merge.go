package journal

import (
	"bytes"
	"slices"

	"forge/sorting"
	"forge/tools/diff"
)

// mergeBack joins the person's version of base with what base was before. It takes
// what diff.Merge takes, and one thing more: lines put in beside changed ones, with
// nothing between. There is only one way to read that, and it is what happens when
// somebody writes on at the end of what an agent changed. places counts the
// conflicts; then there is no text.
func mergeBack(base, ours, theirs []byte) (merged []byte, places int) {
	merged, conflicts := diff.Merge(base, ours, theirs)
	if len(conflicts) == 0 {
		return merged, 0
	}
	if merged, ok := beside(base, ours, theirs); ok {
		return merged, 0
	}
	return nil, len(conflicts)
}

// A patch replaces lines start to end (excluded) of a text, from 0.
type patch struct {
	start, end int
	lines      []string
}

// patches are the changes between two texts, each without the lines around it.
func patches(before, after []byte) []patch {
	var out []patch
	for _, h := range diff.Hunks(before, after) {
		at := h.OldStart - 1
		if h.OldCount == 0 {
			at = h.OldStart
		}
		open := false
		for _, l := range h.Lines {
			if l.Op == diff.Equal {
				at, open = at+1, false
				continue
			}
			if !open {
				out, open = append(out, patch{start: at, end: at}), true
			}
			p := &out[len(out)-1]
			if l.Op == diff.Delete {
				at++
				p.end = at
			} else {
				p.lines = append(p.lines, l.Text)
			}
		}
	}
	return out
}

// beside joins two versions whose changes share no line: they may touch if one of
// them only puts lines in.
func beside(base, ours, theirs []byte) ([]byte, bool) {
	mine, other := patches(base, ours), patches(base, theirs)
	for _, a := range mine {
		for _, b := range other {
			apart := a.end < b.start || b.end < a.start
			touch := (a.end == b.start || b.end == a.start) && (a.start == a.end) != (b.start == b.end)
			if !apart && !touch {
				return nil, false
			}
		}
	}
	all := append(mine, other...)
	sorting.StableBy(all, func(a, b patch) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end // what is put in before a line comes before what replaces it
	})
	lines := slices.Collect(bytes.Lines(base))
	var out []byte
	at := 0
	for _, p := range all {
		for ; at < p.start; at++ {
			out = append(out, lines[at]...)
		}
		for _, l := range p.lines {
			if n := len(out); n > 0 && out[n-1] != '\n' {
				return nil, false // behind a last line without an end
			}
			out = append(out, l...)
		}
		at = max(at, p.end)
	}
	for ; at < len(lines); at++ {
		if n := len(out); n > 0 && out[n-1] != '\n' {
			return nil, false
		}
		out = append(out, lines[at]...)
	}
	return out, true
}
