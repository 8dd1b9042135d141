package session

import (
	"encoding/json"
	"unicode/utf8"

	"forge/provider"
)

// Exact is a string that survives JSON byte for byte: arguments and signatures
// go back to a server as they came, valid UTF-8 or not.
type Exact string

// MarshalJSON writes a plain string where that is exact, else {"b64": …}.
func (x Exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(x)) {
		return json.Marshal(string(x))
	}
	return json.Marshal(map[string][]byte{"b64": []byte(x)})
}

// UnmarshalJSON reads either form.
func (x *Exact) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var raw struct{ B64 []byte }
		err := json.Unmarshal(b, &raw)
		*x = Exact(raw.B64)
		return err
	}
	return json.Unmarshal(b, (*string)(x))
}

// stored is a message as it lies in a file.
type stored struct {
	Role   provider.Role       `json:"role"`
	Origin string              `json:"origin,omitempty"`
	Stop   provider.StopReason `json:"stop,omitempty"`
	Usage  *provider.Usage     `json:"usage,omitempty"`
	Blocks []storedBlock       `json:"blocks"`
}

type storedBlock struct {
	Type      string        `json:"type"`
	Text      Exact         `json:"text,omitempty"`
	ID        string        `json:"id,omitempty"`
	WireID    string        `json:"wire_id,omitempty"`
	Name      string        `json:"name,omitempty"`
	Input     Exact         `json:"input,omitempty"`
	Signature Exact         `json:"signature,omitempty"`
	Field     string        `json:"field,omitempty"`
	Extra     Exact         `json:"extra,omitempty"`
	Content   []storedBlock `json:"content,omitempty"`
	IsError   bool          `json:"is_error,omitempty"`
	MIME      string        `json:"mime,omitempty"`
	Data      string        `json:"data,omitempty"`
	Origin    string        `json:"origin,omitempty"`
	JSON      Exact         `json:"json,omitempty"`
}

func store(m provider.Message) stored {
	s := stored{Role: m.Role, Origin: m.Origin, Stop: m.Stop, Blocks: storeBlocks(m.Blocks)}
	if m.Usage != (provider.Usage{}) {
		s.Usage = &m.Usage
	}
	return s
}

func storeBlocks(bs []provider.Block) []storedBlock {
	out := make([]storedBlock, 0, len(bs))
	for _, b := range bs {
		switch b := b.(type) {
		case provider.Text:
			out = append(out, storedBlock{Type: "text", Text: Exact(b.Text)})
		case provider.Thinking:
			out = append(out, storedBlock{Type: "thinking", Text: Exact(b.Text), Signature: Exact(b.Signature), Field: b.Field, Extra: Exact(b.Extra)})
		case provider.ToolUse:
			out = append(out, storedBlock{Type: "tool_use", ID: b.ID, WireID: b.WireID, Name: b.Name, Input: Exact(b.Input), Extra: Exact(b.Extra)})
		case provider.ToolResult:
			out = append(out, storedBlock{Type: "tool_result", ID: b.ID, Content: storeBlocks(b.Content), IsError: b.IsError})
		case provider.Image:
			out = append(out, storedBlock{Type: "image", MIME: b.MIME, Data: b.Data})
		case provider.Opaque:
			out = append(out, storedBlock{Type: "opaque", Origin: b.Origin, JSON: Exact(b.JSON)})
		}
	}
	return out
}

func (s stored) message() provider.Message {
	m := provider.Message{Role: s.Role, Origin: s.Origin, Stop: s.Stop, Blocks: loadBlocks(s.Blocks)}
	if s.Usage != nil {
		m.Usage = *s.Usage
	}
	return m
}

// loadBlocks leaves out kinds of block it does not know: a newer forge wrote
// them, and the session is read-only then.
func loadBlocks(bs []storedBlock) []provider.Block {
	var out []provider.Block
	for _, b := range bs {
		switch b.Type {
		case "text":
			out = append(out, provider.Text{Text: string(b.Text)})
		case "thinking":
			out = append(out, provider.Thinking{Text: string(b.Text), Signature: string(b.Signature), Field: b.Field, Extra: string(b.Extra)})
		case "tool_use":
			out = append(out, provider.ToolUse{ID: b.ID, WireID: b.WireID, Name: b.Name, Input: string(b.Input), Extra: string(b.Extra)})
		case "tool_result":
			out = append(out, provider.ToolResult{ID: b.ID, Content: loadBlocks(b.Content), IsError: b.IsError})
		case "image":
			out = append(out, provider.Image{MIME: b.MIME, Data: b.Data})
		case "opaque":
			out = append(out, provider.Opaque{Origin: b.Origin, JSON: string(b.JSON)})
		}
	}
	return out
}
