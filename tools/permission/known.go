package permission

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What is known of words that are not written out: the variable of a loop, and what
// commands print that only read.

// bound is what a plain variable holds in this pass through the body of a loop.
func (s *scan) bound(p *syntax.ParamExp) (word, bool) {
	if p.Param == nil || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Index != nil || p.Excl || p.Length || p.Width || p.Names != 0 {
		return word{}, false
	}
	w, ok := s.loop[p.Param.Value]
	return w, ok
}

// takes puts the value of a loop's variable into a word, if the shell does so without
// splitting it or taking it for a pattern.
func (b *wordBuilder) takes(v word, quoted bool) bool {
	switch {
	case v.lit && (quoted || v.text != "" && !strings.ContainsAny(v.text, " \t\n*?[\\~")):
		b.put(v.text)
		return true
	case v.glob && quoted: // one of the names that the pattern matches
		b.w.lit, b.w.glob = false, true
		b.put(v.text)
		return true
	}
	return false
}

// substituted takes what a command prints into a word.
func (b *wordBuilder) substituted(p *syntax.CmdSubst, quoted bool) {
	src := source(&syntax.Word{Parts: []syntax.WordPart{p}})
	s := b.s
	known := ""
	switch src {
	case "$(pwd)":
		known = s.cwds[0]
	case "$(git rev-parse --show-toplevel)":
		if git, bare := gitDir(s.cwds[0]); git != "" && !bare {
			known = filepath.Dir(git)
		}
	}
	quiet := s.quiet[p]
	if quiet && known != "" && len(s.cwds) == 1 && (quoted || !strings.ContainsAny(known, " \t\n*?[\\~")) {
		b.put(known)
		return
	}
	b.w.lit, b.w.opaque, b.w.subst = false, true, true
	b.text.WriteString(src)
	if known != "" {
		b.path.WriteString(known)
	} else {
		b.path.WriteString(unknown)
	}
	switch {
	case quiet && printsCommit(p):
		b.commit = true
		b.split = b.split || !quoted
	case quiet && quoted:
		b.said = true
	default:
		b.split, b.other = true, true
	}
}

// printsCommit reports whether a substitution is one command of git's that prints
// nothing but the names of commits in hexadecimal, or on failure a word that stands in
// it: no flag, no path, and nothing the shell would take apart.
func printsCommit(p *syntax.CmdSubst) bool {
	if len(p.Stmts) != 1 || p.Stmts[0].Background || p.Stmts[0].Negated || len(p.Stmts[0].Redirs) > 0 {
		return false
	}
	c, ok := p.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Assigns) > 0 {
		return false
	}
	var argv []string
	for _, w := range c.Args {
		t := w.Lit()
		if t == "" || strings.ContainsAny(t, " \t\n*?[]{}\\'\"$`") {
			return false
		}
		argv = append(argv, t)
	}
	if len(argv) < 3 || argv[0] != "git" {
		return false
	}
	flags := map[string]bool{}
	switch argv[1] {
	case "rev-parse":
		flags = set("--short", "--verify", "-q", "--quiet")
	case "merge-base":
	default:
		return false
	}
	names := 0
	for _, t := range argv[2:] {
		if strings.HasPrefix(t, "-") && !flags[t] || strings.Contains(t, ":") { // a path of a commit is what is in the file
			return false
		}
		if !strings.HasPrefix(t, "-") {
			names++
		}
	}
	return names > 0
}
