package openai

import (
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// frame takes one JSON value of the reply: a chunk, an error, or with whole set a
// complete body. Content comes before finish and finish before usage, because
// some servers send all three in one frame.
func (d *decoder) frame(text string, failed, whole bool) {
	if text[0] == '[' { // Google wraps its errors so
		if e := gjson.Get(text, "0.error"); e.Exists() || failed {
			d.fail(provider.ClassifyStream("", "", strings.Clone(text)))
		}
		return
	}
	var choices, usage, groq, failure, message gjson.Result
	flat, coded := false, false
	gjson.Result{Type: gjson.JSON, Raw: text}.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "choices":
			choices = v
		case "usage":
			usage = v
		case "x_groq":
			groq = v
		case "error", "errors", "detail":
			if says(v) {
				failure = v
			}
		case "object":
			flat = flat || v.Str == "error"
		case "message":
			message = v
		case "code", "status":
			coded = says(v)
		case "type":
			flat = flat || v.Str == "error"
			if strings.HasPrefix(v.Str, "message_") || strings.HasPrefix(v.Str, "content_block_") {
				d.foreign = "anthropic"
			} else if strings.HasPrefix(v.Str, "response.") {
				d.foreign = "responses"
			}
		}
		return true
	})
	if choices.IsArray() || usage.IsObject() {
		if d.frames == 0 {
			d.emit(provider.Start{Origin: d.opts.Origin})
		}
		d.frames++
	}
	finish, choiceUsage := d.choices(choices, whole)
	if finish != "" && finish != "null" && (d.finish == "" || failedFinish[finish]) {
		d.finish = strings.Clone(finish)
	}
	d.readUsage(usage)
	if choiceUsage.Raw != "" {
		d.readUsage(choiceUsage)
	}
	if groq.Raw != "" {
		d.readUsage(groq.Get("usage"))
		if e := groq.Get("error"); says(e) {
			failure = e
		}
	}
	flat = flat || message.Type == gjson.String && coded && !choices.Exists()
	if failure.Exists() || flat || failed {
		d.fail(provider.ClassifyStream("", "", strings.Clone(text)))
	}
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

// choices reads choice 0, the only one forge asks for.
func (d *decoder) choices(list gjson.Result, whole bool) (finish string, usage gjson.Result) {
	if !list.IsArray() {
		return "", usage
	}
	list.ForEach(func(_, choice gjson.Result) bool {
		var delta, message gjson.Result
		var reason string
		var count gjson.Result
		index := int64(0)
		choice.ForEach(func(key, v gjson.Result) bool {
			switch key.Str {
			case "index":
				index = v.Int()
			case "delta":
				delta = v
			case "message":
				message = v
			case "finish_reason":
				reason = v.Str
			case "usage":
				count = v
			}
			return true
		})
		if index != 0 {
			return true
		}
		if reason != "" {
			finish = reason
		}
		if count.IsObject() {
			usage = count
		}
		switch {
		case delta.IsObject():
			d.sawPart = true
			d.delta(delta, false)
		case message.IsObject() && !d.sawPart:
			d.delta(message, true)
		}
		return true
	})
	return finish, usage
}

// delta reads one piece of the reply, or with whole set the whole message.
func (d *decoder) delta(v gjson.Result, whole bool) {
	var content, calls, legacy, extra gjson.Result
	var r reasoning
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "content":
			content = v
		case "reasoning_content":
			r.content = v
		case "reasoning":
			r.plain = v
		case "reasoning_text":
			r.copilot = v
		case "reasoning_details":
			r.details = v
		case "reasoning_opaque":
			d.extras.set("reasoning_opaque", v)
		case "extra_content":
			extra = v
		case "refusal":
			if v.Type == gjson.String && v.Str != "" {
				d.payload++
				d.refusal.WriteString(v.Str)
			}
		case "tool_calls":
			calls = v
		case "function_call":
			legacy = v
		}
		return true
	})
	d.reasoning(r)
	flagged := false
	if extra.Raw != "" {
		flagged = extra.Get("google.thought").Bool()
		if !flagged && extra.Get("google.thought_signature").Exists() {
			d.extras.set("extra_content", extra)
		}
	}
	d.content(content, flagged)
	if calls.IsArray() {
		d.toolCalls(calls, whole)
	} else if calls.IsObject() {
		d.toolCall(calls, whole)
	}
	if legacy.IsObject() {
		d.functionCall(legacy)
	}
}

// content reads text: a string nearly everywhere, an array of parts at Mistral.
func (d *decoder) content(v gjson.Result, flagged bool) {
	switch {
	case v.Type == gjson.String:
		if v.Str != "" {
			d.flaggedText(own(v), flagged)
		}
	case v.IsArray():
		v.ForEach(func(_, part gjson.Result) bool {
			d.part(part)
			return true
		})
	case v.IsObject():
		d.part(v)
	}
}

func (d *decoder) part(v gjson.Result) {
	switch v.Get("type").Str {
	case "text", "output_text", "":
		if t := v.Get("text"); t.Type == gjson.String {
			d.text(own(t))
		}
	case "refusal":
		d.refusal.WriteString(v.Get("refusal").Str)
	case "thinking":
		in := v.Get("thinking")
		if in.Type == gjson.String {
			d.thinking(own(in), fieldParts)
			return
		}
		in.ForEach(func(_, p gjson.Result) bool {
			d.thinking(own(p.Get("text")), fieldParts)
			return true
		})
	}
}

// flaggedText is content of a server that marks its reasoning beside the text and
// also puts tags around it (Gemini).
func (d *decoder) flaggedText(s string, flagged bool) {
	const open, closing = "<thought>", "</thought>"
	if flagged {
		if !d.thought {
			s = strings.TrimPrefix(s, open)
		}
		d.thought = true
		if rest, ok := strings.CutSuffix(s, closing); ok {
			s, d.thought = rest, false
		}
		d.thinking(s, fieldThought)
		return
	}
	if d.thought {
		d.thought = false
		if before, after, ok := strings.Cut(s, closing); ok {
			d.thinking(before, fieldThought)
			s = after
		}
	}
	d.text(s)
}

func (d *decoder) text(s string) {
	if s == "" {
		return
	}
	d.payload++
	d.sample.add(s)
	d.emit(provider.TextDelta{Index: d.block(blockText), Text: s})
}

func (d *decoder) thinking(s, field string) {
	if s == "" {
		return
	}
	d.payload++
	at := d.block(blockThinking)
	if d.thinkingAt < 0 {
		d.thinkingAt = at
	}
	d.emit(provider.ThinkingDelta{Index: at, Text: s, Field: field})
}

// block returns the index of the open block of that kind, opening one if need be.
func (d *decoder) block(kind blockKind) int {
	if d.open != kind {
		d.open, d.openAt = kind, d.next
		d.next++
	}
	return d.openAt
}

// own copies a string out of the frame. One with escapes is a copy already.
func own(v gjson.Result) string {
	if len(v.Raw) == len(v.Str)+2 {
		return strings.Clone(v.Str)
	}
	return v.Str
}
