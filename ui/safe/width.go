package safe

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// TabWidth is the distance of tab stops, in cells: four, as code viewers have
// it, since eight pushes Go source off a half-wide pane.
const TabWidth = 4

// Width is how many cells s takes on one row, escape sequences not counted.
func Width(s string) int {
	if printable(s) {
		return len(s)
	}
	o := options()
	if strings.IndexByte(s, 0x1b) >= 0 {
		if !o.EastAsianWidth {
			return ansi.StringWidth(s)
		}
		o.ControlSequences = true
	}
	return o.String(s)
}

// printable reports whether s is printable ASCII only: a byte is then a cell.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Truncate cuts s to at most w cells and ends it with tail if it cut; tail
// counts in w. A wide character is never halved and a grapheme never split.
// Looks in s are kept and closed; call it with text that went through Output,
// styled afterwards or not.
func Truncate(s string, w int, tail string) string {
	if w <= 0 {
		return ""
	}
	if len(s) <= w && printable(s) {
		return s
	}
	if strings.IndexByte(s, 0x1b) >= 0 {
		if o := options(); o.EastAsianWidth {
			o.ControlSequences = true
			return o.TruncateString(s, w, tail)
		}
		return ansi.Truncate(s, w, tail)
	}
	tw := Width(tail)
	if tw > w {
		tail, tw = "", 0
	}
	fit, used := 0, 0 // the longest part that leaves room for tail
	g := Graphemes(s)
	for pos := 0; g.Next(); {
		n := g.Width()
		if used+n > w {
			return s[:fit] + tail
		}
		used += n
		pos += len(g.Value())
		if used <= w-tw {
			fit = pos
		}
	}
	return s
}

// TruncateLeft keeps the last w cells of s and begins with head if it cut. It
// is for paths, whose end says most. s must hold no escape sequences.
func TruncateLeft(s string, w int, head string) string {
	total := Width(s)
	if total <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	hw := Width(head)
	if hw > w {
		head, hw = "", 0
	}
	g := Graphemes(s)
	pos := 0
	for total > w-hw && g.Next() {
		total -= g.Width()
		pos += len(g.Value())
	}
	return head + s[pos:]
}

// Fit makes s exactly w cells: cut with tail, or filled with blanks.
func Fit(s string, w int, tail string) string {
	s = Truncate(s, w, tail)
	for n := w - Width(s); n > 0; n = w - Width(s) { // a letter at the end may draw the first blank into itself
		s += Blanks(n)
	}
	return s
}

const blanks = "                                                                                                                                "

// Blanks is n blanks, without a copy for usual widths.
func Blanks(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// ExpandTabs replaces tabs by blanks up to the next stop; col is the column s
// begins in. s is one line or many.
func ExpandTabs(s string, col int) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for s != "" {
		n := strings.IndexAny(s, "\t\n")
		if n < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:n])
		if s[n] == '\n' {
			b.WriteByte('\n')
			col = 0
		} else {
			col += Width(s[:n])
			fill := TabWidth - col%TabWidth
			b.WriteString(Blanks(fill))
			col += fill
		}
		s = s[n+1:]
	}
	return b.String()
}
