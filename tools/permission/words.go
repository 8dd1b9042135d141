package permission

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command as far as it is known without running anything.
type word struct {
	src  string // as it is written, or made readable
	text string // the value; expansions stand in it as they are written
	// path is the value with the home and the current directory put in for ~ and
	// $HOME, and unknown where nothing is known.
	path   string
	lit    bool // text is exactly what the command gets
	glob   bool // not lit, but only for unquoted * and ?
	opaque bool // an expansion stands in it, so it may be anything
	subst  bool // the output of another command stands in it
	status bool // not lit, but only for $?, which is a number
	one    bool // it is exactly one word for the command, whatever it becomes
	found  bool // a file that was looked at: it may be read, whichever it is
	said   bool // one word of text that a harmless command prints, of which nothing is known
	commit bool // not lit, but only for the name of a commit as git prints it
	alike  bool // outside quotes stands a sign that only looks like one of the shell's
}

// unknown stands in word.path for what an expansion may put there.
const unknown = "\x00"

func literal(s string) word { return word{src: quote(s), text: s, path: s, lit: true, one: true} }

// quote writes a value so that it reads as one word.
func quote(s string) string {
	q, err := syntax.Quote(s, syntax.LangBash)
	if err != nil {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return q
}

func texts(ws []word) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.text
	}
	return out
}

func allLiteral(ws []word) bool {
	for _, w := range ws {
		if !w.lit {
			return false
		}
	}
	return true
}

// source prints a node as it would be written.
func source(n syntax.Node) string {
	var b bytes.Buffer
	if err := syntax.NewPrinter(syntax.Minify(false)).Print(&b, n); err != nil {
		return "…"
	}
	return strings.TrimSpace(b.String())
}

// word takes a parsed word apart. Substitutions inside it are judged by the
// caller; here they only make the word unknown.
func (s *scan) word(w *syntax.Word) word {
	out := word{lit: true}
	if w == nil {
		return out
	}
	b := &wordBuilder{s: s, w: &out}
	braces := false
	for i, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && i == 0 && strings.HasPrefix(l.Value, "~") {
			b.tilde(l.Value)
			continue
		}
		b.part(p, false)
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			braces = true
		}
	}
	if braces && braceList(b.bare.String()) {
		b.unknown()
		out.glob = false
	}
	out.text, out.path = b.text.String(), b.path.String()
	out.src = out.text
	if out.lit {
		out.src = quote(out.text)
	} else if src := source(w); src != "" {
		out.src = src
	}
	if out.opaque {
		out.glob, out.status = false, false
	}
	if out.glob {
		out.status = false
	}
	out.one = out.lit || !b.split
	out.said = !out.lit && (b.said || b.commit) && !b.other && out.one
	out.commit = !out.lit && b.commit && !b.said && !b.other
	return out
}

// braceList reports whether what stands outside quotes may be a list or a range
// in braces.
func braceList(bare string) bool {
	i, j := strings.Index(bare, "{"), strings.LastIndex(bare, "}")
	return i >= 0 && j > i && (strings.Contains(bare[i:j], ",") || strings.Contains(bare[i:j], ".."))
}

type wordBuilder struct {
	s          *scan
	w          *word
	text, path strings.Builder
	bare       strings.Builder // what stands outside quotes
	// What of it is not literal: text that a command prints, the name of a commit, a
	// pattern outside quotes, which may become several words, or anything else.
	said, commit, split, other bool
}

// unknown notes that a part may become anything, and any number of words.
func (b *wordBuilder) unknown() {
	b.w.lit, b.w.opaque, b.split, b.other = false, true, true, true
}

func (b *wordBuilder) put(s string) { b.text.WriteString(s); b.path.WriteString(s) }

// tilde takes the first literal of a word that begins with ~.
func (b *wordBuilder) tilde(v string) {
	name, rest, slash := strings.Cut(v, "/")
	if slash {
		rest = "/" + rest
	}
	b.unknown()
	dir := unknown
	switch name {
	case "~":
		dir = b.s.w.home
	case "~+":
		dir = b.s.cwds[0]
	case "~root":
		dir = "/root"
	case "~-":
	default:
		dir = "/home/" + name[1:]
	}
	b.text.WriteString(name)
	b.path.WriteString(dir)
	b.lit(rest)
}

func (b *wordBuilder) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			b.quotedLit(p.Value)
		} else {
			b.lit(p.Value)
		}
	case *syntax.SglQuoted:
		if p.Dollar {
			b.unknown()
		}
		b.put(p.Value)
	case *syntax.DblQuoted:
		if p.Dollar {
			b.unknown()
		}
		for _, q := range p.Parts {
			b.part(q, true)
		}
	case *syntax.ParamExp:
		if isStatus(p) {
			b.w.lit, b.w.status, b.other = false, true, true
			b.put("$?")
			return
		}
		if v, ok := b.s.bound(p); ok && b.takes(v, quoted) {
			return
		}
		b.unknown()
		b.text.WriteString(source(&syntax.Word{Parts: []syntax.WordPart{p}}))
		b.path.WriteString(b.s.value(p))
	case *syntax.CmdSubst:
		b.substituted(p, quoted)
	case *syntax.ProcSubst:
		b.unknown()
		b.w.subst = true
		b.text.WriteString(source(&syntax.Word{Parts: []syntax.WordPart{p}}))
		b.path.WriteString(unknown)
	default: // arithmetic, extended globs, braces
		b.unknown()
		b.text.WriteString(source(&syntax.Word{Parts: []syntax.WordPart{p}}))
		b.path.WriteString(unknown)
	}
}

// isStatus: $? and nothing else.
func isStatus(p *syntax.ParamExp) bool { return p.Short && p.Param != nil && p.Param.Value == "?" }

// value is what a plain parameter is known to hold.
func (s *scan) value(p *syntax.ParamExp) string {
	if p.Param == nil || p.Exp != nil || p.Slice != nil || p.Repl != nil || p.Index != nil || p.Excl || p.Length {
		return unknown
	}
	switch p.Param.Value {
	case "HOME":
		return s.w.home
	case "PWD":
		return s.cwds[0]
	}
	if v, ok := s.vars[p.Param.Value]; ok {
		return v
	}
	return unknown
}

// lit unescapes what stands outside quotes; the parser leaves backslashes in.
func (b *wordBuilder) lit(v string) {
	b.w.alike = b.w.alike || strings.ContainsFunc(v, alike)
	for i := 0; i < len(v); i++ {
		c := v[i]
		switch c {
		case '\\':
			if i+1 == len(v) { // at the end of everything: not taken for a letter
				b.unknown()
				continue
			}
			i++
			if v[i] != '\n' {
				b.put(v[i : i+1])
			}
			continue
		case '*', '?':
			b.w.glob, b.w.lit, b.split = true, false, true
		case '[':
			if v != "[" {
				b.w.glob, b.w.lit, b.split = true, false, true
			}
		case '$', '`':
			b.unknown()
		case '~': // after = or : it may be a home
			if i > 0 && (v[i-1] == '=' || v[i-1] == ':') {
				b.unknown()
				b.text.WriteByte('~')
				b.path.WriteString(b.s.w.home)
				continue
			}
		}
		b.put(v[i : i+1])
		b.bare.WriteByte(c)
	}
}

// quotedLit unescapes inside double quotes, where a backslash means something
// only before $ ` " \ and a line end.
func (b *wordBuilder) quotedLit(v string) {
	for i := 0; i < len(v); i++ {
		if v[i] == '\\' && i+1 < len(v) {
			switch v[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		} else if v[i] == '`' || v[i] == '$' && i+1 < len(v) && !strings.ContainsRune(" |)/.:,\\", rune(v[i+1])) {
			b.unknown()
		}
		b.put(v[i : i+1])
	}
}
