package openai

import (
	"strings"

	"forge/provider"
)

// turn is one message as this wire has them: a result is a message of its own,
// and of two neighbours of one role only the merged one remains.
type turn struct {
	role   string // user, assistant or tool
	parts  []provider.Block
	callID string    // of a tool message
	calls  []wireUse // of an assistant
	think  []provider.Thinking
	own    bool // this server and model family wrote it: its reasoning goes back
}

type wireUse struct {
	provider.ToolUse
	wire string
	own  bool
}

// lead takes the leading system messages off a history and joins them with the
// request's own.
func lead(system string, ms []provider.Message) (string, []provider.Message) {
	for len(ms) > 0 && ms[0].Role == provider.System {
		if t := ms[0].PlainText(); t != "" {
			if system != "" {
				system += "\n\n"
			}
			system += t
		}
		ms = ms[1:]
	}
	return system, ms
}

// turns lays a history out. Every call gets exactly one result, right behind its
// message: a result without a call becomes text, a call without one a note, since
// either fails the whole request. Images of results follow as the user's where a
// tool message cannot hold them.
func (e *encoder) turns(ms []provider.Message) []turn {
	var out []turn
	var open []wireUse // calls of the last assistant message that wait for results
	settle := func() {
		for _, u := range open {
			out = append(out, turn{role: "tool", callID: u.wire, parts: []provider.Block{provider.Text{Text: "no result: the call was interrupted"}}})
		}
		open = nil
	}
	for _, m := range ms {
		if m.Role == provider.Assistant {
			t := e.assistant(m)
			if len(t.parts) == 0 && len(t.calls) == 0 {
				continue // reasoning alone: a message of nothing is refused
			}
			settle()
			if n := len(out); n > 0 && out[n-1].role == "assistant" {
				merge(&out[n-1], t)
			} else {
				out = append(out, t)
			}
			open = t.calls
			continue
		}
		// The one place where a system message in the middle becomes the user's: most
		// servers of this wire refuse one there or move it to the front.
		var said, pictures []provider.Block
		results := map[string]provider.ToolResult{}
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case provider.ToolResult:
				if _, twice := results[b.ID]; !twice && waits(open, b.ID) {
					results[b.ID] = b
				} else {
					said = append(said, provider.Text{Text: "Result of an earlier call: " + resultText(b)})
				}
			case provider.Text:
				if b.Text != "" && !e.blank(b.Text) {
					said = append(said, b)
				}
			case provider.Image:
				said = append(said, b)
			}
		}
		for i, u := range open { // in the order of the calls
			r, ok := results[u.ID]
			if !ok {
				r = provider.ToolResult{ID: u.ID, Content: []provider.Block{provider.Text{Text: "no result: the call was interrupted"}}}
			}
			t, images := e.result(u, r)
			out = append(out, t)
			if len(images) > 0 {
				pictures = append(append(pictures, provider.Text{Text: "Image from " + open[i].Name + ":"}), images...)
			}
		}
		open = nil
		if said = append(pictures, said...); len(said) > 0 {
			t := turn{role: "user", parts: said}
			if n := len(out); n > 0 && out[n-1].role == "user" {
				merge(&out[n-1], t)
			} else {
				out = append(out, t)
			}
		}
	}
	settle()
	// A conversation that ends with the assistant is taken for a beginning to be
	// continued, which thinking templates and many servers refuse.
	if n := len(out); n > 0 && out[n-1].role == "assistant" {
		out = append(out, turn{role: "user", parts: []provider.Block{provider.Text{Text: "Continue."}}})
	}
	return out
}

func waits(open []wireUse, id string) bool {
	for _, u := range open {
		if u.ID == id {
			return true
		}
	}
	return false
}

func merge(a *turn, b turn) {
	a.parts = append(a.parts, b.parts...)
	a.calls = append(a.calls, b.calls...)
	a.think = append(a.think, b.think...)
	a.own = a.own && b.own
}

func (e *encoder) assistant(m provider.Message) turn {
	t := turn{role: "assistant", own: e.ours(m.Origin)}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Text:
			if b.Text != "" && !e.blank(b.Text) {
				t.parts = append(t.parts, b)
			}
		case provider.Thinking:
			t.think = append(t.think, b)
		case provider.ToolUse:
			own := e.sameServer(m.Origin)
			t.calls = append(t.calls, wireUse{b, e.ids.give(b, own), t.own})
		}
	}
	return t
}

// blank reports whether a text is white space that the model's own wire, behind
// the gateway, would refuse the request for.
func (e *encoder) blank(text string) bool {
	return brand(e.req.Model) == "claude" && strings.TrimSpace(text) == ""
}

// result is one tool message, and the images that cannot stand in it.
func (e *encoder) result(u wireUse, r provider.ToolResult) (turn, []provider.Block) {
	t := turn{role: "tool", callID: u.wire}
	var images []provider.Block
	text := resultText(r)
	if e.blank(text) {
		text = ""
	}
	for _, b := range r.Content {
		if img, ok := b.(provider.Image); ok {
			images = append(images, img)
		}
	}
	switch {
	case text == "" && len(images) > 0 && !e.toolImages():
		text = "The image follows."
	case text == "" && len(images) == 0:
		text = "(no output)" // an empty result is refused by some
	}
	if text != "" {
		t.parts = append(t.parts, provider.Text{Text: text})
	}
	if e.toolImages() {
		t.parts = append(t.parts, images...)
		images = nil
	}
	return t, images
}

func (e *encoder) toolImages() bool { return e.srv.toolImages && !e.state.blind() }

// resultText joins a result's text. The wire has no field for a failure, so the
// text says it.
func resultText(r provider.ToolResult) string {
	var parts []string
	for _, b := range r.Content {
		if t, ok := b.(provider.Text); ok && t.Text != "" {
			parts = append(parts, t.Text)
		}
	}
	text := strings.Join(parts, "\n")
	if r.IsError && !strings.Contains(strings.ToLower(text[:min(len(text), 40)]), "error") {
		text = strings.TrimRight("Error: "+text, " ")
	}
	return text
}
