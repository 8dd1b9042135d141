package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"forge/ui/safe"
)

// engine reads the prose of finished blocks as CommonMark says, with goldmark's
// parser. It is used by one goroutine at a time.
//
// It is given one paragraph at a time: containers, code, tables and wrapping are
// drawn by the machine, for finished blocks as for open ones, so that a block does
// not jump when it is finished.
type engine struct {
	parser parser.Parser
}

func newEngine() *engine {
	// Only what belongs inside a paragraph is parsed: what looks like a block is
	// text here, and so is HTML.
	return &engine{parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 100)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(bareLinks{}, 350),
			util.Prioritized(extension.NewStrikethroughParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
	)}
}

// read is the prose of finished blocks.
func (e *engine) read(src string, open bool, rs refs) []piece {
	if open || !marked(src) {
		return inline(src, open, rs)
	}
	ctx := parser.NewContext()
	if !rs.none() {
		addRefs(ctx, src, rs)
	}
	r := reading{src: []byte(src)}
	r.children(e.parser.Parse(text.NewReader(r.src), parser.WithContext(ctx)), 0)
	return r.out
}

// known goes before a target that addRefs has brought: it was read before, and its
// backslashes are not to be taken out once more. Safe text does not hold it.
const known = "\x00"

// addRefs tells the parser the definitions src may ask for, not all there are.
func addRefs(ctx parser.Context, src string, rs refs) {
	for i := strings.IndexByte(src, '['); i >= 0; {
		rest := src[i+1:]
		end := strings.IndexByte(rest[:min(len(rest), 1000)], ']')
		if end > 0 {
			if dest, ok := rs.find(rest[:end]); ok {
				ctx.AddReference(parser.NewReference([]byte(rest[:end]), []byte(known+dest), nil))
			}
		}
		n := strings.IndexByte(rest, '[')
		if n < 0 {
			return
		}
		i += 1 + n
	}
}

// reading makes pieces of what was parsed.
type reading struct {
	src []byte
	out []piece
}

func (r *reading) add(s string, a attr) { r.lead(s, a, "") }

// lead is add for text that leads somewhere.
func (r *reading) lead(s string, a attr, to string) {
	if s = safe.Output(s); s == "" {
		return
	}
	if n := len(r.out); n > 0 && r.out[n-1].attr == a && r.out[n-1].to == to {
		r.out[n-1].text += s
		return
	}
	r.out = append(r.out, piece{s, a, to})
}

func (r *reading) children(n ast.Node, a attr) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		r.node(c, a)
	}
}

func (r *reading) node(n ast.Node, a attr) {
	switch n := n.(type) {
	case *ast.Text:
		s := string(n.Segment.Value(r.src))
		if !n.IsRaw() {
			s = unescape(s)
		}
		if n.SoftLineBreak() || n.HardLineBreak() {
			s += "\n"
		}
		r.add(s, a)
	case *ast.CodeSpan:
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				b.Write(t.Segment.Value(r.src))
			}
		}
		r.add(strings.ReplaceAll(b.String(), "\n", " "), a|code)
	case *ast.Emphasis:
		if n.Level > 1 {
			r.children(n, a|bold)
		} else {
			r.children(n, a|italic)
		}
	case *xast.Strikethrough:
		r.children(n, a|strike)
	case *ast.Link:
		r.link(n, string(n.Destination), "", a)
	case *ast.Image:
		r.link(n, string(n.Destination), "image: ", a)
	case *ast.AutoLink:
		look, text := target, string(n.Label(r.src))
		to := text
		switch {
		case n.AutoLinkType == ast.AutoLinkEmail:
			look, to = label, "mailto:"+text
		case n.Protocol != nil:
			text = unescape(text)
			to = text
		}
		r.lead(text, a|look, to)
	default:
		r.children(n, a)
	}
}

// link is a link's text and its target. The target is always shown: a text must not
// hide where it leads. An address that is part of the text leads where it says itself, and
// a text that names another host leads nowhere.
func (r *reading) link(n ast.Node, dest, before string, a attr) {
	dest, read := strings.CutPrefix(dest, known)
	if !read {
		dest = unescape(dest)
	}
	inner := reading{src: r.src}
	inner.children(n, a|label)
	own := ""
	for _, p := range inner.out {
		own += p.text
	}
	r.lead(before, a|label, dest)
	astray := elsewhere(own, dest) // its target beside it leads there, and says so
	for _, p := range inner.out {
		if p.to == "" && !astray {
			p.to = dest
		}
		r.lead(p.text, p.attr, p.to)
	}
	switch {
	case dest == "" || dest == own || dest == "mailto:"+own || strings.HasPrefix(dest, "#"):
	case own == "" && before == "":
		r.lead(dest, a|target, dest)
	default:
		r.add(" ", a)
		r.lead(dest, a|target, dest)
	}
}
