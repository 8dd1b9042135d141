package safe

import (
	"strings"
	"unicode/utf8"
)

// Run is a piece of a line in one look: Open, Text and Close are written in
// that order. Text holds no escape sequence and no line feed.
type Run struct{ Text, Open, Close string }

// Wrap breaks s into rows of at most w cells: at blanks and hyphens, between
// wide characters, and inside a word only if it is longer than a row. Tabs are
// expanded; indentation of a line stays on its first row. The result has at
// least one row. s must hold no escape sequences.
func Wrap(s string, w int) []string {
	var rows []string
	for line := range strings.SplitSeq(s, "\n") {
		line = ExpandTabs(line, 0)
		if len(line) <= w && printable(line) {
			rows = append(rows, line)
			continue
		}
		for _, c := range cuts(line, w, w, true) {
			rows = append(rows, fitCell(line[c.from:c.to], w))
		}
	}
	return rows
}

// Chop breaks one line into rows of at most w cells wherever a row is full. It
// is for code, where every blank counts. s must hold no escape sequences.
func Chop(s string, w int) []string {
	s = ExpandTabs(s, 0)
	if len(s) <= w && printable(s) {
		return []string{s}
	}
	var rows []string
	for _, c := range cuts(s, w, w, false) {
		rows = append(rows, fitCell(s[c.from:c.to], w))
	}
	return rows
}

// WrapRuns breaks a line of several looks into rows, like Wrap, and keeps the
// runs of each row apart, so that the last one can be continued. first is the
// width of the first row and rest that of the others.
func WrapRuns(runs []Run, first, rest int) [][]Run { return breakRuns(runs, first, rest, true) }

// ChopRuns is WrapRuns with the breaks of Chop.
func ChopRuns(runs []Run, first, rest int) [][]Run { return breakRuns(runs, first, rest, false) }

// AppendRuns writes the runs of one row to b: what a run opens is closed.
func AppendRuns(b []byte, runs []Run) []byte {
	for _, r := range runs {
		b = append(b, r.Open...)
		b = append(b, r.Text...)
		b = append(b, r.Close...)
	}
	return b
}

func breakRuns(runs []Run, first, rest int, words bool) [][]Run {
	line := ""
	if len(runs) == 1 {
		line = runs[0].Text
	} else {
		var b strings.Builder
		for _, r := range runs {
			b.WriteString(r.Text)
		}
		line = b.String()
	}
	cs := cuts(line, first, rest, words)
	rows := make([][]Run, 0, len(cs))
	k, at := 0, 0 // run k begins at byte at
	for i, c := range cs {
		w := rest
		if i == 0 {
			w = first
		}
		var row []Run
		for k < len(runs) {
			r := runs[k]
			from, to := max(c.from, at), min(c.to, at+len(r.Text))
			if from < to {
				text := r.Text[from-at : to-at]
				if w < 2 {
					text = fitCell(text, w)
				}
				row = append(row, Run{text, r.Open, r.Close})
			}
			if at+len(r.Text) > c.to {
				break
			}
			at += len(r.Text)
			k++
		}
		rows = append(rows, row)
	}
	return rows
}

// fitCell stands a replacement in for a wide character on a one-cell row: half
// a character cannot be drawn.
func fitCell(s string, w int) string {
	if w < 2 && Width(s) > w {
		return "\ufffd"
	}
	return s
}

type cut struct{ from, to int }

// cuts says which bytes of line stand on which row. With words, blanks at a
// break belong to no row; without, every byte of line belongs to one.
func cuts(line string, first, rest int, words bool) []cut {
	p := packer{line: line, w: max(first, 1), rest: max(rest, 1)}
	p.out = make([]cut, 0, 1+len(line)/p.rest)
	var u unit
	before, prev, indent := rune(0), rune(0), words
	g := Graphemes(line)
	for pos := 0; g.Next(); {
		v, n := g.Value(), g.Width()
		r, _ := utf8.DecodeRuneInString(v)
		switch {
		case words && v == " " && !indent:
			u.gap++
		case words && (u.gap > 0 || !indent && mayBreak(before, prev, r)):
			p.place(u)
			u = unit{from: pos, to: pos + len(v), width: n}
		default:
			// Indentation stays with the first word.
			u.to, u.width = pos+len(v), u.width+n
			indent = indent && v == " "
		}
		before, prev = prev, r
		if len(v) > utf8.RuneLen(r) && !isWide(r) {
			prev = 0
		}
		pos += len(v)
	}
	p.place(u)
	return append(p.out, cut{p.from, p.to})
}

// unit is text that is broken only if it must be, and the blanks after it.
type unit struct{ from, to, width, gap int }

// packer fills rows with units.
type packer struct {
	line     string
	w, rest  int // of this row, of those after it
	out      []cut
	from, to int // the row being filled
	used     int // its cells
	gap      int // blanks after it
}

func (p *packer) place(u unit) {
	if p.used+p.gap+u.width <= p.w {
		p.used += p.gap + u.width
		p.to, p.gap = u.to, u.gap
		return
	}
	if p.to > p.from {
		p.next(u.from)
	}
	if u.width > p.w {
		g := Graphemes(p.line[u.from:u.to])
		for g.Next() {
			if n := g.Width(); p.used+n > p.w && p.to > p.from {
				p.next(p.to)
				p.used = n
			} else {
				p.used += n
			}
			p.to += len(g.Value())
		}
	} else {
		p.to, p.used = u.to, u.width
	}
	p.gap = u.gap
}

// next ends the row; the one after it begins at from.
func (p *packer) next(from int) {
	p.out = append(p.out, cut{p.from, p.to})
	p.from, p.to, p.used, p.gap, p.w = from, from, 0, 0, p.rest
}

// mayBreak reports whether a row may end between the neighbours a and b,
// neither of which is a blank; before stands before a. The hyphen of a word is
// a place to break, those of a flag are not.
func mayBreak(before, a, b rune) bool {
	if a < 0x80 && b < 0x80 {
		return a == '-' && isLetter(before) && isLetter(b)
	}
	if !isWide(a) && !isWide(b) || a == ' ' {
		return false
	}
	// Closing marks do not begin a row, opening ones do not end it.
	return !strings.ContainsRune("，。、！？；：）」』】》〉”’…·,.!?;:)]}%ー々", b) && !strings.ContainsRune("（「『【《〈“‘([{", a)
}

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

func isWide(r rune) bool {
	return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x20000 && r <= 0x3fffd)
}
