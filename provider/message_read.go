package provider

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// UnmarshalJSON reads the stored form. A block of an unknown type becomes an
// Opaque that is stored again as it was and sent nowhere.
//
// It walks the bytes once: a long session is tens of megabytes, and nested
// unmarshalers of encoding/json would read each text five times.
func (m *Message) UnmarshalJSON(data []byte) error {
	if !gjson.ValidBytes(data) {
		return errors.New("stored message: not JSON")
	}
	out, err := readMessage(gjson.ParseBytes(data))
	if err != nil {
		return fmt.Errorf("stored message: %w", err)
	}
	*m = out
	return nil
}

func readMessage(v gjson.Result) (m Message, err error) {
	if !v.IsObject() {
		return m, fmt.Errorf("%s, want an object", v.Type)
	}
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "role":
			m.Role, err = readString[Role](v)
		case "origin":
			m.Origin, err = readString[string](v)
		case "stop":
			m.Stop, err = readString[StopReason](v)
		case "usage":
			if v.Type != gjson.Null {
				err = json.Unmarshal([]byte(v.Raw), &m.Usage)
			}
		case "blocks":
			m.Blocks, err = readBlocks(v)
		}
		return err == nil
	})
	if err == nil && m.Role != System && m.Role != User && m.Role != Assistant {
		err = fmt.Errorf("role %q, want system, user or assistant", m.Role)
	}
	return m, err
}

func readBlocks(v gjson.Result) (out []Block, err error) {
	if v.Type == gjson.Null {
		return nil, nil
	}
	if !v.IsArray() {
		return nil, fmt.Errorf("blocks are %s, want an array", v.Type)
	}
	v.ForEach(func(_, v gjson.Result) bool {
		var b Block
		if b, err = readBlock(v); err == nil {
			out = append(out, b)
		}
		return err == nil
	})
	return out, err
}

func readBlock(v gjson.Result) (Block, error) {
	if !v.IsObject() {
		return nil, fmt.Errorf("block is %s, want an object", v.Type)
	}
	kind := v.Get("type")
	if kind.Exists() && kind.Type != gjson.String && kind.Type != gjson.Null {
		return nil, fmt.Errorf("type of a block is %s, want a string", kind.Type)
	}
	switch kind.Str {
	case "text", "thinking", "tool_use", "tool_result", "image", "opaque":
	default:
		return Opaque{Origin: unknownOrigin, JSON: strings.Clone(v.Raw)}, nil
	}
	var s struct {
		id, wireID, name, text, signature, field, input, extra, mime, data, origin, json string

		content []Block
		isError bool
	}
	var err error
	v.ForEach(func(key, v gjson.Result) bool {
		var to *string
		switch key.Str {
		case "id":
			to = &s.id
		case "wire_id":
			to = &s.wireID
		case "name":
			to = &s.name
		case "text":
			to = &s.text
		case "signature":
			to = &s.signature
		case "field":
			to = &s.field
		case "input":
			to = &s.input
		case "extra":
			to = &s.extra
		case "mime":
			to = &s.mime
		case "data":
			to = &s.data
		case "origin":
			to = &s.origin
		case "json":
			to = &s.json
		case "content":
			s.content, err = readBlocks(v)
		case "is_error":
			if s.isError = v.Type == gjson.True; v.IsObject() || v.IsArray() || v.Type == gjson.String || v.Type == gjson.Number {
				err = fmt.Errorf("is_error is %s, want true or false", v.Type)
			}
		}
		if to != nil {
			*to, err = readString[string](v)
		}
		return err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind.Str, err)
	}
	switch kind.Str {
	case "text":
		return Text{s.text}, nil
	case "thinking":
		return Thinking{Text: s.text, Signature: s.signature, Field: s.field, Extra: s.extra}, nil
	case "tool_use":
		return ToolUse{ID: s.id, WireID: s.wireID, Name: s.name, Input: s.input, Extra: s.extra}, nil
	case "tool_result":
		return ToolResult{ID: s.id, Content: s.content, IsError: s.isError}, nil
	case "image":
		return Image{MIME: s.mime, Data: s.data}, nil
	}
	return Opaque{Origin: s.origin, JSON: s.json}, nil
}

// readString reads a string in either of its forms. The result is a copy: a part
// of the line would keep the whole line in memory.
func readString[S ~string](v gjson.Result) (S, error) {
	switch {
	case v.Type == gjson.Null:
		return "", nil
	case v.Type == gjson.String:
		text := v.Str
		if len(text)+2 == len(v.Raw) { // without an escape it is a part of Raw
			text = strings.Clone(text)
		}
		if !utf8.ValidString(text) { // the file was damaged
			text = string([]rune(text))
		}
		return S(text), nil
	case v.IsObject():
		b, err := base64.StdEncoding.DecodeString(v.Get("b64").Str)
		return S(b), err
	}
	return "", fmt.Errorf("%s, want a string", v.Type)
}
