package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// A pattern is a compiled Query.Pattern: a regular expression that matches
// within one line, and the literals that every match must hold one of.
type pattern struct {
	re      *regexp.Regexp
	prog    *syntax.Prog // re's, for a dfa
	needles []needle
	fold    bool // the needles match in either case
	exotic  bool // fold, and a needle holds k or s, which have a third form outside ASCII
	pure    bool // a line with a needle matches: no need to ask re
}

// PatternError says what is wrong with a pattern and where.
type PatternError struct {
	Pattern string
	Column  int // in bytes, from 1
	Problem string
	Hint    string
}

// Error gives pattern, place, problem and what to do.
// maxShownPattern is how many bytes of a pattern its error repeats.
const maxShownPattern = 200

func (e *PatternError) Error() string {
	shown := e.Pattern
	if cut := maxShownPattern; len(shown) > cut {
		for !utf8.RuneStart(shown[cut]) {
			cut--
		}
		shown = shown[:cut] + "…"
	}
	return fmt.Sprintf("bad pattern %q at column %d: %s; %s", shown, e.Column, e.Problem, e.Hint)
}

func newPattern(q Query) (*pattern, error) {
	if q.Pattern == "" {
		return nil, &PatternError{q.Pattern, 1, "it is empty", "give the text to look for"}
	}
	flags := syntax.Perl
	if q.Literal {
		flags |= syntax.Literal
	}
	if q.IgnoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(q.Pattern, flags)
	if err != nil {
		return nil, explain(q.Pattern, err)
	}
	if !withinLine(tree) {
		return nil, &PatternError{q.Pattern, max(1, 1+strings.IndexAny(q.Pattern, "\n\\")), "it holds a line break",
			"lines are matched one by one; look for one line of it, with context for the others"}
	}
	p := &pattern{pure: tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0}
	p.setNeedles(tree.Simplify())
	allowCR(tree)
	if p.re, err = regexp.Compile(tree.String()); err != nil {
		return nil, explain(q.Pattern, err)
	}
	if p.prog, err = syntax.Compile(tree.Simplify()); err != nil {
		return nil, explain(q.Pattern, err)
	}
	return p, nil
}

// withinLine rewrites re so that no part of it can match a line break, and the
// ends of the text are the ends of a line. False: it names a line break itself.
func withinLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return !slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		if len(re.Rune) == 2 && re.Rune[0] == '\n' && re.Rune[1] == '\n' {
			return false
		}
		re.Rune = withoutBreak(re.Rune)
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op = syntax.OpEndLine
		re.Flags &^= syntax.WasDollar
	}
	for _, sub := range re.Sub {
		if !withinLine(sub) {
			return false
		}
	}
	return true
}

func withoutBreak(pairs []rune) []rune {
	out := make([]rune, 0, len(pairs)+2)
	for i := 0; i < len(pairs); i += 2 {
		lo, hi := pairs[i], pairs[i+1]
		if lo <= '\n' && '\n' <= hi {
			if lo < '\n' {
				out = append(out, lo, '\n'-1)
			}
			if '\n' < hi {
				out = append(out, '\n'+1, hi)
			}
			continue
		}
		out = append(out, lo, hi)
	}
	return out
}

// allowCR lets the end of a line come before a carriage return, so that foo$
// means the same in a file with either kind of line end.
func allowCR(re *syntax.Regexp) {
	for i, sub := range re.Sub {
		if sub.Op != syntax.OpEndLine {
			allowCR(sub)
			continue
		}
		re.Sub[i] = lineEnd(sub)
	}
	if re.Op == syntax.OpEndLine {
		end := *re
		*re = *lineEnd(&end)
	}
}

func lineEnd(end *syntax.Regexp) *syntax.Regexp {
	cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{
		{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}}, end,
	}}
}

// explain turns the compiler's error into one that names the place.
func explain(p string, err error) error {
	var se *syntax.Error
	if !errors.As(err, &se) {
		return &PatternError{p, 1, err.Error(), "set literal to look for the text as it stands"}
	}
	e := &PatternError{Pattern: p, Column: 1, Problem: se.Code.String(),
		Hint: `put \ before a character that stands for itself, or set literal`}
	if i := strings.Index(p, se.Expr); i >= 0 && se.Expr != "" {
		e.Column = i + 1
		if se.Expr != p {
			e.Problem += " " + se.Expr
		}
	}
	switch se.Code {
	case syntax.ErrMissingParen:
		if i := openParen(p); i >= 0 {
			e.Column = i + 1
		}
	case syntax.ErrUnexpectedParen:
		if i := extraParen(p); i >= 0 {
			e.Column = i + 1
		}
	case syntax.ErrTrailingBackslash:
		e.Column = len(p)
	case syntax.ErrInvalidPerlOp:
		e.Hint = "this syntax (RE2) has no look-around and no back-references; match more and filter, or use several patterns"
	case syntax.ErrInvalidEscape:
		if len(se.Expr) == 2 && se.Expr[1] >= '1' && se.Expr[1] <= '9' {
			e.Hint = "this syntax (RE2) has no back-references"
		}
	case syntax.ErrInvalidUTF8:
		e.Hint = "a pattern is UTF-8 text"
	}
	return e
}

// openParen finds the innermost parenthesis that is never closed; -1 if none.
func openParen(p string) int {
	open, _ := parens(p)
	return open
}

// extraParen finds the first closing parenthesis that closes nothing; -1 if none.
func extraParen(p string) int {
	_, extra := parens(p)
	return extra
}

func parens(p string) (open, extra int) {
	var stack []int
	extra = -1
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if end := strings.IndexByte(p[min(len(p), i+2):], ']'); end >= 0 {
				i += 2 + end
			}
		case '(':
			stack = append(stack, i)
		case ')':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			} else if extra < 0 {
				extra = i
			}
		}
	}
	if len(stack) > 0 {
		return stack[len(stack)-1], extra
	}
	return -1, extra
}

// within finds the match inside a line that has one.
func (p *pattern) within(line []byte) (from, to int) {
	loc := p.re.FindIndex(line)
	if loc == nil {
		return 0, 0
	}
	return loc[0], loc[1]
}

// clip makes a line fit for showing: no line end, valid UTF-8, and at most
// columns runes, cut around the match it holds.
func (p *pattern) clip(line []byte, columns int, match bool) string {
	line = trimCR(line)
	if len(line) <= columns || utf8.RuneCount(line) <= columns {
		return strings.ToValidUTF8(string(line), "\ufffd")
	}
	from := 0
	if match {
		a, b := p.within(line)
		if utf8.RuneCount(line[:min(len(line), b)]) > columns-1 {
			room := max(columns/8, (columns-utf8.RuneCount(line[a:min(b, a+columns*4)]))/2)
			from = back(line, a, room)
		}
	}
	to, n := from, 0
	for to < len(line) && n < columns-2 {
		_, size := utf8.DecodeRune(line[to:])
		to += size
		n++
	}
	text := strings.ToValidUTF8(string(line[from:to]), "\ufffd")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

// back goes n runes back from i.
func back(b []byte, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:i])
		i -= size
	}
	return i
}

func trimCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}
