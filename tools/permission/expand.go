package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What words do beside being words: substitutions run, variables are set, and what looks
// quoted is evaluated.

// hiddenCode: the shell evaluates subscripts in arithmetic and in some tests even
// where they stand in quotes.
func (s *scan) hiddenCode(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			s.subscript(n.Value)
		case *syntax.Lit:
			s.subscript(n.Value)
		}
		return true
	})
}

// subscript reports text whose subscript the shell would evaluate.
func (s *scan) subscript(text string) bool {
	if i := strings.Index(text, "["); i >= 0 && strings.ContainsAny(text[i:], "$`") {
		s.risk(High, "has a subscript that the shell evaluates as code")
		s.inner(strings.Trim(text[i:], "[]"))
		return true
	}
	return false
}

// inner scans the substitutions in a text that the shell would expand.
func (s *scan) inner(text string) {
	if f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(text)); err == nil && s.depth < 8 {
		s.depth++
		s.expand(f)
		s.depth--
	}
}

// expand looks for what words do besides being words: substitutions are walked
// as the commands they are. What they print is a question here.
func (s *scan) expand(n syntax.Node) (subst bool) {
	subst = s.walk(n)
	s.settle()
	return subst
}

// settle makes a question of a substitution whose commands only read.
func (s *scan) settle() {
	if s.mild {
		s.mild = false
		s.odd()
		s.risk(Medium, "puts the output of a command into its words")
	}
}

// walk is expand for a caller who knows what to make of such a substitution.
func (s *scan) walk(n syntax.Node) (subst bool) {
	if w, ok := n.(*syntax.Word); n == nil || ok && w == nil {
		return false
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			subst = true
			s.nested(n)
			return false
		case *syntax.ProcSubst:
			subst = true
			s.odd()
			s.risk(Medium, "runs a command beside the command")
			f := feed{}
			if n.Op == syntax.CmdOut {
				f.piped = true
			}
			saved := s.cwds
			s.each(n.Stmts, saved, f)
			s.cwds = saved
			return false
		case *syntax.ParamExp:
			s.param(n)
		case *syntax.ArithmExp:
			s.odd()
			s.risk(Medium, "computes part of a word")
			s.evaluated(n)
		case *syntax.SglQuoted:
			if n.Dollar && sequence.Get().MatchString(n.Value) {
				s.risk(High, "writes control sequences, which a terminal obeys")
			} else if n.Dollar && escapesControl.Get().MatchString(n.Value) {
				s.risk(Medium, "puts control characters together")
			}
		case *syntax.ExtGlob, *syntax.BraceExp:
			s.odd()
			s.risk(Medium, "has a word that is not literal")
		}
		return true
	})
	return subst
}

// computed: a variable may be set by arithmetic, to a number that programs then take
// for a path or a program.
func (s *scan) computed(n syntax.Node) {
	name := func(x syntax.ArithmExpr) {
		if w, ok := x.(*syntax.Word); ok && variableLevel(w.Lit()) > Low {
			s.setsVariable(w.Lit(), "")
		}
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			if op := n.Op.String(); strings.HasSuffix(op, "=") && op != "==" && op != "!=" && op != "<=" && op != ">=" {
				name(n.X)
			}
		case *syntax.UnaryArithm:
			name(n.X)
		}
		return true
	})
}

// evaluated: a substitution inside arithmetic runs, and its output is evaluated
// again.
func (s *scan) evaluated(n syntax.Node) {
	s.computed(n)
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			s.risk(High, "runs a command inside arithmetic")
			return false
		}
		return true
	})
	s.hiddenCode(n)
}

func (s *scan) param(p *syntax.ParamExp) {
	if isStatus(p) {
		return
	}
	if _, ok := s.bound(p); ok {
		return
	}
	s.odd()
	s.risk(Medium, "depends on a variable")
	if p.Excl || p.Exp != nil && p.Exp.Op == syntax.OtherParamOps {
		s.risk(High, "evaluates what a variable holds")
	}
	if p.Param != nil && secretVariable(p.Param.Value) {
		s.secret = true
		s.risk(High, "uses a secret from the environment")
	}
	if p.Index != nil {
		s.evaluated(p.Index)
	}
	if p.Slice != nil {
		if p.Slice.Offset != nil {
			s.evaluated(p.Slice.Offset)
		}
		if p.Slice.Length != nil {
			s.evaluated(p.Slice.Length)
		}
	}
	s.quotedCode(p)
	if p.Exp != nil && p.Param != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		s.setsVariable(p.Param.Value, s.word(p.Exp.Word).text)
	}
	if p.Exp != nil && p.Param != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		if w := s.word(p.Exp.Word); w.lit {
			s.vars[p.Param.Value] = w.text
		}
	}
}

// quotedCode: between double quotes the single quotes of ${x:-'…'} are letters, so
// that substitutions between them run.
func (s *scan) quotedCode(p *syntax.ParamExp) {
	syntax.Walk(p, func(n syntax.Node) bool {
		if q, ok := n.(*syntax.SglQuoted); ok && strings.ContainsAny(q.Value, "$`") {
			s.risk(High, "has a substitution that only looks quoted")
			s.inner(q.Value)
		}
		return true
	})
}

// nested walks a substitution: its commands run, and what they print becomes
// words nobody has seen.
func (s *scan) nested(n *syntax.CmdSubst) {
	ro, level, cwds, stage, commands, mild := s.ro, s.a.Level, s.cwds, s.stage, s.commands, s.mild
	s.ro, s.stage, s.mild = true, &feed{}, false
	s.subst++
	s.each(n.Stmts, cwds, feed{})
	s.subst--
	harmless := s.ro && !s.mild && s.commands > commands
	quiet := harmless && !n.Backquotes && !n.TempFile && !n.ReplyVar // backslashes in backquotes are read twice
	got := *s.stage
	s.ro, s.cwds, s.stage, s.mild = ro, cwds, stage, mild
	s.stage.net, s.stage.decode = s.stage.net || got.net, true
	s.quiet[n] = quiet
	if harmless {
		s.mild = true
		return
	}
	s.odd()
	if level < High || s.a.Level < High {
		s.risk(High, "runs a command inside a word")
	}
}
