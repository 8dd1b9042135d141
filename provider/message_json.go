package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The stored form of a message is one JSON object:
//
//	{"role":"assistant","origin":"openai/gpt","stop":"tool_use","usage":{…},
//	 "blocks":[{"type":"text","text":"…"},{"type":"tool_use","id":"…","input":"{\"path\":…"}]}
//
// What must go back to a server byte for byte (arguments, signatures, raw blocks)
// is held as a JSON string, never as JSON, so that no re-encoding can touch it. A
// string that is not valid UTF-8 is held as {"b64":"…"}: JSON has no other way to
// say it, and Go's encoder would silently replace the bytes. This file writes the
// form, in one walk: a message is written each time something is said, and nested
// marshalers of encoding/json would read each text three times. message_read.go
// reads it.

// unknownOrigin marks an Opaque that holds a stored block of a type this forge
// does not know, written by a later one. No wire has this origin, so none sends it.
const unknownOrigin = "forge/unknown-block"

// MarshalJSON gives the stored form of m, see above.
func (m Message) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil) }

// AppendJSON appends the stored form of m to dst. It fails for a kind of block it
// does not know, and for usage whose cost is no number.
func (m Message) AppendJSON(dst []byte) ([]byte, error) {
	dst = slices.Grow(dst, 256+sizeOf(m.Blocks)*9/8)
	dst = appendJSONString(append(dst, `{"role":`...), string(m.Role))
	dst = appendField(dst, "origin", m.Origin)
	if m.Stop != "" {
		dst = appendJSONString(append(dst, `,"stop":`...), string(m.Stop))
	}
	if m.Usage != (Usage{}) {
		u, err := json.Marshal(m.Usage)
		if err != nil {
			return nil, fmt.Errorf("store message: %w", err)
		}
		dst = append(append(dst, `,"usage":`...), u...)
	}
	dst, err := appendBlocks(append(dst, `,"blocks":`...), m.Blocks)
	return append(dst, '}'), err
}

func appendBlocks(dst []byte, blocks []Block) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, b := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendBlock(dst, b); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendBlock(dst []byte, b Block) (_ []byte, err error) {
	switch b := b.(type) {
	case Text:
		dst = appendField(append(dst, `{"type":"text"`...), "text", b.Text)
	case Thinking:
		dst = appendField(append(dst, `{"type":"thinking"`...), "text", b.Text)
		dst = appendField(dst, "signature", b.Signature)
		dst = appendField(dst, "field", b.Field)
		dst = appendField(dst, "extra", b.Extra)
	case ToolUse:
		dst = appendField(append(dst, `{"type":"tool_use"`...), "id", b.ID)
		dst = appendField(dst, "wire_id", b.WireID)
		dst = appendField(dst, "name", b.Name)
		dst = appendField(dst, "input", b.Input)
		dst = appendField(dst, "extra", b.Extra)
	case ToolResult:
		dst = appendField(append(dst, `{"type":"tool_result"`...), "id", b.ID)
		if len(b.Content) > 0 {
			if dst, err = appendBlocks(append(dst, `,"content":`...), b.Content); err != nil {
				return nil, err
			}
		}
		if b.IsError {
			dst = append(dst, `,"is_error":true`...)
		}
	case Image:
		dst = appendField(append(dst, `{"type":"image"`...), "mime", b.MIME)
		dst = appendField(dst, "data", b.Data)
	case Opaque:
		if b.Origin == unknownOrigin && strings.HasPrefix(b.JSON, "{") && json.Valid([]byte(b.JSON)) {
			out := bytes.NewBuffer(dst) // it stays on one line, whatever it was on
			err := json.Compact(out, []byte(b.JSON))
			return out.Bytes(), err
		}
		dst = appendField(append(dst, `{"type":"opaque"`...), "origin", b.Origin)
		dst = appendField(dst, "json", b.JSON)
	default:
		return nil, fmt.Errorf("store message: block of type %T", b)
	}
	return append(dst, '}'), nil
}

// appendField appends a member whose string survives byte for byte; an empty one is
// left out.
func appendField(dst []byte, name, s string) []byte {
	if s == "" {
		return dst
	}
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return appendExact(dst, s)
}
