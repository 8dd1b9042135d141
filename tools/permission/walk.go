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
	if _, ok := harmless.Get()[name]; ok || name == "git" || name == "echo" || name == "cd" || name == "go" || name == "find" {
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
