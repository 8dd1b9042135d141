package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"forge/provider"
)

// Interrupted answers a call whose result was never written: forge ended while
// it ran.
const Interrupted = "interrupted; effects unknown"

// NotRun answers a call that nobody had allowed when forge ended.
const NotRun = "interrupted before anybody had allowed it; it did not run"

// NotAnswered answers a call by which the model asked, where forge ended before the person
// had answered.
const NotAnswered = "interrupted before the user had answered; ask again if it still matters"

// NotBegun answers a call whose turn had not come when forge ended.
const NotBegun = "interrupted before its turn came; it did not run"

// Messages gives the history as the model is to see it now: cuts and strips
// applied, every call answered. Whatever records a crash left, the answer passes
// Check.
func Messages(rs []Record) []provider.Message {
	came := early(rs)
	v := view{settle: func(ms []provider.Message) []provider.Message { return settle(ms, came) }}
	for _, r := range rs {
		switch {
		case r.Message != nil:
			v.ms = append(v.ms, *r.Message)
		case r.shortens():
			v.shorten(r)
		}
	}
	if m, ok := torn(rs); ok {
		v.ms = append(v.ms, m)
	}
	return v.settle(v.ms)
}

// summaryIntro and summaryOutro wrap a summary; the model must be able to tell it
// from words of the person.
const (
	summaryIntro = "The conversation so far was shortened to fit the context window. This is a summary of what came before; the messages after it are complete. Continue the work from there without greeting or recapitulating.\n\n<summary>\n"
	summaryOutro = "\n</summary>"
)

// Message is the user message that stands for what was cut off.
func (c Cut) Message() provider.Message {
	return provider.UserText(summaryIntro + strings.TrimSpace(c.Summary) + summaryOutro)
}

// Apply returns a history whose messages before From are told by the summary.
// The kept ones lose their reasoning, since a server may have bound it to all
// that came before, and their usage, which counted a history that is gone.
func (c Cut) Apply(ms []provider.Message) []provider.Message {
	from := min(max(c.From, 0), len(ms))
	return append([]provider.Message{c.Message()}, unbound(ms[from:])...)
}

// Apply returns a history whose messages before Before lack what was stripped.
func (s Strip) Apply(ms []provider.Message) []provider.Message {
	n := min(max(s.Before, 0), len(ms))
	var out []provider.Message
	if s.What == StripImages {
		for _, m := range ms[:n] {
			out = append(out, stripImages(m, "the model's server did not take this picture"))
		}
	} else {
		out = strip(ms[:n], isThinking)
	}
	return append(out, ms[n:]...)
}

// strip drops blocks from assistant messages, and the messages that had no
// others.
func strip(ms []provider.Message, gone func(provider.Block) bool) []provider.Message {
	var out []provider.Message
	for _, m := range ms {
		if m.Role == provider.Assistant {
			var keep []provider.Block
			for _, b := range m.Blocks {
				if !gone(b) {
					keep = append(keep, b)
				}
			}
			if m.Blocks = keep; Empty(m) {
				continue
			}
		}
		out = append(out, m)
	}
	return out
}

func isThinking(b provider.Block) bool {
	switch b := b.(type) {
	case provider.Thinking:
		return true
	case provider.Opaque:
		var t struct{ Type string }
		return json.Unmarshal([]byte(b.JSON), &t) == nil && strings.Contains(t.Type, "thinking")
	}
	return false
}

// boundThinking is reasoning with a signature. Unsigned reasoning stays: it is
// bound to nothing, and some servers insist on having it back.
func boundThinking(b provider.Block) bool {
	t, ok := b.(provider.Thinking)
	return isThinking(b) && (!ok || t.Signature != "")
}

func stripImages(m provider.Message, why string) provider.Message {
	m.Blocks = withoutImages(m.Blocks, why)
	return m
}

// Unseen returns messages whose pictures are told in words: why nobody sees them. The
// messages themselves stay as they are.
func Unseen(ms []provider.Message, why string) []provider.Message {
	out := make([]provider.Message, len(ms))
	for i, m := range ms {
		if hasImages(m.Blocks) {
			m = stripImages(m, why)
		}
		out[i] = m
	}
	return out
}

func hasImages(bs []provider.Block) bool {
	return slices.ContainsFunc(bs, func(b provider.Block) bool {
		switch b := b.(type) {
		case provider.Image:
			return true
		case provider.ToolResult:
			return hasImages(b.Content)
		}
		return false
	})
}

func withoutImages(bs []provider.Block, why string) []provider.Block {
	out := make([]provider.Block, len(bs))
	for i, b := range bs {
		switch b := b.(type) {
		case provider.Image:
			out[i] = provider.Text{Text: "[picture left out: " + why + "]"}
		case provider.ToolResult:
			b.Content = withoutImages(b.Content, why)
			out[i] = b
		default:
			out[i] = b
		}
	}
	return out
}

// Empty reports whether a message says nothing a server would accept: no text,
// no call, no block of the server's own, only reasoning or blanks.
func Empty(m provider.Message) bool {
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Thinking:
		case provider.Text:
			if strings.TrimSpace(b.Text) != "" {
				return false
			}
		case provider.Opaque:
			if !isThinking(b) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Close returns ms with every call answered in the very next message, in order:
// results that answer nothing are dropped, missing ones say text. A history that
// keeps the promise comes back as it was.
func Close(ms []provider.Message, text string) []provider.Message {
	return settle(ms, answered(text))
}

// settle is Close with the answer to each call nobody answered.
func settle(ms []provider.Message, missing func(id string) provider.ToolResult) []provider.Message {
	var out []provider.Message
	var open []provider.ToolUse
	answer := func(have []provider.Block, rest []provider.Block) {
		if bs := append(answers(open, have, missing), rest...); len(bs) > 0 {
			out = append(out, provider.Message{Role: provider.User, Blocks: bs})
		}
		open = nil
	}
	for _, m := range ms {
		if m.Role == provider.Assistant {
			if len(open) > 0 {
				answer(nil, nil)
			}
			if Empty(m) {
				continue
			}
			open = m.ToolUses()
			out = append(out, m)
			continue
		}
		results, rest := split(m.Blocks)
		if len(open) == 0 && len(results) == 0 {
			if len(m.Blocks) > 0 {
				out = append(out, m)
			}
			continue
		}
		answer(results, rest)
	}
	if len(open) > 0 {
		answer(nil, nil)
	}
	if len(out) > 0 && out[0].Role == provider.Assistant {
		out = append([]provider.Message{provider.UserText("(the beginning of this conversation was lost)")}, out...)
	}
	return out
}

func split(bs []provider.Block) (results, rest []provider.Block) {
	for _, b := range bs {
		if _, ok := b.(provider.ToolResult); ok {
			results = append(results, b)
		} else {
			rest = append(rest, b)
		}
	}
	return results, rest
}

func answers(open []provider.ToolUse, have []provider.Block, missing func(id string) provider.ToolResult) []provider.Block {
	byID := make(map[string]provider.ToolResult, len(have))
	for _, b := range have {
		r := b.(provider.ToolResult)
		if _, twice := byID[r.ID]; !twice {
			byID[r.ID] = r
		}
	}
	var out []provider.Block
	for _, u := range open {
		r, ok := byID[u.ID]
		if !ok {
			r = missing(u.ID)
		}
		out = append(out, r)
	}
	return out
}

// Check says where a history breaks its promise: every ToolUse has an ID of its
// own and is answered by exactly one ToolResult in the very next message, no
// result answers anything else, nobody sends an empty message, and a user begins.
func Check(ms []provider.Message) error {
	seen := map[string]bool{}
	var open []provider.ToolUse
	for i, m := range ms {
		if len(m.Blocks) == 0 || m.Role == provider.Assistant && Empty(m) {
			return fmt.Errorf("message %d is empty", i)
		}
		if i == 0 && m.Role != provider.User {
			return fmt.Errorf("message 0 is from %s, not from a user", m.Role)
		}
		answered := map[string]int{}
		for _, b := range m.Blocks {
			if r, ok := b.(provider.ToolResult); ok {
				answered[r.ID]++
			}
		}
		for _, u := range open {
			if answered[u.ID] != 1 || m.Role != provider.User {
				return fmt.Errorf("message %d answers call %s %d times as %s", i, u.ID, answered[u.ID], m.Role)
			}
			delete(answered, u.ID)
		}
		for id := range answered {
			return fmt.Errorf("message %d answers %s, which nobody called", i, id)
		}
		open = m.ToolUses()
		for _, u := range open {
			if u.ID == "" || seen[u.ID] {
				return fmt.Errorf("message %d calls with the ID %q twice", i, u.ID)
			}
			seen[u.ID] = true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("call %s is not answered", open[0].ID)
	}
	return nil
}
