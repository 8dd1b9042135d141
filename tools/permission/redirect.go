package permission

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects judges where a statement's streams go and adds what it is fed by.
func (s *scan) redirects(st *syntax.Stmt, out feed) feed {
	for _, r := range st.Redirs {
		s.expand(r.Word)
		w := s.word(r.Word)
		if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
			s.odd()
			s.risk(Medium, "opens a named descriptor")
		}
		switch r.Op {
		case syntax.RdrIn:
			out.piped, out.decode = true, false
			s.input(w, &out)
		case syntax.Hdoc, syntax.DashHdoc:
			if s.ungrantable = true; s.subst > 0 || !s.writtenOut(r) {
				s.odd()
			}
			out.piped = true
			if s.expand(r.Hdoc) {
				out.net, out.decode = out.net || s.net, true
			}
			out.text += "\n" + s.document(r.Hdoc)
		case syntax.WordHdoc:
			if !w.lit {
				s.odd()
			}
			s.ungrantable = true
			out.piped = true
			out.net, out.decode = out.net || w.subst && s.net, out.decode || w.subst
			out.text += "\n" + w.text
			s.stage.text += "\n" + w.text
		case syntax.DplOut, syntax.DplIn:
			if w.lit && strings.Trim(strings.TrimSuffix(w.text, "-"), "0123456789") == "" {
				continue
			}
			s.output(w)
		case syntax.RdrInOut:
			s.odd()
			s.output(w)
		default:
			if w.lit && w.text == "/dev/null" {
				continue
			}
			s.output(w)
		}
	}
	return out
}

// input judges a file read by <.
func (s *scan) input(w word, f *feed) {
	if !w.lit && !w.one {
		s.odd()
	}
	f.net = f.net || s.fetchedFile(w.path)
	if s.oneFile(w) {
		return
	}
	s.ro = false
	f.decode = w.subst
	f.net = f.net || w.subst && s.net
	s.reads(w)
}

// output judges a file written by >.
func (s *scan) output(w word) {
	s.odd()
	s.risk(Medium, "writes a file by a redirect")
	s.writes(w)
}

// writtenOut reports whether a heredoc is text as it stands, between plain words: no
// shell makes anything else of it.
func (s *scan) writtenOut(r *syntax.Redirect) bool {
	quoted, mark := false, ""
	if len(r.Word.Parts) != 1 {
		return false
	}
	switch p := r.Word.Parts[0].(type) {
	case *syntax.Lit:
		mark = p.Value
	case *syntax.SglQuoted:
		quoted, mark = !p.Dollar, p.Value
	case *syntax.DblQuoted:
		if len(p.Parts) == 1 && !p.Dollar {
			if l, ok := p.Parts[0].(*syntax.Lit); ok {
				quoted, mark = true, l.Value
			}
		}
	}
	if mark == "" || strings.Trim(mark, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return false
	}
	if !quoted && strings.Contains(s.text, "\\") { // a line that goes on may be where it ends
		return false
	}
	if r.Hdoc == nil { // nothing stands in it
		return true
	}
	for _, p := range r.Hdoc.Parts {
		l, ok := p.(*syntax.Lit)
		if !ok || !quoted && strings.ContainsAny(l.Value, "$`") {
			return false
		}
	}
	return true
}

// document is a heredoc's text; what expands in it is walked.
func (s *scan) document(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		} else {
			b.WriteString(source(&syntax.Word{Parts: []syntax.WordPart{p}}))
		}
	}
	s.stage.text += "\n" + b.String()
	return b.String()
}
