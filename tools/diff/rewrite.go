package diff

import (
	"bytes"
	"slices"
	"strings"
)

// After gives the lines of a hunk as they are after the change, those around it
// included: what a person edits.
func (h Hunk) After() []byte { return h.lines(Delete) }

// Before gives the lines of a hunk as they were.
func (h Hunk) Before() []byte { return h.lines(Insert) }

func (h Hunk) lines(but Op) []byte {
	var out []byte
	for _, l := range h.Lines {
		if l.Op != but {
			out = append(out, l.Text...)
		}
	}
	return out
}

// Rewrite is h, a hunk of Hunks(before, …), with text in place of After. ok is false
// if nothing would be changed any more. Hunks behind it are numbered as they were:
// Renumber mends that.
func (h Hunk) Rewrite(before, text []byte) (new Hunk, ok bool) {
	a := split(string(before))
	old, was := first(h.OldStart, h.OldCount), first(h.NewStart, h.NewCount)
	from := 0
	for _, l := range a[:old] {
		from += len(l)
	}
	a = a[old : old+h.OldCount]
	b := split(string(text))
	ds := lines(a, b)
	if len(ds) == 0 {
		return h, false
	}
	new = Hunk{OldStart: h.OldStart, OldCount: h.OldCount, NewCount: len(b)}
	new.NewStart = start(was, len(b))
	new.at.Start, new.at.End = old+ds[0].Start, old+ds[len(ds)-1].End
	new.at.ReplStart, new.at.ReplEnd = was+ds[0].ReplStart, was+ds[len(ds)-1].ReplEnd
	i, j := 0, 0
	same := func(to int) {
		for ; i < to; i, j = i+1, j+1 {
			new.Lines = append(new.Lines, Line{Equal, old + i + 1, was + j + 1, a[i]})
			from += len(a[i])
		}
	}
	for _, d := range ds {
		same(d.Start)
		e := edit{start: from, end: from, text: join(b[d.ReplStart:d.ReplEnd])}
		for ; i < d.End; i++ {
			new.Lines = append(new.Lines, Line{Delete, old + i + 1, 0, a[i]})
			from += len(a[i])
		}
		for ; j < d.ReplEnd; j++ {
			new.Lines = append(new.Lines, Line{Insert, 0, was + j + 1, b[j]})
		}
		e.end = from
		new.edits = append(new.edits, e)
	}
	same(len(a))
	return new, true
}

// first is the line before a hunk's first one, in lines from 0; start goes back.
func first(start, count int) int {
	if count == 0 {
		return start
	}
	return start - 1
}

func start(first, count int) int {
	if count == 0 {
		return first
	}
	return first + 1
}

// Renumber numbers the lines after the change anew, for hunks of one text, in order,
// some of which were rewritten. Lines are copied where their numbers change.
func Renumber(hunks []Hunk) []Hunk {
	out := slices.Clone(hunks)
	grown := 0
	for i := range out {
		h := &out[i]
		at := first(h.OldStart, h.OldCount) + grown
		by := at - first(h.NewStart, h.NewCount)
		grown += h.NewCount - h.OldCount
		if by == 0 {
			continue
		}
		h.NewStart = start(at, h.NewCount)
		h.at.ReplStart, h.at.ReplEnd = h.at.ReplStart+by, h.at.ReplEnd+by
		h.Lines = slices.Clone(h.Lines)
		for k := range h.Lines {
			if h.Lines[k].New > 0 {
				h.Lines[k].New += by
			}
		}
	}
	return out
}

// LikeBefore gives what an editor left the line ends, the mark at the start and the
// end of the last line that the text had when it was handed over: an editor that
// ends every line in LF, or ends the last one, was not told to. A line that stayed
// keeps its own end, so that a mixed file stays as mixed as it was; a new one ends
// like the line before it. CRs that the editor did keep are kept.
func LikeBefore(was, now []byte) []byte {
	const bom = "\ufeff"
	marked := bytes.HasPrefix(was, []byte(bom))
	was, now = bytes.TrimPrefix(was, []byte(bom)), bytes.TrimPrefix(now, []byte(bom))
	a, b := split(string(was)), split(string(now))
	bareA, bareB := bare(a), bare(b)
	origin := make([]int, len(b)) // the line it was, -1: a new one
	i, j := 0, 0
	for _, d := range lines(bareA, bareB) {
		for ; i < d.Start; i, j = i+1, j+1 {
			origin[j] = i
		}
		for ; j < d.ReplEnd; j++ {
			origin[j] = -1
		}
		i = d.End
	}
	for ; j < len(b); i, j = i+1, j+1 {
		origin[j] = i
	}
	usual := "\n"
	if n := bytes.Count(was, []byte("\r\n")); 2*n > bytes.Count(was, []byte("\n")) {
		usual = "\r\n"
	}
	end := usual
	var out []byte
	if marked && len(b) > 0 {
		out = append(out, bom...)
	}
	for k, l := range b {
		text := bareB[k]
		if o := origin[k]; o >= 0 && strings.HasSuffix(a[o], "\n") {
			end = a[o][len(bareA[o]):]
		} else if k == 0 && o < 0 && len(a) > 0 && strings.HasSuffix(a[0], "\n") {
			end = a[0][len(bareA[0]):]
		}
		out = append(out, text...)
		switch {
		case k == len(b)-1 && len(a) > 0 && !strings.HasSuffix(a[len(a)-1], "\n"): // the last line had no end
		case strings.HasSuffix(l, "\r\n"):
			out = append(out, "\r\n"...)
		default:
			out = append(out, end...)
		}
	}
	return out
}

// bare takes the line ends off.
func bare(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimSuffix(strings.TrimSuffix(l, "\n"), "\r")
	}
	return out
}
