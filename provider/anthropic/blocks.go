package anthropic

import (
	"crypto/rand"
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

type kind int

const (
	text kind = iota
	thinking
	call
	opaque // any other: kept whole for the wire
)

// block is one content block while it streams.
type block struct {
	kind   kind
	wire   int // its index as the server counts; indexes are reused and forgotten
	index  int // as forge counts; -1: not placed yet
	closed bool

	id, extra string // of a call
	given     string // of a call: input that came whole with its start
	streamed  bool   // of a call: input came in deltas

	citations []string // of a text, each raw JSON
	citeIndex int

	raw    string   // of an opaque block: its start
	fields []*field // of an opaque block: what deltas added
}

// at returns the newest block with the server's index.
func (d *decoder) at(wire int) *block {
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if d.blocks[i].wire == wire {
			return d.blocks[i]
		}
	}
	return nil
}

func (d *decoder) add(k kind, wire int) *block {
	d.open()
	b := &block{kind: k, wire: wire, index: -1}
	d.blocks = append(d.blocks, b)
	return b
}

// place gives b its index. It happens when b has something to say, so that
// indexes have no holes.
func (d *decoder) place(b *block) int {
	if b.index < 0 {
		b.index = d.next
		d.next++
	}
	return b.index
}

// start opens a block. Compatible servers put the first text, or the whole input,
// into it.
func (d *decoder) start(e envelope) {
	if !e.block.IsObject() {
		return
	}
	if !e.indexed {
		e.index = len(d.blocks)
	}
	switch e.block.Get("type").String() {
	case "text":
		b := d.add(text, e.index)
		if s := e.block.Get("text").String(); s != "" {
			d.emit(provider.TextDelta{Index: d.place(b), Text: s})
		}
		e.block.Get("citations").ForEach(func(_, c gjson.Result) bool {
			d.cite(b, c)
			return true
		})
	case "thinking":
		b := d.add(thinking, e.index)
		d.thought = true
		d.emit(provider.ThinkingDelta{
			Index: d.place(b), Text: e.block.Get("thinking").String(),
			Signature: e.block.Get("signature").String(), Extra: others(e.block, "type", "thinking", "signature"),
		})
	case "tool_use":
		b := d.add(call, e.index)
		b.id, b.given = newID(), givenInput(e.block.Get("input"))
		b.extra = others(e.block, "type", "id", "name", "input")
		if gjson.Get(b.extra, "caller.type").String() == "direct" { // says nothing, and clones do not know it
			b.extra = others(gjson.Parse(b.extra), "caller")
		}
		d.emit(provider.ToolUseStart{
			Index: d.place(b), ID: b.id, WireID: e.block.Get("id").String(),
			Name: e.block.Get("name").String(), Extra: b.extra,
		})
	default:
		b := d.add(opaque, e.index)
		b.raw = e.block.Raw
		d.place(b)
		if strings.HasSuffix(e.block.Get("type").String(), "tool_use") {
			d.rounds = true
		}
		if e.block.Get("type").String() == "redacted_thinking" {
			d.thought = true
		}
	}
}

// delta adds to a block. Proxies lose starts and mix up indexes: a delta that
// fits no block makes its own.
func (d *decoder) delta(e envelope) {
	var typ, words string
	var citation gjson.Result
	e.delta.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "type":
			typ = v.Str
		case "text", "thinking", "signature", "partial_json":
			if words = v.Str; v.Type == gjson.JSON {
				words = v.Raw // an object where its text belongs
			}
		case "citation":
			citation = v
		}
		return true
	})
	b := d.at(e.index)
	if !e.indexed && len(d.blocks) > 0 {
		b = d.blocks[len(d.blocks)-1]
	}
	if b != nil && b.kind == opaque {
		b.grow(typ, words, citation, e.delta)
		if b.closed {
			d.emitOpaque(b) // late: say it again, now whole
		}
		return
	}
	switch typ {
	case "text_delta":
		if b == nil || b.kind != text {
			b = d.add(text, e.index)
		}
		if words != "" {
			d.say(b, words)
		}
	case "thinking_delta", "signature_delta":
		if b == nil || b.kind != thinking {
			b = d.add(thinking, e.index)
			d.thought = true
		}
		ev := provider.ThinkingDelta{Index: d.place(b), Text: words}
		if typ == "signature_delta" {
			ev.Text, ev.Signature = "", words
		}
		if words != "" {
			d.emit(ev)
		}
	case "input_json_delta":
		if b == nil || b.kind != call {
			if b = d.lastCall(); b == nil {
				b = d.add(call, e.index)
				b.id = newID()
				d.emit(provider.ToolUseStart{Index: d.place(b), ID: b.id})
			}
		}
		if words != "" {
			d.say(b, words)
		}
	case "citations_delta":
		if b != nil && b.kind == text {
			d.cite(b, citation)
		}
	}
}

func (d *decoder) lastCall() *block {
	if n := len(d.blocks); n > 0 && d.blocks[n-1].kind == call {
		return d.blocks[n-1]
	}
	return nil
}

// cite keeps a citation of a text. forge's Text has no place for it, so that all
// of a text's citations travel as one opaque block right behind it; the encoder
// puts them back.
func (d *decoder) cite(b *block, c gjson.Result) {
	if !c.IsObject() {
		return
	}
	if len(b.citations) == 0 {
		if b.index < 0 { // its words come later, but its place is before the citations'
			d.emit(provider.TextDelta{Index: d.place(b)})
		}
		b.citeIndex = d.next
		d.next++
	}
	b.citations = append(b.citations, c.Raw)
	if b.closed {
		d.emitCitations(b)
	}
}

func (d *decoder) emitCitations(b *block) {
	d.emit(provider.OpaqueBlock{Index: b.citeIndex, Block: provider.Opaque{
		Origin: d.origin, JSON: `{"type":"` + citationsType + `","citations":[` + strings.Join(b.citations, ",") + `]}`,
	}})
}

// citationsType is forge's own name for the citations of the text before them.
const citationsType = "text_citations"

// close ends a block. clean says that the server ended it; otherwise the message
// ended first, and a call without a byte of input may be one that was cut off.
func (d *decoder) close(b *block, clean bool) {
	if b.closed {
		return
	}
	b.closed = true
	switch b.kind {
	case text:
		if b.index < 0 && d.thought {
			// An empty text is part of a turn whose thinking is bound to its place.
			d.emit(provider.TextDelta{Index: d.place(b)})
		}
		if len(b.citations) > 0 {
			d.emitCitations(b)
		}
	case call:
		switch {
		case b.streamed:
		case b.given != "":
			d.emit(provider.ToolUseDelta{Index: b.index, JSON: b.given})
		case clean || d.reason != "max_tokens":
			d.emit(provider.ToolUseDelta{Index: b.index, JSON: "{}"}) // a tool without parameters
		}
	case opaque:
		d.emitOpaque(b)
	}
}

// givenInput is a call's input that came whole with its start; "" for the usual
// placeholder. Some servers encode it twice, as a string that holds the object.
func givenInput(v gjson.Result) string {
	s := v.Raw
	if v.Type == gjson.String && gjson.Valid(v.Str) && gjson.Parse(v.Str).IsObject() {
		s = v.Str
	}
	switch {
	case v.Type == gjson.Null, v.IsObject() && len(v.Map()) == 0, s == `""`:
		return ""
	case v.IsObject():
		return provider.ObjectText(s)
	}
	return s
}

// others is an object of v's fields but those named and those that are null; ""
// where none is left.
func others(v gjson.Result, but ...string) string {
	var out strings.Builder
	v.ForEach(func(k, v gjson.Result) bool {
		for _, name := range but {
			if k.Str == name {
				return true
			}
		}
		if v.Type == gjson.Null {
			return true
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		out.WriteString(k.Raw + ":" + v.Raw)
		return true
	})
	if out.Len() == 0 {
		return ""
	}
	return "{" + out.String() + "}"
}

// newID is forge's own id of a call, unique in every session.
func newID() string { return "call_" + rand.Text()[:20] }
