package openai

import "forge/provider"

const truncationNote = "the server read fewer tokens than were sent: it cut the conversation to its own context length; raise that (OLLAMA_CONTEXT_LENGTH, num_ctx) or lower the budget"

// truncated reports whether the input a server counted is far below what was
// sent. Ollama cuts in silence. Six bytes to a token is more than any text has, and
// small requests prove nothing.
func truncated(r provider.Request, u provider.Usage) bool {
	if !u.Reported || u.Input <= 0 {
		return false
	}
	sent := told(r)
	return sent > 12<<10 && sent/6 > u.Input
}

// told counts the bytes of a request that become tokens whatever a server's template
// looks like: words of the conversation. A body has as much again around them where
// messages are small, in names, identifiers and marks, and a template that knows no
// tools leaves their definitions out.
func told(r provider.Request) int {
	n := dense(r.System)
	var count func([]provider.Block)
	count = func(blocks []provider.Block) {
		for _, b := range blocks {
			switch b := b.(type) {
			case provider.Text:
				n += dense(b.Text)
			case provider.ToolUse:
				n += dense(b.Input)
			case provider.ToolResult:
				count(b.Content)
			}
		}
	}
	for _, m := range r.Messages {
		count(m.Blocks)
	}
	return n
}

// dense is the length of a text with each run of one byte counted once: an indent
// or a ruled line is a token or two however long it is.
func dense(s string) int {
	n := 0
	for i := range len(s) {
		if i == 0 || s[i] != s[i-1] {
			n++
		}
	}
	return n
}
