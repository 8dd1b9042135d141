package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
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
// form; message_read.go reads it.

// unknownOrigin marks an Opaque that holds a stored block of a type this forge
// does not know, written by a later one. No wire has this origin, so none sends it.
const unknownOrigin = "forge/unknown-block"

type storedMessage struct {
	Role   Role          `json:"role"`
	Origin exact         `json:"origin,omitempty"`
	Stop   StopReason    `json:"stop,omitempty"`
	Usage  *Usage        `json:"usage,omitempty"`
	Blocks []storedBlock `json:"blocks"`
}

type storedBlock struct {
	Type      string        `json:"type"`
	ID        exact         `json:"id,omitempty"`
	WireID    exact         `json:"wire_id,omitempty"`
	Name      exact         `json:"name,omitempty"`
	Text      exact         `json:"text,omitempty"`
	Signature exact         `json:"signature,omitempty"`
	Field     exact         `json:"field,omitempty"`
	Input     exact         `json:"input,omitempty"`
	Extra     exact         `json:"extra,omitempty"`
	Content   []storedBlock `json:"content,omitempty"`
	IsError   bool          `json:"is_error,omitempty"`
	MIME      exact         `json:"mime,omitempty"`
	Data      exact         `json:"data,omitempty"`
	Origin    exact         `json:"origin,omitempty"`
	JSON      exact         `json:"json,omitempty"`

	raw json.RawMessage // of a type unknown here
}

// exact is a string whose bytes survive JSON.
type exact string

func (s exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		return plainJSON(string(s))
	}
	return json.Marshal(map[string]string{"b64": base64.StdEncoding.EncodeToString([]byte(s))})
}

func (s *exact) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var in struct{ B64 []byte }
		if err := json.Unmarshal(b, &in); err != nil {
			return err
		}
		*s = exact(in.B64)
		return nil
	}
	return json.Unmarshal(b, (*string)(s))
}

// plainJSON encodes v without escaping <, > and &, which would triple the size of
// stored code.
func plainJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// plainBlock has the fields of storedBlock and none of its methods.
type plainBlock storedBlock

func (b storedBlock) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	return plainJSON(plainBlock(b))
}

// MarshalJSON gives the stored form of m, see above.
func (m Message) MarshalJSON() ([]byte, error) {
	blocks, err := toStored(m.Blocks)
	if err != nil {
		return nil, err
	}
	s := storedMessage{Role: m.Role, Origin: exact(m.Origin), Stop: m.Stop, Blocks: blocks}
	if s.Blocks == nil {
		s.Blocks = []storedBlock{}
	}
	if m.Usage != (Usage{}) {
		s.Usage = &m.Usage
	}
	return plainJSON(s)
}

func toStored(blocks []Block) ([]storedBlock, error) {
	var out []storedBlock
	for _, b := range blocks {
		var s storedBlock
		switch b := b.(type) {
		case Text:
			s = storedBlock{Type: "text", Text: exact(b.Text)}
		case Thinking:
			s = storedBlock{Type: "thinking", Text: exact(b.Text), Signature: exact(b.Signature), Field: exact(b.Field), Extra: exact(b.Extra)}
		case ToolUse:
			s = storedBlock{Type: "tool_use", ID: exact(b.ID), WireID: exact(b.WireID), Name: exact(b.Name), Input: exact(b.Input), Extra: exact(b.Extra)}
		case ToolResult:
			content, err := toStored(b.Content)
			if err != nil {
				return nil, err
			}
			s = storedBlock{Type: "tool_result", ID: exact(b.ID), Content: content, IsError: b.IsError}
		case Image:
			s = storedBlock{Type: "image", MIME: exact(b.MIME), Data: exact(b.Data)}
		case Opaque:
			if b.Origin == unknownOrigin && strings.HasPrefix(b.JSON, "{") && json.Valid([]byte(b.JSON)) {
				s = storedBlock{raw: json.RawMessage(b.JSON)}
			} else {
				s = storedBlock{Type: "opaque", Origin: exact(b.Origin), JSON: exact(b.JSON)}
			}
		default:
			return nil, fmt.Errorf("store message: block of type %T", b)
		}
		out = append(out, s)
	}
	return out, nil
}
