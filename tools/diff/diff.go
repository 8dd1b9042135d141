// Package diff finds the lines in which two texts differ.
//
// It owns hunks: what one is, how it is shown as text, and how some of them are
// applied without the others. Texts are bytes; line ends and a missing last one
// are part of a line and survive. It is pure: the tools call it to tell what they
// changed, the screen to show it, away from its own goroutine.
package diff

import (
	"bytes"
	"strings"

	"forge/sorting"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Context is how many unchanged lines a hunk shows before and after a change;
// changes closer than twice that share a hunk. The habit of diff -u and git.
const Context = 3

// Op is what happened to a line.
type Op byte

// The operations, as they are drawn.
const (
	Equal  Op = ' '
	Delete Op = '-'
	Insert Op = '+'
)

// Line is one line of a hunk. Text has its line end, if it has one. Old and New
// are its numbers before and after, from 1; 0 where it does not exist.
type Line struct {
	Op       Op
	Old, New int
	Text     string
}

// Hunk is a group of neighbouring changes with the lines around them. Starts are
// line numbers from 1, as a unified diff has them: where a count is 0, the number
// of the line before.
type Hunk struct {
	OldStart, OldCount int
	NewStart, NewCount int
	Lines              []Line
	edits              []edit
	at                 lcs.Diff // from its first change to its last, in lines
}

// edit replaces bytes of the text before.
type edit struct {
	start, end int
	text       string
}

// Hunks returns the changes that turn before into after, in order. Equal texts
// have none.
func Hunks(before, after []byte) []Hunk {
	a, b := split(string(before)), split(string(after))
	offsets := make([]int, len(a)+1)
	for i, line := range a {
		offsets[i+1] = offsets[i] + len(line)
	}
	var hunks []Hunk
	diffs := lines(a, b)
	for i := 0; i < len(diffs); {
		j := i + 1
		for j < len(diffs) && diffs[j].Start-diffs[j-1].End <= 2*Context {
			j++
		}
		h := group(a, b, diffs[i:j])
		for _, d := range diffs[i:j] {
			h.edits = append(h.edits, edit{offsets[d.Start], offsets[d.End], strings.Join(b[d.ReplStart:d.ReplEnd], "")})
		}
		hunks = append(hunks, h)
		i = j
	}
	return hunks
}

// group draws neighbouring changes with their context.
func group(a, b []string, ds []lcs.Diff) Hunk {
	first, last := ds[0], ds[len(ds)-1]
	h := Hunk{at: lcs.Diff{Start: first.Start, End: last.End, ReplStart: first.ReplStart, ReplEnd: last.ReplEnd}}
	i, j := first.Start, first.ReplStart
	lead := min(Context, i)
	i, j = i-lead, j-lead
	h.OldStart, h.NewStart = i+1, j+1
	same := func(to int) {
		for ; i < to; i, j = i+1, j+1 {
			h.Lines = append(h.Lines, Line{Equal, i + 1, j + 1, a[i]})
		}
	}
	for _, d := range ds {
		same(d.Start)
		for ; i < d.End; i++ {
			h.Lines = append(h.Lines, Line{Delete, i + 1, 0, a[i]})
		}
		for ; j < d.ReplEnd; j++ {
			h.Lines = append(h.Lines, Line{Insert, 0, j + 1, b[j]})
		}
	}
	same(min(last.End+Context, len(a)))
	h.OldCount, h.NewCount = i+1-h.OldStart, j+1-h.NewStart
	if h.OldCount == 0 {
		h.OldStart--
	}
	if h.NewCount == 0 {
		h.NewStart--
	}
	return h
}

// Apply makes the changes of some hunks of Hunks(before, …), in any order, and
// leaves the rest of before as it is.
func Apply(before []byte, hunks []Hunk) []byte {
	var edits []edit
	for _, h := range hunks {
		edits = append(edits, h.edits...)
	}
	sorting.By(edits, func(a, b edit) int { return a.start - b.start })
	out := make([]byte, 0, len(before))
	at := 0
	for _, e := range edits {
		out = append(out, before[at:e.start]...)
		out = append(out, e.text...)
		at = e.end
	}
	return append(out, before[at:]...)
}

// Stats counts the lines that hunks add and remove.
func Stats(hunks []Hunk) (added, removed int) {
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case Insert:
				added++
			case Delete:
				removed++
			}
		}
	}
	return added, removed
}

// Kept tells which of hunks, the changes from before to some proposal, were made
// in result. ok is false if result is not before with some of them applied: then
// somebody wrote a text of their own.
func Kept(before []byte, hunks []Hunk, result []byte) (kept []bool, ok bool) {
	kept = make([]bool, len(hunks))
	dead := map[[2]int]bool{}
	var try func(n, at, pos int) bool
	try = func(n, at, pos int) bool { // before[at:] and result[pos:] are left, and hunks[n:]
		if n == len(hunks) {
			return bytes.Equal(before[at:], result[pos:])
		}
		state := [2]int{n, pos}
		if dead[state] {
			return false
		}
		h := hunks[n]
		start, end := h.edits[0].start, h.edits[len(h.edits)-1].end
		if gap := before[at:start]; bytes.HasPrefix(result[pos:], gap) {
			pos := pos + len(gap)
			for _, keep := range []bool{true, false} {
				text := string(before[start:end])
				if keep {
					text = h.replacement(before)
				}
				if pos+len(text) <= len(result) && string(result[pos:pos+len(text)]) == text && try(n+1, end, pos+len(text)) {
					kept[n] = keep
					return true
				}
			}
		}
		dead[state] = true
		return false
	}
	ok = try(0, 0, 0)
	return kept, ok
}

// replacement is what stands after h where before has the bytes from its first
// edit to its last.
func (h Hunk) replacement(before []byte) string {
	var b strings.Builder
	at := h.edits[0].start
	for _, e := range h.edits {
		b.Write(before[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	return b.String()
}

// split cuts a text after each line end; the last line may have none.
func split(s string) []string {
	lines := make([]string, 0, strings.Count(s, "\n")+1)
	for len(s) > 0 {
		i := strings.IndexByte(s, '\n') + 1
		if i == 0 {
			i = len(s)
		}
		lines = append(lines, s[:i])
		s = s[i:]
	}
	return lines
}
