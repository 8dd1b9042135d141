package permission

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// feed is what a stage of a pipeline hands to the next.
type feed struct {
	piped  bool
	net    bool     // it came over the network
	decode bool     // it was put together, not written out
	text   string   // what is known of it literally
	names  *listing // it is nothing but these names of files; nil: it is anything
}

// add joins what another command puts out to it.
func (f *feed) add(o *feed) {
	f.net, f.decode = f.net || o.net, f.decode || o.decode
	f.text += o.text
	f.names = o.names
}

// stmts walks statements in order and returns where they may end up.
func (s *scan) stmts(list []*syntax.Stmt, in []string) []string {
	for _, st := range list {
		ok, fail := s.stmt(st, in, feed{})
		in = union(ok, fail)
	}
	return in
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, d := range b {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// stmt walks one statement. It returns the directories the shell may be in when
// it succeeded and when it failed.
func (s *scan) stmt(st *syntax.Stmt, in []string, f feed) (ok, fail []string) {
	if len(in) > 8 {
		s.odd()
		in = in[:8]
	}
	s.cwds = in
	if st.Background {
		s.odd()
		s.risk(Medium, "goes on in the background")
	}
	if st.Coprocess || st.Disown {
		s.odd()
		s.risk(High, "starts a coprocess")
	}
	outer := s.stage
	s.stage = &feed{}
	ok, fail = s.command(st, in, s.redirects(st, f))
	if s.stage.net {
		s.redirected(st)
	}
	if !quietly(st) {
		s.stage.names = nil
	}
	outer.add(s.stage)
	s.stage = outer
	if st.Negated {
		ok, fail = fail, ok
	}
	if st.Background {
		return in, in
	}
	return ok, fail
}

func (s *scan) command(st *syntax.Stmt, in []string, f feed) (ok, fail []string) {
	both := func(d []string) ([]string, []string) { return d, d }
	switch c := st.Cmd.(type) {
	case nil:
		s.odd()
	case *syntax.CallExpr:
		return s.call(c, in, f)
	case *syntax.BinaryCmd:
		return s.binary(c, in, f)
	default:
		s.ungrantable = true
		if !groups(c) {
			s.ro = false
		}
		return both(s.compound(c, in, f))
	}
	return in, in
}

func (s *scan) binary(c *syntax.BinaryCmd, in []string, f feed) (ok, fail []string) {
	switch c.Op {
	case syntax.AndStmt:
		okX, failX := s.stmt(c.X, in, f)
		okY, failY := s.stmt(c.Y, okX, f)
		return okY, union(failX, failY)
	case syntax.OrStmt:
		okX, failX := s.stmt(c.X, in, f)
		okY, failY := s.stmt(c.Y, failX, f)
		return union(okX, okY), failY
	}
	// A pipe: each side runs in a shell of its own.
	outer := s.stage
	s.stage = &feed{}
	s.stmt(c.X, in, f)
	from := *s.stage
	from.piped = true
	switch x := c.X.Cmd.(type) {
	case *syntax.CallExpr:
	case *syntax.BinaryCmd:
		if x.Op != syntax.Pipe {
			from.names = nil
		}
	default:
		from.names = nil
	}
	s.stage = outer
	s.stage.net, s.stage.decode = s.stage.net || from.net, s.stage.decode || from.decode
	s.stmt(c.Y, in, from)
	return in, in
}

// compound walks every other form. None of them can be granted.
func (s *scan) compound(c syntax.Command, in []string, f feed) []string {
	switch c := c.(type) {
	case *syntax.Subshell:
		s.each(c.Stmts, in, f)
	case *syntax.Block:
		return s.each(c.Stmts, in, f)
	case *syntax.IfClause:
		out := in
		for ; c != nil; c = c.Else {
			out = union(out, s.each(c.Then, s.each(c.Cond, out, f), f))
		}
		return out
	case *syntax.WhileClause:
		return union(in, s.each(c.Do, s.each(c.Cond, in, f), f))
	case *syntax.ForClause:
		return s.loops(c, in, f)
	case *syntax.CaseClause:
		s.expand(c.Word)
		out := in
		for _, it := range c.Items {
			for _, p := range it.Patterns {
				s.expand(p)
			}
			out = union(out, s.each(it.Stmts, in, f))
		}
		return out
	case *syntax.FuncDecl:
		s.risk(Medium, "defines a function, which may stand for any command after it")
		s.shadow(c)
		out, _ := s.stmt(c.Body, in, f)
		return union(in, out)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			ok, fail := s.stmt(c.Stmt, in, f)
			return union(ok, fail)
		}
	case *syntax.CoprocClause:
		s.risk(High, "starts a coprocess")
		s.stmt(c.Stmt, in, f)
	case *syntax.DeclClause:
		s.declare(c)
	case *syntax.TestClause:
		s.tests(c)
		syntax.Walk(c, func(n syntax.Node) bool {
			if n, ok := n.(*syntax.Word); ok {
				if w := s.word(n); strings.HasPrefix(w.path, "/") || strings.Contains(w.path, "..") {
					s.reads(w)
				}
			}
			return true
		})
		s.hiddenCode(c)
	case *syntax.ArithmCmd, *syntax.LetClause:
		s.risk(Medium, "computes with variables")
		s.expand(c)
		s.computed(c)
		s.hiddenCode(c)
	default:
		s.risk(High, "is a form of command forge does not know")
		s.expand(c)
	}
	return in
}

// shadow judges a function by its name: one that stands for a known command, and
// one that starts itself over and over.
func (s *scan) shadow(c *syntax.FuncDecl) {
	if c.Name == nil {
		return
	}
	name := c.Name.Value
	if _, ok := harmless[name]; ok || name == "git" || name == "echo" || name == "cd" || name == "go" || name == "find" {
		s.risk(High, "gives the name of a known command to something else")
	}
	calls, many := false, false
	syntax.Walk(c.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			calls = calls || len(n.Args) > 0 && n.Args[0].Lit() == name
		case *syntax.Stmt:
			many = many || n.Background
		case *syntax.BinaryCmd:
			many = many || n.Op == syntax.Pipe
		}
		return true
	})
	if calls && many {
		s.risk(Critical, "starts itself over and over")
	}
}

// each walks a body whose commands all read what f brings.
func (s *scan) each(list []*syntax.Stmt, in []string, f feed) []string {
	for _, st := range list {
		ok, fail := s.stmt(st, in, f)
		in = union(ok, fail)
	}
	return in
}

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
			if n.Dollar && sequence().MatchString(n.Value) {
				s.risk(High, "writes control sequences, which a terminal obeys")
			} else if n.Dollar && escapesControl().MatchString(n.Value) {
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
