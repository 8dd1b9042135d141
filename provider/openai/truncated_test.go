package openai

import (
	"fmt"
	"strings"
	"testing"

	"forge/provider"
)

func TestTruncated(t *testing.T) {
	var words strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&words, "word %d of many; ", i)
	}
	long := provider.Request{System: "You help.", Messages: []provider.Message{provider.UserText(words.String())}} // 70 kB
	var small provider.Request                                                                                     // many small calls: hardly any words in a large body
	for i := range 200 {
		id := fmt.Sprintf("call_%024d", i)
		small.Messages = append(small.Messages,
			provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: id, Name: "read_file", Input: `{"path":"a.txt"}`}}},
			provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: "some text"}}}}})
	}
	small.Tools = []provider.ToolSpec{{Name: "read_file", Description: strings.Repeat("Reads a file of the workspace. ", 1000)}}
	indented := provider.Request{Messages: []provider.Message{provider.UserText(strings.Repeat("x"+strings.Repeat(" ", 200), 400))}}
	drawn := provider.Request{Messages: []provider.Message{{Role: provider.User, Blocks: []provider.Block{
		provider.Text{Text: "look"}, provider.Image{MIME: "image/png", Data: strings.Repeat("iVBORw0KGgo", 10000)}}}}}
	for _, c := range []struct {
		name string
		req  provider.Request
		read int
		want bool
	}{
		{"a window of 4096", long, 4096, true},
		{"all of it", long, 18_000, false},
		{"small calls", small, 1900, false},
		{"blanks", indented, 900, false},
		{"a picture", drawn, 800, false},
		{"no figure", long, 0, false},
	} {
		if got := truncated(c.req, provider.Usage{Reported: true, Input: c.read}); got != c.want {
			t.Errorf("%s, %d bytes of words, %d tokens read: %v", c.name, told(c.req), c.read, got)
		}
	}
	if truncated(long, provider.Usage{Input: 4096}) {
		t.Error("a figure that was not reported is believed")
	}
}
