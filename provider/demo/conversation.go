package demo

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"io"
	"strings"
	"unicode"

	"forge/provider"
)

// conversation is what a script looks at, the same whichever way the request
// came: neighbours of one role are one message, and what a wire adds or leaves out
// on its way (reasoning, the word "Error:" before a failed result) is not in it.
type conversation struct {
	replies int    // of the model so far
	user    string // the newest words of the user
	results []result
	system  string
	tools   []string
	agent   string   // the sub-agent that asks; empty: the person's own
	texts   []string // all of the user's and of results
	task    string   // the first words of the user
	id      uint64   // tells conversations apart

	input, cached int // tokens
}

// result is one answer to the last calls.
type result struct {
	tool, text      string
	failed, refused bool
}

// imageTokens is what an image counts as.
const imageTokens = 800

// agentLine begins the system prompt of a sub-agent; its name and a quote follow.
const agentLine = `You are the sub-agent "`

// besideLine begins a question beside the work.
const besideLine = "[a question beside the work]\n"

// converse reads a request.
func converse(req provider.Request) conversation {
	v := conversation{system: req.System}
	h := fnv.New64a()
	size := counter{h: h}
	size.add(req.System)
	for _, t := range req.Tools {
		v.tools = append(v.tools, t.Name)
		size.add(t.Name)
		size.add(t.Description)
	}
	if rest, ok := strings.CutPrefix(req.System, agentLine); ok {
		v.agent, _, _ = strings.Cut(rest, `"`)
	}
	names := map[string]string{}
	var last provider.Role
	upToReply := 0 // tokens before the newest reply: what the request before this one held
	for _, m := range req.Messages {
		role := m.Role
		if role == provider.System {
			role = provider.User // where a wire cannot say it otherwise
		}
		if role == provider.Assistant && !says(m) {
			continue // an aborted reply: some wires send it, some do not
		}
		if role != last {
			if role == provider.Assistant {
				upToReply = size.tokens()
				v.replies++
			} else {
				v.user, v.results = "", nil
			}
			if v.task == "" {
				v.task = v.user
			}
			io.WriteString(h, string(role))
			last = role
		}
		for _, b := range m.Blocks {
			switch b := b.(type) {
			case provider.Text:
				size.add(b.Text)
				if role == provider.User && m.Role != provider.System {
					if v.user != "" {
						v.user += "\n"
					}
					v.user += b.Text
					v.texts = append(v.texts, b.Text)
				}
			case provider.Image:
				size.images++
			case provider.ToolUse:
				names[b.ID] = b.Name
				size.add(b.Name)
				size.add(canonical(b.Input))
			case provider.ToolResult:
				v.results = append(v.results, readResult(b, names[b.ID], &size))
				v.texts = append(v.texts, v.results[len(v.results)-1].text)
			}
		}
	}
	if v.task == "" {
		v.task = v.user
	}
	v.input, v.cached, v.id = size.tokens(), upToReply, h.Sum64()
	return v
}

// says reports whether a reply has anything every wire would send back.
func says(m provider.Message) bool {
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Text:
			if strings.TrimSpace(b.Text) != "" {
				return true
			}
		case provider.ToolUse:
			return true
		}
	}
	return false
}

func readResult(b provider.ToolResult, tool string, size *counter) result {
	r := result{tool: tool, failed: b.IsError}
	var parts []string
	for _, c := range b.Content {
		switch c := c.(type) {
		case provider.Text:
			parts = append(parts, c.Text)
		case provider.Image:
			size.images++
		}
	}
	r.text = strings.Join(parts, "\n")
	// The chat completions wire has no flag for a failure; the text says it there.
	if rest, ok := strings.CutPrefix(r.text, "Error: "); ok {
		r.text, r.failed = rest, true
	}
	r.refused = strings.HasPrefix(r.text, "not run:")
	r.failed = r.failed || r.refused
	size.add(r.text)
	return r
}

// counter sizes text by its visible bytes, so that it matters neither how a wire
// joins pieces nor what white space it trims.
type counter struct {
	h      io.Writer
	bytes  int
	images int
}

func (c *counter) add(s string) {
	s = visible(s)
	c.bytes += len(s)
	if c.h != nil {
		io.WriteString(c.h, s)
	}
}

// tokens: some three and a half visible bytes each, which is near what real
// tokenizers make of prose and code.
func (c *counter) tokens() int { return (c.bytes*2+6)/7 + c.images*imageTokens }

func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func countTokens(s string) int {
	c := counter{}
	c.add(s)
	return c.tokens()
}

// canonical gives arguments a form in which wires that carry them as JSON and
// wires that carry them as a string agree.
func canonical(input string) string {
	dec := json.NewDecoder(strings.NewReader(input))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return input
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return input
	}
	return buf.String()
}
