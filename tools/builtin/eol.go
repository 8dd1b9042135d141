package builtin

import (
	"strings"
	"unicode/utf8"
)

// eolOf is the line end most lines of s have. A file of lone CRs (old Macs) has
// those; with any LF in it a lone CR is part of a line.
func eolOf(s string) string {
	lf := strings.Count(s, "\n")
	crlf := strings.Count(s, "\r\n")
	switch {
	case lf == 0 && strings.Contains(s, "\r"):
		return "\r"
	case crlf*2 > lf:
		return "\r\n"
	}
	return "\n"
}

// flat is text with every line end as LF, as a model sees it, and the way back.
type flat struct {
	orig string
	s    string
	cuts []int // offsets in s of the LFs that have a CR before them in orig
	eol  string
}

func flatten(orig string) flat {
	f := flat{orig: orig, s: orig, eol: eolOf(orig)}
	switch {
	case f.eol == "\r":
		f.s = strings.ReplaceAll(orig, "\r", "\n")
	case strings.Contains(orig, "\r\n"):
		var b strings.Builder
		b.Grow(len(orig))
		rest := orig
		for {
			i := strings.Index(rest, "\r\n")
			if i < 0 {
				break
			}
			b.WriteString(rest[:i])
			f.cuts = append(f.cuts, b.Len())
			b.WriteByte('\n')
			rest = rest[i+2:]
		}
		b.WriteString(rest)
		f.s = b.String()
	}
	return f
}

// at is the offset in orig of offset i in s. Before an LF that has a CR it is
// before the CR.
func (f flat) at(i int) int {
	lo, hi := 0, len(f.cuts) // how many CRs were left out before i
	for lo < hi {
		if mid := (lo + hi) / 2; f.cuts[mid] < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return i + lo
}

// replace puts text, which has LFs, in place of s[from:to]: the bytes of orig that
// change, and what stands there then. What text and the old bytes share at the
// start and the end is left alone, so that a mixed file stays as mixed as it was;
// new lines end as those they replace, or as the line they stand in.
func (f flat) replace(from, to int, text string) (start, end int, with string) {
	old := f.s[from:to]
	n := 0
	for n < len(old) && n < len(text) && old[n] == text[n] {
		n++
	}
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) { // never half a rune
		n--
	}
	from, old, text = from+n, old[n:], text[n:]
	n = 0
	for n < len(old) && n < len(text) && old[len(old)-1-n] == text[len(text)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(text[len(text)-n]) {
		n--
	}
	to, text = to-n, text[:len(text)-n]
	start, end = f.at(from), f.at(to)
	return start, end, f.withEnds(from, to, text)
}

// withEnds gives the LFs of text the line ends of the part of the file it
// replaces.
func (f flat) withEnds(from, to int, text string) string {
	if f.eol == "\r" {
		return strings.ReplaceAll(text, "\n", "\r")
	}
	var ends []string
	for i := from; i < to; i++ {
		if f.s[i] == '\n' {
			ends = append(ends, f.endAt(i))
		}
	}
	spare := f.nearEnd(from, to)
	if len(ends) > 0 {
		spare = ends[len(ends)-1]
	}
	var b strings.Builder
	for i := 0; ; i++ {
		line, rest, more := strings.Cut(text, "\n")
		b.WriteString(line)
		if !more {
			return b.String()
		}
		if i < len(ends) {
			b.WriteString(ends[i])
		} else {
			b.WriteString(spare)
		}
		text = rest
	}
}

// endAt is the line end whose LF stands at s[i].
func (f flat) endAt(i int) string {
	if j := f.at(i); f.orig[j] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// nearEnd is the end of the line that s[from:to] stands in, else of the one
// before, else what most lines have.
func (f flat) nearEnd(from, to int) string {
	if i := strings.IndexByte(f.s[to:], '\n'); i >= 0 {
		return f.endAt(to + i)
	}
	if i := strings.LastIndexByte(f.s[:from], '\n'); i >= 0 {
		return f.endAt(i)
	}
	return f.eol
}
