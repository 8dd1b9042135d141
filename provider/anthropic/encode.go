package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
	"forge/sorting"
)

// encoder turns one request into a body. It reads what was learned of the model
// and changes nothing.
type encoder struct {
	req       provider.Request
	family    family
	quirks    *provider.Quirks
	state     *state
	official  bool // the vendor's own endpoint, which may be sent what clones do not know
	noCache   bool
	maxOutput int // of the model, where the catalogue knows it
	lowered   int // max_tokens after a refusal that named the room left; 0: none
}

// encode returns the body. What never changes in a session stands first and the
// messages last, each as its own bytes, so that a request begins with the bytes of
// the one before it: that is what servers' caches live on.
func (e *encoder) encode() ([]byte, error) {
	system, turns := e.turns()
	if len(turns) == 0 {
		return nil, &provider.Error{
			Kind: provider.KindInvalid, NoRetry: true, Message: "nothing to send: the conversation holds no message",
			Hint: "write a prompt",
		}
	}
	s := e.settle(bareLoop(turns))
	marks := e.marks(turns)

	b := append(make([]byte, 0, e.req.Size()), `{"model":`...)
	b = appendQuote(b, e.req.Model)
	b = strconv.AppendInt(append(b, `,"max_tokens":`...), int64(s.maxTokens), 10)
	b = append(b, `,"stream":true`...)
	if s.thinking != "" {
		b = append(append(b, `,"thinking":`...), s.thinking...)
	}
	if s.effort != "" {
		b = append(appendQuote(append(b, `,"output_config":{"effort":`...), s.effort), '}')
	}
	b = e.tools(b, marks)
	b = e.system(b, join(e.req.System, system), marks)
	b = append(b, `,"messages":[`...)
	m := newIDs()
	for i, t := range turns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"role":"`...), string(t.role)...)
		b = append(b, `","content":[`...)
		b = e.content(b, t, m, marks.turn == nil || !marks.turn[i])
		b = append(b, `]}`...)
	}
	return append(b, `]}`...), nil
}

func (e *encoder) system(b []byte, words string, marks marks) []byte {
	if strings.TrimSpace(words) == "" {
		return b
	}
	b = appendQuote(append(b, `,"system":[{"type":"text","text":`...), words)
	if marks.system {
		b = append(b, cacheMark...)
	}
	return append(b, `}]`...)
}

// tools writes the tools sorted by name: the order in which tools were mounted
// must not change the prefix.
func (e *encoder) tools(b []byte, marks marks) []byte {
	specs := slices.Clone(e.req.Tools)
	sorting.StableBy(specs, func(a, b provider.ToolSpec) int { return strings.Compare(a.Name, b.Name) })
	specs = slices.CompactFunc(specs, func(a, b provider.ToolSpec) bool { return a.Name == b.Name }) // the wire refuses a name that comes twice
	if len(specs) == 0 {
		return b
	}
	b = append(b, `,"tools":[`...)
	for i, t := range specs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuote(append(b, `{"name":`...), t.Name)
		if t.Description != "" {
			b = appendQuote(append(b, `,"description":`...), t.Description)
		}
		b = append(append(b, `,"input_schema":`...), safeSchema(t.Schema)...)
		if marks.tools && i == len(specs)-1 {
			b = append(b, cacheMark...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// content writes a turn's blocks; plain says that it bears no cache mark.
func (e *encoder) content(b []byte, t turn, m *ids, plain bool) []byte {
	at := -1
	if !plain {
		at = markable(t.blocks)
	}
	first := true
	for i, blk := range t.blocks {
		start := len(b)
		if !first {
			b = append(b, ',')
		}
		before := len(b)
		switch blk := blk.(type) {
		case provider.Text:
			b = appendQuote(append(b, `{"type":"text","text":`...), blk.Text)
			if i+1 < len(t.blocks) {
				b = appendCitations(b, t.blocks[i+1])
			}
		case provider.Thinking:
			b = appendQuote(append(b, `{"type":"thinking","thinking":`...), blk.Text)
			b = appendQuote(append(b, `,"signature":`...), blk.Signature)
			b = appendFields(b, blk.Extra)
		case provider.ToolUse:
			b = appendQuote(append(b, `{"type":"tool_use","id":`...), m.use(blk))
			b = appendQuote(append(b, `,"name":`...), provider.CallName(blk.Name))
			b = append(append(b, `,"input":`...), inputJSON(blk.Input)...)
			if e.official {
				b = appendFields(b, blk.Extra)
			}
		case provider.ToolResult:
			b = appendResult(b, blk, m)
		case provider.Image:
			b = appendImage(b, blk)
		case provider.Opaque:
			if gjson.Get(blk.JSON, "type").String() != citationsType {
				b = append(b, strings.TrimSuffix(strings.TrimSpace(blk.JSON), "}")...)
			}
		}
		if len(b) == before {
			b = b[:start]
			continue
		}
		if i == at {
			b = append(b, cacheMark...)
		}
		b = append(b, '}')
		first = false
	}
	return b
}

// appendResult writes a tool result without its closing brace.
func appendResult(b []byte, r provider.ToolResult, m *ids) []byte {
	b = appendQuote(append(b, `{"type":"tool_result","tool_use_id":`...), m.result(r.ID))
	b = append(b, `,"content":`...)
	if t, ok := r.Content[0].(provider.Text); ok && len(r.Content) == 1 {
		b = appendQuote(b, t.Text)
	} else {
		for i, p := range r.Content {
			b = append(b, "[,"[min(i, 1)])
			if t, ok := p.(provider.Text); ok {
				b = appendQuote(append(b, `{"type":"text","text":`...), t.Text)
			} else {
				b = appendImage(b, p.(provider.Image))
			}
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	if r.IsError {
		b = append(b, `,"is_error":true`...)
	}
	return b
}

// image is what goes in an image's place: itself, or words where the wire or the
// model takes no such picture.
func (e *encoder) image(i provider.Image) provider.Block {
	if i.MIME == "image/jpg" {
		i.MIME = "image/jpeg"
	}
	switch {
	case e.state.knows(&e.state.noImages):
		return provider.Text{Text: noImage}
	case i.Data == "":
		return provider.Text{Text: "(an image was here; it is empty)"}
	case i.MIME == "image/png", i.MIME == "image/jpeg", i.MIME == "image/gif", i.MIME == "image/webp":
		return i
	}
	return provider.Text{Text: "(an image of type " + i.MIME + " was here; only png, jpeg, gif and webp can be shown)"}
}

func appendImage(b []byte, i provider.Image) []byte {
	b = appendQuote(append(b, `{"type":"image","source":{"type":"base64","media_type":`...), i.MIME)
	return append(appendQuote(append(b, `,"data":`...), i.Data), '}')
}

// appendCitations puts the citations of a text back into it.
func appendCitations(b []byte, next provider.Block) []byte {
	o, ok := next.(provider.Opaque)
	if !ok || gjson.Get(o.JSON, "type").String() != citationsType {
		return b
	}
	return append(append(b, `,"citations":`...), gjson.Get(o.JSON, "citations").Raw...)
}

// appendFields adds the fields of a raw object.
func appendFields(b []byte, object string) []byte {
	object = strings.TrimSpace(object)
	if len(object) <= len("{}") || object[0] != '{' || !json.Valid([]byte(object)) {
		return b
	}
	return append(append(b, ','), object[1:len(object)-1]...)
}

// ours reports whether origin is this wire and model.
func (e *encoder) ours(origin string) bool { return sameModel(origin, Origin(e.req.Model)) }

// keeps reports whether a thinking block may go back: a server may have said that
// it does not fit its place any more.
func (e *encoder) keeps(signature, extra string) bool {
	return !e.state.dropped(signature + extra)
}

func (e *encoder) wantsThinking() bool {
	if e.req.Effort == provider.EffortNone || e.quirks.Refused("thinking") {
		return false
	}
	_, learned := e.quirks.Required("reasoning_content")
	return learned || e.family.wants
}

// placeholderThought stands in for thinking that another model did: servers that
// want thinking beside every call want none of its words.
func (e *encoder) placeholderThought() string {
	if v, ok := e.quirks.Required("reasoning_content"); ok && json.Valid([]byte(v)) {
		if s := gjson.Parse(v); s.Type == gjson.String {
			return s.Str
		}
	}
	return placeholder
}

// bareLoop reports whether the request ends in results whose calls were made
// without thinking.
func bareLoop(turns []turn) bool {
	n := len(turns)
	if n < 2 || turns[n-1].role != provider.User || turns[n-2].role != provider.Assistant {
		return false
	}
	if _, ok := turns[n-1].blocks[0].(provider.ToolResult); !ok {
		return false
	}
	switch b := turns[n-2].blocks[0].(type) {
	case provider.Thinking:
		return false
	case provider.Opaque:
		return gjson.Get(b.JSON, "type").String() != "redacted_thinking"
	}
	return true
}

// compact is raw JSON without its white space.
func compact(raw []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}
