package openai

import (
	"strings"
)

// memo is the frame around the last piece of plain text. Most servers send the
// same bytes before and after every piece, so a chunk that begins and ends like
// the last and has nothing but a string in between needs no parsing.
type memo struct {
	head, tail []byte
	field      string // where reasoning came in; empty: text
	set        bool
}

// note counts what p holds, to find out whether the frame is only plain text.
func (f *frame) note(p *parts) {
	if p.copilot != "" || p.details != "" || p.opaque != "" || p.extra != "" || holds(p.blocks) || holds(p.refusal) || holds(p.calls) || holds(p.legacy) {
		f.others++
		return
	}
	for _, t := range [...]struct {
		raw   string
		at    int
		field string
	}{{p.content, p.contentAt, ""}, {p.reasoning, p.reasoningAt, fieldContent}, {p.plain, p.plainAt, fieldPlain}} {
		switch {
		case !holds(t.raw):
		case t.raw[0] != '"' || strings.IndexByte(t.raw, '\\') >= 0:
			f.others++
		default:
			f.texts++
			f.textFrom, f.textUntil, f.textField = t.at+1, t.at+len(t.raw)-1, t.field
		}
	}
}

func holds(raw string) bool {
	return raw != "" && raw != "null" && raw != `""` && raw != "[]"
}

// remember keeps the frame of text where it held one piece of plain text and
// nothing else that counts.
func (d *decoder) remember(text string, f *frame) {
	d.last.set = f.texts == 1 && f.others == 0 && (f.usage == "" || f.usage == "null") && f.groq == "" &&
		!f.failed && !f.flat && !f.words && !f.coded && !d.thought
	if !d.last.set {
		return
	}
	d.last.head = append(d.last.head[:0], text[:f.textFrom]...)
	d.last.tail = append(d.last.tail[:0], text[f.textUntil:]...)
	d.last.field = f.textField
}

// again takes a frame that differs from the last only in its text, if it is one.
// A quote or a backslash in between would end the string or need unescaping.
func (d *decoder) again(text string) bool {
	m := &d.last
	if !m.set || len(text) <= len(m.head)+len(m.tail) || text[:len(m.head)] != string(m.head) || text[len(text)-len(m.tail):] != string(m.tail) {
		return false
	}
	piece := text[len(m.head) : len(text)-len(m.tail)]
	if strings.IndexByte(piece, '"') >= 0 || strings.IndexByte(piece, '\\') >= 0 {
		return false
	}
	d.frames++
	if m.field != "" {
		d.thinking(strings.Clone(piece), m.field)
	} else {
		d.text(strings.Clone(piece))
	}
	return true
}
