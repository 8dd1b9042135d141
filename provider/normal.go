package provider

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"

	"github.com/tidwall/gjson"
)

// Normal is a whole reply in the words of the wire's users rather than forge's:
// what `forge debug decode` prints and what the recorded streams are compared
// with. Ids are the server's own.
type Normal struct {
	Text       string       `json:"text"` // unsplit: a <think> section stays where it was
	Reasoning  string       `json:"reasoning"`
	ToolCalls  []NormalCall `json:"tool_calls"` // never null
	StopReason StopReason   `json:"stop_reason"`
	Usage      *NormalUsage `json:"usage"` // null: the server reported none
	Error      *string      `json:"error"` // null: the reply came to its end

	ThinkSplit  *NormalSplit `json:"think_split,omitempty"`
	Refusal     string       `json:"refusal,omitempty"`
	FromTotal   int          `json:"completion_tokens_from_total,omitempty"` // output tokens by the server's total, where that says something else
	Signatures  []string     `json:"signatures,omitempty"`
	Redacted    []string     `json:"redacted_thinking,omitempty"`
	ServerTools []NormalTool `json:"server_tools,omitempty"`
}

// NormalCall is one call. Arguments are the bytes as streamed, "{}" where the
// server sent none.
type NormalCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// NormalTool is one call that the server ran itself.
type NormalTool struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	Name  string `json:"name"`
	Input string `json:"input"`
}

// NormalUsage counts tokens; CompletionTokens is as reported, even by a server
// that leaves its reasoning out of it.
type NormalUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	CacheReadTokens  int `json:"cache_read_tokens"`
	CacheWriteTokens int `json:"cache_write_tokens"`
	ReasoningTokens  int `json:"reasoning_tokens"`
}

// NormalSplit is Text with its leading <think> section taken out.
type NormalSplit struct {
	Reasoning string `json:"reasoning"`
	Text      string `json:"text"`
}

// Normalise drains a stream and returns what it adds up to. An error of the
// stream becomes Error, with what had arrived beside it.
func Normalise(s iter.Seq2[Event, error]) Normal {
	var stop Stop
	m, err := Collect(s, func(ev Event) {
		switch e := ev.(type) {
		case Retry:
			stop = Stop{}
		case Stop:
			stop = e
		}
	})
	n := Normal{ToolCalls: []NormalCall{}, StopReason: m.Stop, Usage: normalUsage(m.Usage)}
	if err != nil {
		text := err.Error()
		if e := (*Error)(nil); errors.As(err, &e) && e.Message != "" {
			text = e.Message
		}
		n.Error, n.StopReason = &text, StopError
	}
	// Only the OpenAI format puts a refusal's words in a place of their own;
	// elsewhere Detail is an explanation beside the text.
	if stop.Reason == StopRefusal && !strings.HasPrefix(m.Origin, "anthropic") {
		n.Refusal = stop.Detail
	}
	if u := m.Usage; u.Total > 0 && u.Total-u.Input != n.Usage.CompletionTokens {
		n.FromTotal = u.Total - u.Input
	}
	var text, reasoning strings.Builder
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case Text:
			text.WriteString(b.Text)
		case Thinking:
			reasoning.WriteString(b.Text)
			if b.Signature != "" {
				n.Signatures = append(n.Signatures, b.Signature)
			}
		case ToolUse:
			n.ToolCalls = append(n.ToolCalls, normalCall(b))
		case Opaque:
			n.opaque(b)
		}
	}
	n.Text, n.Reasoning = text.String(), reasoning.String()
	if r, rest, ok := SplitThink(n.Text); ok {
		n.ThinkSplit = &NormalSplit{Reasoning: r, Text: rest}
	}
	return n
}

func normalUsage(u Usage) *NormalUsage {
	if !u.Reported {
		return nil
	}
	n := &NormalUsage{
		PromptTokens: u.Input, CompletionTokens: u.Output, CacheReadTokens: u.CacheRead,
		CacheWriteTokens: u.CacheWrite, ReasoningTokens: u.Reasoning,
	}
	if u.Total > 0 {
		n.CompletionTokens = u.Completion
	}
	return n
}

func normalCall(u ToolUse) NormalCall {
	if strings.TrimSpace(u.Input) == "" {
		u.Input = "{}"
	}
	return NormalCall{ID: u.WireID, Name: u.Name, Arguments: u.Input}
}

// opaque notes the two kinds of unknown block that a reader of a report wants to
// see by name; every other kind is kept for the wire and says nothing here.
func (n *Normal) opaque(b Opaque) {
	j := gjson.Parse(b.JSON)
	switch kind := j.Get("type").String(); {
	case kind == "redacted_thinking":
		n.Redacted = append(n.Redacted, j.Get("data").String())
	case strings.HasSuffix(kind, "tool_use"):
		input := j.Get("input").Raw
		if input == "{}" {
			input = ""
		}
		n.ServerTools = append(n.ServerTools, NormalTool{
			Type: kind, ID: j.Get("id").String(), Name: j.Get("name").String(), Input: input,
		})
	}
}

// JSON returns n as an indented object with a final newline, without HTML
// escaping, so that a report shows the reply's own characters.
func (n Normal) JSON() []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(n); err != nil { // strings and ints always encode
		return []byte(err.Error() + "\n")
	}
	return []byte(b.String())
}
