package openai

import (
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// frame takes one JSON value of the reply: a chunk, an error, or with whole set a
// complete body. Content comes before finish and finish before usage, because
// some servers send all three in one frame. It returns false where text is not
// JSON; what it held up to there may be out already.
func (d *decoder) frame(text string, failed, whole bool) bool {
	if text[0] == '[' { // Google wraps its errors so
		if !valid(text) {
			return false
		}
		if failed || gjson.Get(text, "0.error").Exists() {
			d.fail(provider.ClassifyStream("", "", strings.Clone(text)))
		}
		return true
	}
	var f frame
	c := scanner{s: text}
	c.object(func(key string) {
		switch key {
		case "choices":
			if c.peek() == '[' {
				f.choices = true
				d.begin()
				c.array(func() { d.choice(&c, &f) })
			}
		case "usage":
			f.usage = c.value()
		case "x_groq":
			f.groq = c.value()
		case "base_resp": // MiniMax has one in every frame; 0 is well
			v := leaf(c.value())
			f.failed = says(v.Get("status_code")) || f.failed
		case "error", "errors", "detail":
			f.failed = says(leaf(c.value())) || f.failed
		case "object":
			f.flat = c.value() == `"error"` || f.flat
		case "message":
			f.words = c.peek() == '"'
		case "code", "status", "status_code", "statusCode":
			f.coded = says(leaf(c.value())) || f.coded
		case "type":
			kind := c.value()
			f.flat = f.flat || kind == `"error"`
			f.coded = f.coded || strings.HasSuffix(kind, `rror"`) // server_error, BadRequestError
			if strings.HasPrefix(kind, `"message_`) || strings.HasPrefix(kind, `"content_block_`) {
				d.foreign = "anthropic"
			} else if strings.HasPrefix(kind, `"response.`) {
				d.foreign = "responses"
			}
		}
	})
	if !c.done() {
		return false
	}
	if !f.choices && strings.HasPrefix(f.usage, "{") {
		d.begin()
	}
	d.remember(text, &f)
	if f.finish = strings.ToLower(f.finish); f.finish != "" && f.finish != "null" && (d.finish == "" || failedFinish.Get()[f.finish]) {
		d.finish = strings.Clone(f.finish)
	}
	d.readUsage(leaf(f.usage))
	d.readUsage(leaf(f.choiceUsage))
	if f.groq != "" {
		groq := leaf(f.groq)
		d.readUsage(groq.Get("usage"))
		f.failed = f.failed || says(groq.Get("error")) && groq.Get("error").Exists()
	}
	if f.failed || f.flat || f.words && f.coded && !f.choices || failed {
		d.fail(provider.ClassifyStream("", "", strings.Clone(text)))
	}
	return true
}

// frame is what one chunk holds beside its content.
type frame struct {
	choices             bool
	finish              string
	usage, groq         string // raw
	choiceUsage         string
	failed, flat        bool // it has an error object; it is an error object itself
	words, coded        bool // a message that is a string; a code
	texts, others       int  // pieces of plain text; anything else that counts
	textFrom, textUntil int  // where the one piece of text lies
	textField           string
}

// begin notes a frame of a reply.
func (d *decoder) begin() {
	if d.frames == 0 {
		d.emit(provider.Start{Origin: d.opts.Origin})
	}
	d.frames++
}

// says reports whether an error value says anything: servers send null, "" and {}
// beside a healthy chunk.
func says(v gjson.Result) bool {
	switch v.Type {
	case gjson.Null, gjson.False:
		return false
	case gjson.Number:
		return v.Num != 0
	}
	return v.Raw != `""` && v.Raw != "{}" && v.Raw != "[]"
}

// choice reads one choice; only index 0 counts, forge asks for no other.
func (d *decoder) choice(c *scanner, f *frame) {
	if c.peek() != '{' {
		return
	}
	var delta, message parts
	finish, usage := "", ""
	index := "0"
	c.object(func(key string) {
		switch key {
		case "index":
			index = c.value()
		case "delta":
			delta.read(c)
		case "message":
			message.read(c)
		case "finish_reason":
			finish = leaf(c.value()).Str
		case "usage":
			usage = c.value()
		case "error":
			f.failed = says(leaf(c.value())) || f.failed
		}
	})
	if c.bad || index != "0" && index != "null" && index != "0.0" && index != `"0"` {
		f.others++
		return
	}
	if finish != "" {
		f.finish = finish
		f.others++
	}
	if usage != "" && usage[0] == '{' {
		f.choiceUsage = usage
		f.others++
	}
	switch {
	case delta.there:
		d.sawPart = true
		d.delta(&delta, f, false)
	case message.there && !d.sawPart:
		f.others++
		d.delta(&message, f, true)
	}
}

// parts are the members of a delta or message that mean something, raw.
type parts struct {
	there                                       bool
	content, reasoning, plain, copilot, details string
	contentAt, reasoningAt, plainAt             int
	opaque, extra, refusal, calls, legacy       string
	blocks                                      string // LiteLLM's thinking_blocks
}

func (p *parts) read(c *scanner) {
	if c.peek() != '{' {
		return
	}
	p.there = true
	c.object(func(key string) {
		switch key {
		case "content":
			p.contentAt = c.i
			p.content = c.value()
		case "reasoning_content":
			p.reasoningAt = c.i
			p.reasoning = c.value()
		case "reasoning":
			p.plainAt = c.i
			p.plain = c.value()
		case "reasoning_text":
			p.copilot = c.value()
		case "reasoning_details":
			p.details = c.value()
		case "thinking_blocks":
			p.blocks = c.value()
		case "reasoning_opaque":
			p.opaque = c.value()
		case "extra_content":
			p.extra = c.value()
		case "refusal":
			p.refusal = c.value()
		case "tool_calls":
			p.calls = c.value()
		case "function_call":
			p.legacy = c.value()
		}
	})
}

// delta takes one piece of the reply, or with whole set the whole message.
func (d *decoder) delta(p *parts, f *frame, whole bool) {
	f.note(p)
	if p.opaque != "" {
		d.extras.set("reasoning_opaque", leaf(p.opaque))
	}
	if holds(p.blocks) {
		d.blocks.add(leaf(p.blocks))
	}
	if p.refusal != "" {
		if v := leaf(p.refusal); v.Type == gjson.String && v.Str != "" {
			d.payload++
			d.refusal.WriteString(v.Str)
		}
	}
	if p.reasoning != "" || p.plain != "" || p.copilot != "" || p.details != "" {
		d.reasoning(reasoning{leaf(p.reasoning), leaf(p.plain), leaf(p.copilot), leaf(p.details)})
	}
	flagged := false
	if p.extra != "" {
		extra := leaf(p.extra)
		flagged = extra.Get("google.thought").Bool()
		if !flagged && extra.Get("google.thought_signature").Exists() {
			d.extras.set("extra_content", extra)
		}
	}
	if p.content != "" && p.content != `""` {
		d.content(leaf(p.content), flagged)
	}
	switch calls := leaf(p.calls); {
	case calls.IsArray():
		d.toolCalls(calls, whole)
	case calls.IsObject():
		d.toolCall(calls, whole)
	}
	if legacy := leaf(p.legacy); legacy.IsObject() {
		d.functionCall(legacy)
	}
}
