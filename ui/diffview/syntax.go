package diffview

import (
	"strings"

	"forge/tools/diff"
	"forge/ui/highlight"
	"forge/ui/safe"
	"forge/ui/theme"
)

// maxSyntax is the longest line that is coloured, in bytes, and maxSource the
// longest text: what is longer is data, not source.
const (
	maxSyntax = 2 << 10
	maxSource = 4 << 20
)

// Syntax knows how to colour the lines of one file's diff: what is open (a comment,
// a string) where each of them begins. nil colours nothing.
type Syntax struct {
	lang     *highlight.Language
	old, new map[int]highlight.Lexer // by line number; only those of hunks, and only where something is open
}

// NewSyntax reads both texts as far as the hunks go, so that a hunk in the middle
// of a comment is coloured as one. It costs a pass over each: call it where hunks
// are found, away from the loop. It is nil for a path of no known language.
func NewSyntax(path string, before, after []byte, hunks []diff.Hunk) *Syntax {
	lang := highlight.ForPath(path)
	if lang == nil || len(hunks) == 0 || max(len(before), len(after)) > maxSource {
		return nil
	}
	last := hunks[len(hunks)-1]
	s := &Syntax{lang: lang}
	s.old = opens(lang, before, last.OldStart+last.OldCount)
	s.new = opens(lang, after, last.NewStart+last.NewCount)
	return s
}

// opens gives the state of the lexer at each line, up to the last, that begins
// inside something.
func opens(lang *highlight.Language, text []byte, last int) map[int]highlight.Lexer {
	open := map[int]highlight.Lexer{}
	plain := highlight.Lexer{Lang: lang}
	l := plain
	var runs []safe.Run
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if n > last {
			break
		}
		if l != plain {
			open[n] = l
		}
		if len(line) <= maxSyntax {
			runs = l.Line(runs[:0], strings.TrimRight(line, "\r\n"), &theme.Code{})
		}
	}
	return open
}

// runs colours a line as it is shown. code is the look of source there.
func (s *Syntax) runs(l *diff.Line, text string, code *theme.Code) []safe.Run {
	if s == nil || len(text) > maxSyntax {
		return []safe.Run{{Text: text}}
	}
	at, n := s.new, l.New
	if l.Op == diff.Delete {
		at, n = s.old, l.Old
	}
	lex, ok := at[n]
	if !ok {
		lex = highlight.Lexer{Lang: s.lang}
	}
	return lex.Line(nil, text, code)
}

// over puts the marks of changed words over the colours of a line: the runs are cut
// where a span begins or ends. line is the look of all of it, word of the spans.
func over(runs []safe.Run, spans []diff.Span, line, word theme.Style) []safe.Run {
	var out []safe.Run
	at := 0
	for _, r := range runs {
		for text := r.Text; text != ""; {
			for len(spans) > 0 && spans[0].End <= at {
				spans = spans[1:]
			}
			n, look := len(text), theme.Style{}
			if len(spans) > 0 && spans[0].Start <= at {
				n, look = min(n, spans[0].End-at), word
			} else if len(spans) > 0 {
				n = min(n, spans[0].Start-at)
			}
			// The colours of the source come last: the word's own would hide them.
			out = append(out, safe.Run{Text: text[:n], Open: line.Open + look.Open + r.Open, Close: r.Close + look.Close + line.Close})
			at += n
			text = text[n:]
		}
	}
	return out
}
