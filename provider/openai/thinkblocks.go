package openai

import (
	"strings"

	"github.com/tidwall/gjson"
)

// thinkBlocks gathers the thinking_blocks that LiteLLM puts beside the reasoning
// of a Claude: the blocks of its own wire, in pieces. Without their signatures a
// call cannot be answered while the model thinks.
type thinkBlocks struct {
	done []string // whole blocks, raw
	text strings.Builder
	open bool
}

// add takes the blocks of one delta. A signature ends a block.
func (tb *thinkBlocks) add(list gjson.Result) {
	list.ForEach(func(_, v gjson.Result) bool {
		switch v.Get("type").String() {
		case "thinking":
			tb.open = true
			tb.text.WriteString(v.Get("thinking").String())
			if s := v.Get("signature").String(); s != "" {
				b := appendQuote([]byte(`{"type":"thinking","thinking":`), tb.text.String())
				b = append(appendQuote(append(b, `,"signature":`...), s), '}')
				tb.done = append(tb.done, string(b))
				tb.text.Reset()
				tb.open = false
			}
		case "redacted_thinking":
			tb.done = append(tb.done, strings.Clone(v.Raw))
		}
		return true
	})
}

// json returns the array to send back; "" without a whole block, since one that
// was cut has no signature and is refused.
func (tb *thinkBlocks) json() string {
	if len(tb.done) == 0 || tb.open {
		return ""
	}
	return "[" + strings.Join(tb.done, ",") + "]"
}
