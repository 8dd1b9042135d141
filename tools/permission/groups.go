package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// groups reports whether a form of command does no more than the commands in it,
// each of which is judged for itself. A loop and a [[ ]] judge themselves.
func groups(c syntax.Command) bool {
	switch c.(type) {
	case *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.TimeClause, *syntax.ForClause, *syntax.TestClause:
		return true
	}
	return false
}

// tests judges a [[ ]].
func (s *scan) tests(c *syntax.TestClause) {
	s.walk(c)
	if !s.compares(c.X) {
		s.settle()
		s.ro = false
		return
	}
	s.mild = false
	s.commands++
	s.a.Parsed = append(s.a.Parsed, strings.Fields(source(c)))
}

// compares reports whether a [[ ]] only looks at files inside and compares texts.
func (s *scan) compares(x syntax.TestExpr) bool {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return s.compares(x.X)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsNot:
			return s.compares(x.X)
		case syntax.TsEmpStr, syntax.TsNempStr:
			return s.comparable(x.X)
		case syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsNoEmpty, syntax.TsSmbLink:
			w, ok := x.X.(*syntax.Word)
			return ok && s.oneFile(s.word(w))
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest:
			return s.compares(x.X) && s.compares(x.Y)
		case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
			pattern, ok := x.Y.(*syntax.Word)
			return ok && s.comparable(x.X) && (s.word(pattern).lit || onlyPattern(pattern))
		}
	}
	return false
}

// comparable reports whether a word of a test is text, whatever it becomes: nothing is
// split or taken for a pattern there.
func (s *scan) comparable(x syntax.TestExpr) bool {
	w, ok := x.(*syntax.Word)
	if !ok {
		return false
	}
	if len(w.Parts) == 1 { // [[ -n $(git status) ]]
		if p, ok := w.Parts[0].(*syntax.CmdSubst); ok {
			return s.quiet[p]
		}
	}
	v := s.word(w)
	return v.lit || v.said || v.one && v.glob
}

// onlyPattern reports whether a word is letters and the signs of a plain pattern.
func onlyPattern(w *syntax.Word) bool {
	t := w.Lit()
	return t != "" && strings.Trim(t, "*?.-_/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// oneFile reports whether a word is one file that may be read.
func (s *scan) oneFile(w word) bool { return w.one && s.fileWord(w) }

// fileWord reports whether a word, or each that it becomes, is a file that may be read
// and cannot be taken for a flag.
func (s *scan) fileWord(w word) bool {
	switch {
	case w.found:
		return true
	case w.lit:
		return s.readable(w.text)
	}
	return w.glob && !strings.HasPrefix(w.text, "-") && s.matches(w.text)
}
