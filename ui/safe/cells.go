package safe

import (
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// Characters of ambiguous width (East Asian Width A: …, “, →, │, ①, Greek, Cyrillic)
// take one cell in nearly all terminals, and two in those that were told so or follow an
// East Asian locale. Which of them the terminal is, is one fact for the whole program.
var ambiguousWide atomic.Bool

// UseWide says whether characters of ambiguous width take two cells from now on. What
// was laid out before is to be laid out anew.
func UseWide(on bool) { ambiguousWide.Store(on) }

// Wide reports whether characters of ambiguous width take two cells.
func Wide() bool { return ambiguousWide.Load() }

func options() displaywidth.Options {
	return displaywidth.Options{EastAsianWidth: ambiguousWide.Load()}
}

// Graphemes goes over the characters of a text without escape sequences, each with its
// cells.
func Graphemes(s string) displaywidth.Graphemes[string] { return options().StringGraphemes(s) }

// Cut is the cells from (included) to (excluded) to of a row, which may hold escape
// sequences: all of them are kept. Half of a wide character is a blank.
func Cut(s string, from, to int) string {
	if !Wide() {
		return ansi.Cut(s, from, to)
	}
	o := options()
	o.ControlSequences = true
	var b strings.Builder
	g := o.StringGraphemes(s)
	for col := 0; g.Next(); {
		v, n := g.Value(), g.Width()
		switch begin, end := max(col, from), min(col+n, to); {
		case n == 0 && (v[0] == 0x1b || col > from && col <= to || from == 0 && col == 0):
			b.WriteString(v)
		case end-begin == n:
			b.WriteString(v)
		case end > begin:
			b.WriteString(Blanks(end - begin))
		}
		col += n
	}
	return b.String()
}

// Skip is a row without its first n cells; escape sequences are kept.
func Skip(s string, n int) string {
	if !Wide() {
		return ansi.TruncateLeft(s, n, "")
	}
	return Cut(s, n, 1<<30)
}
