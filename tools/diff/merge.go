package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Conflict is a place that two versions of a text changed in different ways.
// Lines Start to End (excluded) of the text before, from 1, became Ours in one and
// Theirs in the other; where Start is End, both put something before that line.
// The texts are whole lines with their ends.
type Conflict struct {
	Start, End         int
	Base, Ours, Theirs string
}

// Merge joins two versions of base, line by line: what only one of them changed is
// taken from it, what both changed alike is taken once. Changes that touch, with
// no unchanged line between them, are a conflict unless they are the same, as for
// git merge-file. With any conflict merged is nil: half a merge is nothing to
// write. Line ends and a missing last one are part of their line.
func Merge(base, ours, theirs []byte) (merged []byte, conflicts []Conflict) {
	merged, conflicts = merge(base, ours, theirs)
	if len(conflicts) > 0 {
		return nil, conflicts
	}
	return merged, nil
}

// Marked is Merge with both versions of a conflict written between the marks of
// git, for a person to settle; conflicts is how many there are.
func Marked(base, ours, theirs []byte) (marked []byte, conflicts int) {
	marked, list := merge(base, ours, theirs)
	return marked, len(list)
}

func merge(base, ours, theirs []byte) (merged []byte, conflicts []Conflict) {
	b, o, t := split(string(base)), split(string(ours)), split(string(theirs))
	mine, other := side{lines: o, diffs: lines(b, o)}, side{lines: t, diffs: lines(b, t)}
	merged = make([]byte, 0, max(len(ours), len(theirs)))
	at := 0
	put := func(lines []string) {
		for _, l := range lines {
			merged = append(merged, l...)
		}
	}
	for {
		start, end, ok := mine.group(&other)
		if !ok {
			break
		}
		put(b[at:start])
		at = end
		was := join(b[start:end])
		x, y := mine.text(b, start, end), other.text(b, start, end)
		switch {
		case x == y, y == was:
			merged = append(merged, x...)
		case x == was:
			merged = append(merged, y...)
		default:
			c := Conflict{Start: start + 1, End: end + 1, Base: was, Ours: x, Theirs: y}
			conflicts = append(conflicts, c)
			merged = append(merged, c.marked()...)
		}
	}
	put(b[at:])
	return merged, conflicts
}

// side is one version, its changes gone through in order.
type side struct {
	lines []string
	diffs []lcs.Diff
	next  int // the first change of no group yet
	from  int // the first change of the group
}

// group finds the next lines of base that either side changes, together with all
// that touches them. ok is false when there are no more.
func (s *side) group(o *side) (start, end int, ok bool) {
	both := [2]*side{s, o}
	for _, x := range both {
		x.from = x.next
		if x.next < len(x.diffs) && (!ok || x.diffs[x.next].Start < start) {
			start, ok = x.diffs[x.next].Start, true
		}
	}
	end = start
	for grown := ok; grown; {
		grown = false
		for _, x := range both {
			for x.next < len(x.diffs) && x.diffs[x.next].Start <= end {
				end = max(end, x.diffs[x.next].End)
				x.next++
				grown = true
			}
		}
	}
	return start, end, ok
}

// text is what the side has in place of lines start to end of base, the group
// found last.
func (s *side) text(base []string, start, end int) string {
	var b strings.Builder
	at := start
	put := func(lines []string) {
		for _, l := range lines {
			b.WriteString(l)
		}
	}
	for _, d := range s.diffs[s.from:s.next] {
		put(base[at:d.Start])
		put(s.lines[d.ReplStart:d.ReplEnd])
		at = d.End
	}
	put(base[at:end])
	return b.String()
}

func join(lines []string) string { return strings.Join(lines, "") }
