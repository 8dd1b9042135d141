package anthropic

import (
	"strings"

	"forge/provider"
)

// turn is a message as the wire wants it: roles alternate, every call is answered
// in the turn behind it, answers come first.
type turn struct {
	role   provider.Role
	blocks []provider.Block
	paused bool // a loop on the server stopped in the middle: the turn goes back unchanged
}

// What forge says where the wire demands words and there are none.
const (
	lostResult    = "No result: the call was interrupted before it ran or before it ended."
	emptyResult   = "(no output)"
	removedStart  = "(The earlier part of this conversation was removed.)"
	continueWords = "Continue."
	orphanResult  = "Result of an earlier call:"
	noImage       = "(an image was here; this model cannot see images)"
	placeholder   = "."
)

// turns shapes the history. It returns the words of the leading system messages
// that stood in it; they join the request's own.
func (e *encoder) turns() (system string, turns []turn) {
	lead := true
	var list []turn
	for _, m := range e.req.Messages {
		switch m.Role {
		case provider.System:
			if lead {
				system = join(system, m.PlainText())
				continue
			}
			list = append(list, turn{role: provider.System, blocks: systemBlocks(m)})
		case provider.Assistant:
			lead = false
			list = append(list, turn{
				role: provider.Assistant, blocks: e.assistantBlocks(m), paused: m.Stop == provider.StopPause,
			})
		default:
			lead = false
			list = append(list, turn{role: provider.User, blocks: e.userBlocks(m)})
		}
	}
	list = e.placeSystem(list)
	list = merge(list)
	list = pair(list)
	return system, ends(list)
}

func join(a, b string) string {
	if strings.TrimSpace(a) == "" {
		return b
	}
	if strings.TrimSpace(b) == "" {
		return a
	}
	return a + "\n\n" + b
}

// placeSystem decides what becomes of system messages in the middle. Models that
// bind their thinking to its place read them, but only right behind a user message
// and before an answer; everywhere else, and on every other model, they degrade to
// the user's words. This is the one place where that happens.
func (e *encoder) placeSystem(list []turn) []turn {
	reads := e.family.bound && e.official && !e.quirks.Refused(provider.RoleSystem)
	var out []turn
	for i := 0; i < len(list); i++ {
		t := list[i]
		if len(t.blocks) == 0 {
			continue
		}
		if t.role != provider.System {
			out = append(out, t)
			continue
		}
		for i+1 < len(list) && (list[i+1].role == provider.System || len(list[i+1].blocks) == 0) {
			i++
			t.blocks = append(t.blocks, list[i].blocks...)
		}
		after := len(out) > 0 && out[len(out)-1].role == provider.User
		before := i+1 == len(list) || list[i+1].role == provider.Assistant
		if reads && after && before {
			out = append(out, t)
			continue
		}
		out = append(out, turn{role: provider.User, blocks: degrade(t.blocks)})
	}
	return out
}

// degrade turns a system message into the user's words, marked so that the model
// does not take them for what a person typed.
func degrade(blocks []provider.Block) []provider.Block {
	var words []string
	for _, b := range blocks {
		if t, ok := b.(provider.Text); ok {
			words = append(words, t.Text)
		}
	}
	return []provider.Block{provider.Text{Text: "<system>\n" + strings.Join(words, "\n\n") + "\n</system>"}}
}

// merge joins neighbours of one role. Two answers are not joined where the first
// asks for tools: what is missing between them is the results.
func merge(list []turn) []turn {
	var out []turn
	for _, t := range list {
		if n := len(out); n > 0 && out[n-1].role == t.role && !(t.role == provider.Assistant && hasUses(out[n-1].blocks)) {
			last := &out[n-1]
			last.blocks = append(last.blocks[:len(last.blocks):len(last.blocks)], t.blocks...)
			last.paused = t.paused
			continue
		}
		out = append(out, t)
	}
	return out
}

func hasUses(blocks []provider.Block) bool {
	for _, b := range blocks {
		if _, ok := b.(provider.ToolUse); ok {
			return true
		}
	}
	return false
}

// pair sees to it that every call is answered in the turn behind it, once, before
// any other words, and that no answer is without its call. A history that keeps
// forge's promises passes through unchanged.
func pair(list []turn) []turn {
	var out []turn
	for i := 0; i < len(list); i++ {
		t := list[i]
		if t.role != provider.User {
			out = append(out, t)
			if t.role == provider.Assistant && hasUses(t.blocks) {
				var next []provider.Block
				if i+1 < len(list) && list[i+1].role == provider.User {
					i++
					next = list[i].blocks
				}
				out = append(out, turn{role: provider.User, blocks: answers(t.blocks, next)})
			}
			continue
		}
		t.blocks = answers(nil, t.blocks)
		out = append(out, t)
	}
	return merge(out)
}

// answers orders the user's blocks behind calls: the results first.
func answers(calls, blocks []provider.Block) []provider.Block {
	open := map[string]bool{}
	for _, b := range calls {
		if u, ok := b.(provider.ToolUse); ok {
			open[u.ID] = true
		}
	}
	var results, rest []provider.Block
	for _, b := range blocks {
		r, ok := b.(provider.ToolResult)
		switch {
		case !ok:
			rest = append(rest, b)
		case open[r.ID]:
			open[r.ID] = false
			results = append(results, r)
		default: // its call was cut away, or it was answered before
			rest = append(rest, orphan(r)...)
		}
	}
	for _, b := range calls {
		if u, ok := b.(provider.ToolUse); ok && open[u.ID] {
			open[u.ID] = false
			results = append(results, provider.ToolResult{
				ID: u.ID, IsError: true, Content: []provider.Block{provider.Text{Text: lostResult}},
			})
		}
	}
	return append(results, rest...)
}

// orphan keeps what a result says where its call is gone.
func orphan(r provider.ToolResult) []provider.Block {
	return append([]provider.Block{provider.Text{Text: orphanResult}}, r.Content...)
}

// ends makes the history begin and end as the wire demands: with the user. Only a
// paused turn may come last; models of 2026 refuse an answer begun for them.
func ends(list []turn) []turn {
	if len(list) == 0 {
		return nil
	}
	if list[0].role != provider.User {
		list = append([]turn{{role: provider.User, blocks: []provider.Block{provider.Text{Text: removedStart}}}}, list...)
	}
	last := &list[len(list)-1]
	if last.role != provider.Assistant {
		return list
	}
	if !last.paused {
		return append(list, turn{role: provider.User, blocks: []provider.Block{provider.Text{Text: continueWords}}})
	}
	n := len(last.blocks) - 1
	if t, ok := last.blocks[n].(provider.Text); ok {
		trimmed := strings.TrimRight(t.Text, " \t\r\n")
		if trimmed == "" && n > 0 {
			last.blocks = last.blocks[:n]
		} else {
			blocks := append([]provider.Block(nil), last.blocks...)
			blocks[n] = provider.Text{Text: trimmed}
			last.blocks = blocks
		}
	}
	return list
}
