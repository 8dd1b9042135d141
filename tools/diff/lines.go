package diff

import (
	"slices"
	"sort"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// lines returns the differences of two lists of lines.
//
// The differ underneath is fast because it gives up after a hundred differences
// and calls the rest one change, which would make one hunk of a name replaced all
// over a file. So lines that occur once on each side are matched first, as
// patience diff does, and it sees only what lies between them.
func lines(a, b []string) []lcs.Diff {
	var out []lcs.Diff
	x, y := 0, 0
	for _, p := range append(anchors(a, b), [2]int{len(a), len(b)}) {
		out = between(out, a, b, x, p[0], y, p[1])
		x, y = p[0]+1, p[1]+1
	}
	return out
}

// between appends the differences of a[x:x2] and b[y:y2].
func between(out []lcs.Diff, a, b []string, x, x2, y, y2 int) []lcs.Diff {
	for x < x2 && y < y2 && a[x] == b[y] {
		x, y = x+1, y+1
	}
	for x < x2 && y < y2 && a[x2-1] == b[y2-1] {
		x2, y2 = x2-1, y2-1
	}
	switch {
	case x == x2 && y == y2:
	case x == x2, y == y2, x+1 == x2 && y+1 == y2:
		out = add(out, lcs.Diff{Start: x, End: x2, ReplStart: y, ReplEnd: y2})
	default:
		for _, d := range lcs.DiffLines(a[x:x2], b[y:y2]) {
			out = add(out, lcs.Diff{Start: x + d.Start, End: x + d.End, ReplStart: y + d.ReplStart, ReplEnd: y + d.ReplEnd})
		}
	}
	return out
}

// add joins a difference to the one it touches.
func add(out []lcs.Diff, d lcs.Diff) []lcs.Diff {
	if n := len(out); n > 0 && out[n-1].End == d.Start && out[n-1].ReplEnd == d.ReplStart {
		out[n-1].End, out[n-1].ReplEnd = d.End, d.ReplEnd
		return out
	}
	return append(out, d)
}

// anchors pairs lines that occur exactly once in a and in b, the longest row of
// such pairs whose order is the same on both sides.
func anchors(a, b []string) [][2]int {
	type place struct{ inA, inB int } // index+1; -1: more than once
	seen := make(map[string]place, len(a))
	for i, l := range a {
		p := seen[l]
		if p.inA != 0 {
			p.inA = -1
		} else {
			p.inA = i + 1
		}
		seen[l] = p
	}
	for j, l := range b {
		p, ok := seen[l]
		if !ok {
			continue
		}
		if p.inB != 0 {
			p.inB = -1
		} else {
			p.inB = j + 1
		}
		seen[l] = p
	}
	var pairs [][2]int
	for i, l := range a {
		if p := seen[l]; p.inA == i+1 && p.inB > 0 {
			pairs = append(pairs, [2]int{i, p.inB - 1})
		}
	}
	return increasing(pairs)
}

// increasing picks the longest part of pairs, sorted by the first number, in which
// the second rises too: piles of cards, each remembering the top of the pile
// before it.
func increasing(pairs [][2]int) [][2]int {
	var tops []int // index of the pair on top of each pile
	back := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(tops), func(k int) bool { return pairs[tops[k]][1] > p[1] })
		back[i] = -1
		if n > 0 {
			back[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([][2]int, 0, len(tops))
	for i := tops[len(tops)-1]; i >= 0; i = back[i] {
		out = append(out, pairs[i])
	}
	slices.Reverse(out)
	return out
}
