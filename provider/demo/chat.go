package demo

import (
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// chatWire is the chat completions format, written from the server's side.
type chatWire struct {
	calls map[int]int // block index → call number
}

func (c *chatWire) read(body gjson.Result) provider.Request {
	var req provider.Request
	leading := true
	for _, m := range body.Get("messages").Array() {
		role := m.Get("role").String()
		content := chatContent(m.Get("content"))
		switch role {
		case "system", "developer":
			if leading {
				req.System = joinText(req.System, content)
				continue
			}
			req.Messages = append(req.Messages, provider.Message{Role: provider.System, Blocks: content})
		case "tool":
			res := provider.ToolResult{ID: m.Get("tool_call_id").String(), Content: content}
			// The format has no flag; whoever sends a failure says so at its beginning.
			var text strings.Builder
			for _, b := range content {
				if t, ok := b.(provider.Text); ok {
					text.WriteString(t.Text)
				}
			}
			head := strings.ToLower(text.String())
			res.IsError = strings.Contains(head[:min(len(head), 40)], "error")
			req.Messages = append(req.Messages, provider.Message{Role: provider.User, Blocks: []provider.Block{res}})
		case "assistant":
			for _, call := range m.Get("tool_calls").Array() {
				content = append(content, provider.ToolUse{ID: call.Get("id").String(), Name: call.Get("function.name").String(), Input: call.Get("function.arguments").String()})
			}
			req.Messages = append(req.Messages, provider.Message{Role: provider.Assistant, Blocks: content})
		default:
			req.Messages = append(req.Messages, provider.Message{Role: provider.User, Blocks: content})
		}
		leading = false
	}
	for _, t := range body.Get("tools").Array() {
		req.Tools = append(req.Tools, provider.ToolSpec{Name: t.Get("function.name").String(), Description: t.Get("function.description").String()})
	}
	return req
}

func chatContent(v gjson.Result) []provider.Block {
	if v.Type == gjson.String {
		if v.String() == "" {
			return nil
		}
		return []provider.Block{provider.Text{Text: v.String()}}
	}
	var out []provider.Block
	for _, part := range v.Array() {
		switch part.Get("type").String() {
		case "text":
			out = append(out, provider.Text{Text: part.Get("text").String()})
		case "image_url", "image":
			out = append(out, provider.Image{})
		}
	}
	return out
}

func joinText(s string, blocks []provider.Block) string {
	for _, b := range blocks {
		if t, ok := b.(provider.Text); ok {
			if s != "" {
				s += "\n\n"
			}
			s += t.Text
		}
	}
	return s
}

type object = map[string]any

func (c *chatWire) chunk(w *stream, delta object, finish any) {
	w.send("", object{"id": "chatcmpl-demo", "object": "chat.completion.chunk", "created": now(), "model": w.model,
		"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func (c *chatWire) open(w *stream) {
	c.calls = map[int]int{}
	c.chunk(w, object{"role": "assistant"}, nil)
}

func (c *chatWire) event(w *stream, e provider.Event) {
	switch e := e.(type) {
	case provider.ThinkingDelta:
		c.chunk(w, object{"reasoning_content": e.Text}, nil)
	case provider.TextDelta:
		c.chunk(w, object{"content": e.Text}, nil)
	case provider.ToolUseStart:
		n := len(c.calls)
		c.calls[e.Index] = n
		c.chunk(w, object{"tool_calls": []any{object{"index": n, "id": e.WireID, "type": "function", "function": object{"name": e.Name, "arguments": ""}}}}, nil)
	case provider.ToolUseDelta:
		c.chunk(w, object{"tool_calls": []any{object{"index": c.calls[e.Index], "function": object{"arguments": e.JSON}}}}, nil)
	case provider.Stop:
		c.chunk(w, object{}, chatFinish(e.Reason))
		if w.usage {
			w.send("", object{"id": "chatcmpl-demo", "object": "chat.completion.chunk", "created": now(), "model": w.model, "choices": []any{}, "usage": chatUsage(e.Usage)})
		}
		w.send("", "[DONE]")
	}
}

func (c *chatWire) fail(w *stream, e *provider.Error) {
	w.send("", object{"error": streamError(e)})
}

func (c *chatWire) errorBody(e *provider.Error) any { return object{"error": errorObject(e)} }

func chatFinish(r provider.StopReason) string {
	switch r {
	case provider.StopToolUse:
		return "tool_calls"
	case provider.StopMaxTokens:
		return "length"
	case provider.StopRefusal:
		return "content_filter"
	}
	return "stop"
}

func chatUsage(u provider.Usage) object {
	return object{
		"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details":     object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
		"completion_tokens_details": object{"reasoning_tokens": u.Reasoning},
	}
}

func (c *chatWire) whole(model string, events []provider.Event) any {
	m := together(events)
	var calls []any
	for _, u := range m.ToolUses() {
		calls = append(calls, object{"id": u.ID, "type": "function", "function": object{"name": u.Name, "arguments": u.Input}})
	}
	msg := object{"role": "assistant", "content": m.PlainText()}
	if len(calls) > 0 {
		msg["tool_calls"] = calls
	}
	if t := thinkingOf(m); t != "" {
		msg["reasoning_content"] = t
	}
	return object{"id": "chatcmpl-demo", "object": "chat.completion", "created": now(), "model": model, "usage": chatUsage(m.Usage),
		"choices": []any{object{"index": 0, "message": msg, "finish_reason": chatFinish(m.Stop)}}}
}

// together adds events up to a message.
func together(events []provider.Event) provider.Message {
	m, _ := provider.Collect(func(yield func(provider.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}, nil)
	return m
}

func thinkingOf(m provider.Message) string {
	var s strings.Builder
	for _, b := range m.Blocks {
		if t, ok := b.(provider.Thinking); ok {
			s.WriteString(t.Text)
		}
	}
	return s.String()
}
