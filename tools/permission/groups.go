package permission

import (
	"mvdan.cc/sh/v3/syntax"
)

// groups reports whether a form of command does no more than the commands in it,
// each of which is judged for itself.
func (s *scan) groups(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.TimeClause:
		return true
	case *syntax.TestClause:
		return s.compares(c.X)
	}
	return false
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
			_, ok := s.compared(x.X)
			return ok
		case syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsNoEmpty, syntax.TsSmbLink:
			w, ok := s.compared(x.X)
			return ok && s.readable(w)
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.AndTest, syntax.OrTest:
			return s.compares(x.X) && s.compares(x.Y)
		case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
			_, a := s.compared(x.X)
			_, b := s.compared(x.Y)
			return a && b
		}
	}
	return false
}

// compared is the text of a literal word of a test.
func (s *scan) compared(x syntax.TestExpr) (string, bool) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return "", false
	}
	v := s.word(w)
	return v.text, v.lit
}
