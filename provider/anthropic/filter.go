package anthropic

import (
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// userBlocks leaves out what the wire refuses: empty text, blocks only a model
// writes.
func (e *encoder) userBlocks(m provider.Message) []provider.Block {
	var out []provider.Block
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Text:
			if strings.TrimSpace(b.Text) != "" {
				out = append(out, b)
			}
		case provider.Image:
			out = append(out, e.image(b))
		case provider.ToolResult:
			b.Content = e.resultParts(b.Content)
			out = append(out, b)
		}
	}
	return out
}

// resultParts are what a result may hold, at least one word.
func (e *encoder) resultParts(content []provider.Block) []provider.Block {
	var parts []provider.Block
	for _, p := range content {
		switch p := p.(type) {
		case provider.Text:
			if strings.TrimSpace(p.Text) != "" {
				parts = append(parts, p)
			}
		case provider.Image:
			parts = append(parts, e.image(p))
		}
	}
	if len(parts) == 0 {
		return []provider.Block{provider.Text{Text: emptyResult}}
	}
	return parts
}

// systemBlocks are the words of a system message.
func systemBlocks(m provider.Message) []provider.Block {
	if s := m.PlainText(); strings.TrimSpace(s) != "" {
		return []provider.Block{provider.Text{Text: s}}
	}
	return nil
}

// assistantBlocks leaves out what another model wrote for itself, and keeps what
// this one wrote as it is.
func (e *encoder) assistantBlocks(m provider.Message) []provider.Block {
	ours := e.ours(m.Origin)
	var out []provider.Block
	thought, uses, after := false, false, false
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Text:
			if strings.TrimSpace(b.Text) == "" && !(ours && thought && e.family.bound) {
				continue
			}
			after = after || uses
			out = append(out, b)
		case provider.Thinking:
			if ours && e.keeps(b.Signature, b.Extra) && !(e.family.claude && b.Signature == "") {
				thought = true
				out = append(out, b)
			}
		case provider.Opaque:
			origin := b.Origin
			if origin == "" {
				origin = m.Origin
			}
			if !e.ours(origin) {
				continue
			}
			switch gjson.Get(b.JSON, "type").String() {
			case "redacted_thinking":
				if !e.keeps(b.JSON, "") {
					continue
				}
				thought = true
			case citationsType:
				if n := len(out); n == 0 || !isText(out[n-1]) {
					continue // their text is gone
				}
			}
			out = append(out, b)
		case provider.ToolUse:
			uses = true
			if !ours { // what another server wants back beside a call is refused here
				b.Extra = ""
			}
			if !asks(out, b.ID) { // forge's ids are unique; a broken record must not break the request
				out = append(out, b)
			}
		}
	}
	if uses && !thought && e.wantsThinking() {
		out = append([]provider.Block{provider.Thinking{Text: e.placeholderThought()}}, out...)
	}
	if after && !(ours && thought && e.family.bound) { // words behind a call part it from its result
		out = callsLast(out)
	}
	return out
}

func asks(blocks []provider.Block, id string) bool {
	for _, b := range blocks {
		if u, ok := b.(provider.ToolUse); ok && u.ID == id {
			return true
		}
	}
	return false
}

func isText(b provider.Block) bool { _, ok := b.(provider.Text); return ok }

func callsLast(blocks []provider.Block) []provider.Block {
	var out, calls []provider.Block
	for _, b := range blocks {
		if _, ok := b.(provider.ToolUse); ok {
			calls = append(calls, b)
		} else {
			out = append(out, b)
		}
	}
	return append(out, calls...)
}
