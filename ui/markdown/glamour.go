package markdown

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	gansi "charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"forge/ui/safe"
)

// engine reads the prose of finished blocks with Glamour. It is used by one
// goroutine at a time.
//
// Glamour is given one paragraph at a time, and its styles are marks that are
// read back into pieces; containers, code, tables and wrapping are drawn by the
// machine, for finished blocks as for open ones. On whole documents Glamour
// joins the paragraphs of a list item, loses hard breaks, wraps items without
// hanging indentation, drops HTML, takes backslashes out of code and decodes
// entities into control characters after the text was made safe; and a block
// would jump when it is finished.
type engine struct {
	md  goldmark.Markdown
	buf bytes.Buffer
}

// The marks: Glamour writes them as SGR codes, which pieces reads back.
const (
	markCode   = "1"
	markTarget = "2"
	markLabel  = "3"
)

func newEngine() *engine {
	yes := true
	color := func(c string) gansi.StylePrimitive { return gansi.StylePrimitive{Color: &c} }
	image := color(markLabel)
	image.Format = "image: {{.text}}"
	style := gansi.StyleConfig{
		Strong:        gansi.StylePrimitive{Bold: &yes},
		Emph:          gansi.StylePrimitive{Italic: &yes},
		Strikethrough: gansi.StylePrimitive{CrossedOut: &yes},
		Code:          gansi.StyleBlock{StylePrimitive: color(markCode)},
		Link:          color(markTarget),
		LinkText:      color(markLabel),
		Image:         color(markTarget),
		ImageText:     image,
	}
	draw := gansi.NewRenderer(gansi.Options{Styles: style, PreserveNewLines: true})
	// Only what belongs inside a paragraph is parsed: what looks like a block is
	// text here, and so is HTML.
	p := parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 100)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(extension.NewStrikethroughParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
		),
	)
	return &engine{md: goldmark.New(
		goldmark.WithParser(p),
		goldmark.WithRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(draw, 1000)))),
	)}
}

// read is the prose of finished blocks. It falls back to the cheap reading
// where Glamour would not show all of the text.
func (e *engine) read(src string, open bool, rs refs) []piece {
	own, dests := readInline(src, open, rs)
	if open || !strings.ContainsAny(src, marks) {
		return own
	}
	for _, d := range dests {
		// Glamour leaves out the target of a link it cannot parse, so that its
		// text would hide where it leads, and makes relative ones absolute.
		if u, err := url.Parse(d); err != nil || !u.IsAbs() && !strings.HasPrefix(d, "#") {
			return own
		}
	}
	ctx := parser.NewContext()
	if len(rs) > 0 {
		addRefs(ctx, src, rs)
	}
	e.buf.Reset()
	if err := e.md.Convert([]byte(prepare(src)), &e.buf, parser.WithContext(ctx)); err != nil {
		return own
	}
	ps := piecesOf(e.buf.String())
	if squeeze(ps) != squeeze(own) && letters(ps) < letters(own) {
		return own // something is missing
	}
	return ps
}

// addRefs tells the parser the definitions src may ask for, not all there are.
func addRefs(ctx parser.Context, src string, rs refs) {
	for i := strings.IndexByte(src, '['); i >= 0; {
		rest := src[i+1:]
		end := strings.IndexByte(rest[:min(len(rest), 1000)], ']')
		if end > 0 {
			if dest, ok := rs[foldLabel(rest[:end])]; ok {
				ctx.AddReference(parser.NewReference([]byte(rest[:end]), []byte(dest), nil))
			}
		}
		n := strings.IndexByte(rest, '[')
		if n < 0 {
			return
		}
		i += 1 + n
	}
}

// prepare writes src so that Glamour reads it as CommonMark says. Glamour
// decodes entities in code and decodes those that stand for controls, and knows
// only some of the backslash escapes.
func prepare(src string) string {
	if !strings.ContainsAny(src, "\\&`") {
		return src
	}
	var b strings.Builder
	b.Grow(len(src) + 16)
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src) && isPunct(src[i+1]):
			if strings.IndexByte("\\`*_{}[]<>()#+-.!|", src[i+1]) >= 0 {
				b.WriteString(src[i : i+2])
			} else {
				b.WriteString("&#" + strconv.Itoa(int(src[i+1])) + ";")
			}
			i += 2
		case c == '`':
			_, _, end, ok := codeSpanEnd(src, i)
			if !ok {
				end = i + run(src, i)
			}
			b.WriteString(strings.ReplaceAll(src[i:end], "&", "&amp;"))
			i = end
		case c == '&':
			text, n := decodeEntity(src[i:])
			switch {
			case n == 0:
				b.WriteString("&amp;")
				i++
			case text == " ":
				b.WriteByte(' ')
				i += n
			default:
				b.WriteString(src[i : i+n])
				i += n
			}
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// piecesOf reads Glamour's output. Nothing but text and the marks gets through.
func piecesOf(s string) []piece {
	var out []piece
	var a attr
	s = strings.Trim(s, "\n")
	add := func(text string) {
		text = safe.Output(text)
		if text == "" {
			return
		}
		if n := len(out); n > 0 && out[n-1].attr == a {
			out[n-1].text += text
			return
		}
		out = append(out, piece{text, a})
	}
	for s != "" {
		n := strings.IndexByte(s, 0x1b)
		if n < 0 {
			add(s)
			break
		}
		add(s[:n])
		s = s[n:]
		if strings.HasPrefix(s, "\x1b[") {
			end := strings.IndexFunc(s[2:], func(r rune) bool { return r >= 0x40 })
			if end < 0 {
				break
			}
			if s[2+end] == 'm' {
				a = looks(a, s[2:2+end])
			}
			s = s[2+end+1:]
			continue
		}
		// A hyperlink: its target is in the text as well.
		end, size := strings.IndexByte(s, 7), 1
		if st := strings.Index(s, "\x1b\\"); st >= 0 && (end < 0 || st < end) {
			end, size = st, 2
		}
		if end < 0 {
			break
		}
		s = s[end+size:]
	}
	return linkTargets(out)
}

func looks(a attr, params string) attr {
	for p := range strings.SplitSeq(params, ";") {
		switch p {
		case "", "0":
			a = 0
		case "1":
			a |= bold
		case "3":
			a |= italic
		case "9":
			a |= strike
		case "3" + markCode:
			a |= code
		case "3" + markTarget:
			a |= target
		case "3" + markLabel:
			a |= label
		}
	}
	return a
}

// linkTargets takes out targets that only repeat their text, as link does.
func linkTargets(ps []piece) []piece {
	out := ps[:0]
	text := "" // of the label before
	for i := 0; i < len(ps); i++ {
		p := ps[i]
		if p.attr&label != 0 {
			text += p.text
			out = append(out, p)
			continue
		}
		if text != "" && p.text == " " && i+1 < len(ps) && ps[i+1].attr&target != 0 {
			if next := ps[i+1].text; next == text || next == "mailto:"+text || strings.HasPrefix(next, "#") {
				i++
				text = ""
				continue
			}
		}
		text = ""
		out = append(out, p)
	}
	return out
}

func squeeze(ps []piece) string {
	var b strings.Builder
	for _, p := range ps {
		for f := range strings.FieldsSeq(p.text) {
			b.WriteString(f)
		}
	}
	return b.String()
}

// letters counts letters and digits, which no mark consists of.
func letters(ps []piece) int {
	n := 0
	for _, p := range ps {
		for i := range len(p.text) {
			if isWord(p.text[i]) || p.text[i] >= 0x80 {
				n++
			}
		}
	}
	return n
}
