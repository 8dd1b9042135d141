package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
	"forge/sorting"
)

// encoder makes the body of one request. The messages stand last in it, so that a
// conversation that only grew makes a body that begins with the one before: the
// prefix caches of servers live on that.
type encoder struct {
	req    provider.Request
	srv    server
	state  *state
	quirks *provider.Quirks
	window int // tokens, for servers that must be told; 0: unknown

	out      []byte
	ids      ids
	tools    bool // the body has tools
	marked   bool // cache marks are set
	pixels   int  // bytes of the body that are images
	dropped  int  // tools left out because the server takes no more
	silenced bool // the person asked for thinking that the server refuses beside tools
}

func (e *encoder) encode() []byte {
	system, history := lead(e.req.System, e.req.Messages)
	b := brand(e.req.Model)
	e.ids = ids{
		style: e.srv.ids, strict: b == "claude", again: b == "kimi",
		used: map[string]bool{}, wire: map[string]string{},
	}
	e.marked = e.srv.marks && b == "claude" && !e.quirks.Refused("cache_control")
	e.pixels, e.silenced = 0, false
	turns := e.turns(history)

	e.out = append(slices.Grow(e.out[:0], e.req.Size()), `{"model":`...)
	e.out = appendQuote(e.out, e.req.Model)
	e.writeTools(turns)
	e.raw("stream", "true")
	if !e.srv.noOptions {
		e.field("stream_options", `{"include_usage":true}`)
	}
	e.limit()
	e.effort()
	e.extras(system, turns)
	e.out = append(e.out, `,"messages":[`...)
	first := true
	if system != "" {
		first = false
		e.out = append(e.out, `{"role":"system","content":`...)
		if e.marked {
			e.out = append(e.out, '[')
			e.textPart(system, true)
			e.out = append(e.out, ']')
		} else {
			e.out = appendQuote(e.out, system)
		}
		e.out = append(e.out, '}')
	}
	marks := e.marks(turns)
	for i, t := range turns {
		if !first {
			e.out = append(e.out, ',')
		}
		first = false
		e.message(t, marks[i])
	}
	e.out = append(e.out, "]}"...)
	return e.out
}

// raw writes a member that the request cannot do without.
func (e *encoder) raw(name, value string) {
	e.out = append(e.out, ',')
	e.out = appendQuote(e.out, name)
	e.out = append(e.out, ':')
	e.out = append(e.out, value...)
}

// field writes a member, unless the server was found to refuse it; a value it was
// found to insist on goes before ours.
func (e *encoder) field(name, value string) {
	if e.quirks.Refused(name) {
		return
	}
	if want, ok := e.quirks.Required(name); ok && want != "" {
		value = want
	}
	e.raw(name, value)
}

// limit writes the most tokens the answer may have, in the server's word for it.
func (e *encoder) limit() {
	n := e.req.MaxTokens
	if n <= 0 {
		return
	}
	name := "max_tokens"
	if e.srv.completion || !e.srv.local && e.srv.effort != effortObject && thinks(e.req.Model) {
		name = "max_completion_tokens"
	}
	if e.quirks.Refused(name) {
		other := "max_completion_tokens"
		if name == other {
			other = "max_tokens"
		}
		if e.quirks.Refused(other) {
			return
		}
		name = other
	}
	if most, ok := e.quirks.Required(name); ok && most != "" {
		if m, err := strconv.Atoi(most); err == nil {
			n = min(n, m)
		}
	}
	e.raw(name, strconv.Itoa(n))
}

// extras writes what single servers want.
func (e *encoder) extras(system string, turns []turn) {
	if e.srv.toolStream && e.tools {
		e.field("tool_stream", "true")
	}
	if e.srv.split {
		e.field("reasoning_split", "true")
	}
	if e.srv.costs {
		e.field("usage", `{"include":true}`)
	}
	if e.srv.numCtx && e.window > 0 {
		e.field("num_ctx", strconv.Itoa(e.window))
	}
	if e.srv.cacheKey {
		e.field("prompt_cache_key", string(appendQuote(nil, cacheKey(system, turns))))
	}
}

// cacheKey is the same for all requests of one conversation and differs between
// conversations: it follows from how they begin.
func cacheKey(system string, turns []turn) string {
	h := sha256.New()
	h.Write([]byte(system))
	if len(turns) > 0 {
		for _, p := range turns[0].parts {
			if t, ok := p.(provider.Text); ok {
				h.Write([]byte{0})
				h.Write([]byte(t.Text))
			}
		}
	}
	return "forge-" + hex.EncodeToString(h.Sum(nil)[:12])
}

// writeTools writes the tools by name, so that the beginning of the body never
// depends on the order they were registered in. Models behind gateways that
// translate want tools as soon as the history holds a call; where the request has
// none, the names of the history stand in.
func (e *encoder) writeTools(turns []turn) {
	specs := slices.Clone(e.req.Tools)
	standIn := len(specs) == 0 && brand(e.req.Model) == "claude"
	if standIn {
		for _, t := range turns {
			for _, u := range t.calls {
				name := provider.CallName(u.Name)
				if !slices.ContainsFunc(specs, func(s provider.ToolSpec) bool { return s.Name == name }) {
					specs = append(specs, provider.ToolSpec{Name: name, Description: "Not available now."})
				}
			}
		}
	}
	e.tools = len(specs) > 0
	if !e.tools {
		return // an empty array is refused
	}
	sorting.StableBy(specs, func(a, b provider.ToolSpec) int { return strings.Compare(a.Name, b.Name) })
	specs = slices.CompactFunc(specs, func(a, b provider.ToolSpec) bool { return a.Name == b.Name }) // a name twice is refused
	specs = e.fewer(specs)
	style := e.srv.schema
	if b := brand(e.req.Model); b == "gemini" || b == "kimi" {
		style = schemaSafe
	}
	e.out = append(e.out, `,"tools":[`...)
	for i, s := range specs {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(e.out, `{"type":"function","function":{"name":`...)
		e.out = appendQuote(e.out, s.Name)
		e.out = append(e.out, `,"description":`...)
		e.out = appendQuote(e.out, s.Description)
		e.out = append(e.out, `,"parameters":`...)
		e.out = append(e.out, trimSchema(s.Schema, style)...)
		e.out = append(e.out, "}}"...)
	}
	e.out = append(e.out, ']')
	if standIn {
		e.field("tool_choice", `"none"`)
	}
}

// fewer leaves out what is more than the server takes, which would fail every
// request. Tools of mounted servers, whose names hold "__", go before our own.
func (e *encoder) fewer(specs []provider.ToolSpec) []provider.ToolSpec {
	e.dropped = len(specs) - e.srv.tools
	if e.srv.tools == 0 || e.dropped <= 0 {
		e.dropped = 0
		return specs
	}
	left := e.dropped
	var kept []provider.ToolSpec
	for i := len(specs) - 1; i >= 0; i-- {
		if left > 0 && strings.Contains(specs[i].Name, "__") {
			left--
			continue
		}
		kept = append(kept, specs[i])
	}
	slices.Reverse(kept)
	return kept[:min(len(kept), e.srv.tools)]
}

// marks says which turns carry a cache mark: with the system prompt at most four
// may, and the last two of the user's side let the next request find this one.
func (e *encoder) marks(turns []turn) []bool {
	m := make([]bool, len(turns))
	if !e.marked {
		return m
	}
	for i, n := len(turns)-1, 0; i >= 0 && n < 2; i-- {
		// Of results in a row only the last: they are one message behind the gateway.
		if turns[i].role != "assistant" && (n == 0 || turns[i+1].role == "assistant") {
			m[i] = true
			n++
		}
	}
	return m
}

// message writes one message. Content is always there: some servers refuse a
// message without the key, even beside calls.
func (e *encoder) message(t turn, mark bool) {
	e.out = append(e.out, `{"role":"`...)
	e.out = append(e.out, t.role...)
	e.out = append(e.out, '"')
	if t.role == "tool" {
		e.out = append(e.out, `,"tool_call_id":`...)
		e.out = appendQuote(e.out, t.callID)
	}
	if t.role == "assistant" {
		e.assistantMessage(t)
	} else {
		e.out = append(e.out, `,"content":`...)
		e.content(t.parts, mark)
	}
	e.out = append(e.out, '}')
}

// content writes a string where there is only text, else an array of parts.
func (e *encoder) content(parts []provider.Block, mark bool) {
	image := false
	var texts []string
	for i, p := range parts {
		switch p := p.(type) {
		case provider.Image:
			if !e.state.blind() {
				image = true
				continue
			}
			parts[i] = provider.Text{Text: "(an image stood here; this model sees none)"}
			texts = append(texts, parts[i].(provider.Text).Text)
		case provider.Text:
			texts = append(texts, p.Text)
		}
	}
	if !image && !e.marked {
		e.out = appendQuote(e.out, strings.Join(texts, "\n\n"))
		return
	}
	e.out = append(e.out, '[')
	for i, p := range parts {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		switch p := p.(type) {
		case provider.Text:
			e.textPart(p.Text, mark && i == len(parts)-1)
		case provider.Image:
			e.pixels += len(p.Data)
			e.out = append(e.out, `{"type":"image_url","image_url":{"url":`...)
			e.out = appendQuote(e.out, "data:"+p.MIME+";base64,"+p.Data)
			e.out = append(e.out, "}}"...)
		}
	}
	e.out = append(e.out, ']')
}

func (e *encoder) textPart(text string, mark bool) {
	e.out = append(e.out, `{"type":"text","text":`...)
	e.out = appendQuote(e.out, text)
	if mark {
		e.out = append(e.out, `,"cache_control":{"type":"ephemeral"}`...)
	}
	e.out = append(e.out, '}')
}

// arguments is a call's argument text as servers take it: the very bytes where
// they are an object. Anything else is refused by servers that parse it, for the
// rest of the conversation, so it goes back whole inside an object.
func arguments(input string) string {
	t := strings.TrimSpace(input)
	switch {
	case t == "":
		return "{}"
	case t[0] == '{' && gjson.Valid(t):
		return provider.PairedEscapes(input)
	}
	return `{"_invalid_json":` + string(appendQuote(nil, input)) + `}`
}
