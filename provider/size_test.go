package provider

import (
	"strings"
	"testing"
)

// TestRequestSize: everything that makes a body long is counted, wherever it is
// nested, once.
func TestRequestSize(t *testing.T) {
	kilo := strings.Repeat("x", 1000)
	for name, r := range map[string]Request{
		"system":   {System: kilo},
		"schema":   {Tools: []ToolSpec{{Name: "t", Schema: []byte(kilo)}}},
		"text":     {Messages: []Message{UserText(kilo)}},
		"thinking": {Messages: []Message{{Blocks: []Block{Thinking{Text: kilo[:500], Signature: kilo[500:]}}}}},
		"call":     {Messages: []Message{{Blocks: []Block{ToolUse{Input: kilo}}}}},
		"result":   {Messages: []Message{{Blocks: []Block{ToolResult{Content: []Block{Text{kilo[:400]}, Image{Data: kilo[400:]}}}}}}},
		"opaque":   {Messages: []Message{{Blocks: []Block{Opaque{JSON: kilo}}}}},
	} {
		if n := r.Size() - (Request{}).Size(); n < 1000 || n > 1600 {
			t.Errorf("%s of 1000 bytes is counted as %d", name, n)
		}
	}
}
