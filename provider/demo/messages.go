package demo

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// messagesWire is the messages format, written from the server's side.
type messagesWire struct {
	opened bool // a block is open
	index  int
}

func (c *messagesWire) read(body gjson.Result) provider.Request {
	var req provider.Request
	req.System = joinText("", messageBlocks(body.Get("system")))
	for _, m := range body.Get("messages").Array() {
		req.Messages = append(req.Messages, provider.Message{Role: provider.Role(m.Get("role").String()), Blocks: messageBlocks(m.Get("content"))})
	}
	for _, t := range body.Get("tools").Array() {
		req.Tools = append(req.Tools, provider.ToolSpec{Name: t.Get("name").String(), Description: t.Get("description").String()})
	}
	return req
}

func messageBlocks(v gjson.Result) []provider.Block {
	if v.Type == gjson.String {
		return []provider.Block{provider.Text{Text: v.String()}}
	}
	var out []provider.Block
	for _, b := range v.Array() {
		switch b.Get("type").String() {
		case "text":
			out = append(out, provider.Text{Text: b.Get("text").String()})
		case "image":
			out = append(out, provider.Image{})
		case "tool_use":
			out = append(out, provider.ToolUse{ID: b.Get("id").String(), Name: b.Get("name").String(), Input: b.Get("input").Raw})
		case "tool_result":
			out = append(out, provider.ToolResult{ID: b.Get("tool_use_id").String(), IsError: b.Get("is_error").Bool(), Content: messageBlocks(b.Get("content"))})
		}
	}
	return out
}

func (c *messagesWire) open(w *stream) {
	c.index = -1
	usage := messageUsage(w.input)
	usage["output_tokens"] = 1 // as the real one: the end corrects it
	w.send("message_start", object{"type": "message_start", "message": object{
		"id": "msg_demo", "type": "message", "role": "assistant", "model": w.model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}})
	w.send("ping", object{"type": "ping"})
}

// block opens block i unless it is open already.
func (c *messagesWire) block(w *stream, i int, content object) {
	if c.opened && c.index == i {
		return
	}
	c.close(w)
	c.opened, c.index = true, i
	w.send("content_block_start", object{"type": "content_block_start", "index": i, "content_block": content})
}

func (c *messagesWire) close(w *stream) {
	if c.opened {
		w.send("content_block_stop", object{"type": "content_block_stop", "index": c.index})
	}
	c.opened = false
}

func (c *messagesWire) delta(w *stream, i int, delta object) {
	w.send("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": delta})
}

func (c *messagesWire) event(w *stream, e provider.Event) {
	switch e := e.(type) {
	case provider.ThinkingDelta:
		c.block(w, e.Index, object{"type": "thinking", "thinking": "", "signature": ""})
		c.delta(w, e.Index, object{"type": "thinking_delta", "thinking": e.Text})
	case provider.TextDelta:
		c.block(w, e.Index, object{"type": "text", "text": ""})
		c.delta(w, e.Index, object{"type": "text_delta", "text": e.Text})
	case provider.ToolUseStart:
		c.block(w, e.Index, object{"type": "tool_use", "id": e.WireID, "name": e.Name, "input": object{}})
	case provider.ToolUseDelta:
		c.delta(w, e.Index, object{"type": "input_json_delta", "partial_json": e.JSON})
	case provider.Stop:
		c.close(w)
		w.send("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": messageStop(e.Reason), "stop_sequence": nil}, "usage": messageUsage(e.Usage)})
		w.send("message_stop", object{"type": "message_stop"})
	}
}

func (c *messagesWire) fail(w *stream, e *provider.Error) {
	w.send("error", object{"type": "error", "error": streamError(e)})
}

func (c *messagesWire) errorBody(e *provider.Error) any {
	return object{"type": "error", "error": errorObject(e)}
}

func messageStop(r provider.StopReason) string {
	if r == provider.StopPause {
		return "pause_turn"
	}
	return string(r)
}

func messageUsage(u provider.Usage) object {
	return object{
		"input_tokens": u.Input - u.CacheRead - u.CacheWrite, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite,
		"output_tokens": u.Output, "output_tokens_details": object{"thinking_tokens": u.Reasoning},
	}
}

func (c *messagesWire) whole(model string, events []provider.Event) any {
	m := together(events)
	content := []any{}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Thinking:
			content = append(content, object{"type": "thinking", "thinking": b.Text, "signature": b.Signature})
		case provider.Text:
			content = append(content, object{"type": "text", "text": b.Text})
		case provider.ToolUse:
			input := json.RawMessage(b.Input)
			if !json.Valid(input) {
				input = json.RawMessage("{}")
			}
			content = append(content, object{"type": "tool_use", "id": b.ID, "name": b.Name, "input": input})
		}
	}
	return object{"id": "msg_demo", "type": "message", "role": "assistant", "model": model, "content": content,
		"stop_reason": messageStop(m.Stop), "stop_sequence": nil, "usage": messageUsage(m.Usage)}
}
