package provider

import (
	"errors"
	"strings"
	"testing"
)

func events(err error, evs ...Event) func(yield func(Event, error) bool) {
	return func(yield func(Event, error) bool) {
		for _, e := range evs {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func TestNormaliseWholeReply(t *testing.T) {
	got := string(Normalise(events(nil,
		Start{Origin: "anthropic/m"},
		ThinkingDelta{Index: 0, Text: "hm", Signature: "sig"},
		OpaqueBlock{Index: 1, Block: Opaque{JSON: `{"type":"redacted_thinking","data":"zz"}`}},
		OpaqueBlock{Index: 2, Block: Opaque{JSON: `{"type":"server_tool_use","id":"s1","name":"web","input":{"q": "a"}}`}},
		TextDelta{Index: 3, Text: "a<b"},
		ToolUseStart{Index: 4, ID: "ours", WireID: "w1", Name: "ls"},
		ToolUseStart{Index: 5, ID: "ours2", WireID: "w2", Name: "cat"},
		ToolUseDelta{Index: 5, JSON: `{"p": `},
		ToolUseDelta{Index: 5, JSON: `1}`},
		Stop{Reason: StopToolUse, Usage: Usage{Input: 10, Output: 8, Completion: 3, Total: 18, Reasoning: 5, Reported: true}},
	)).JSON())
	want := `{
 "text": "a<b",
 "reasoning": "hm",
 "tool_calls": [
  {
   "id": "w1",
   "name": "ls",
   "arguments": "{}"
  },
  {
   "id": "w2",
   "name": "cat",
   "arguments": "{\"p\": 1}"
  }
 ],
 "stop_reason": "tool_use",
 "usage": {
  "prompt_tokens": 10,
  "completion_tokens": 3,
  "cache_read_tokens": 0,
  "cache_write_tokens": 0,
  "reasoning_tokens": 5
 },
 "error": null,
 "completion_tokens_from_total": 8,
 "signatures": [
  "sig"
 ],
 "redacted_thinking": [
  "zz"
 ],
 "server_tools": [
  {
   "type": "server_tool_use",
   "id": "s1",
   "name": "web",
   "input": "{\"q\": \"a\"}"
  }
 ]
}
`
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestNormaliseError(t *testing.T) {
	n := Normalise(events(&Error{Kind: KindServer, Message: "boom", Status: 500},
		Start{Origin: "openai/m"}, TextDelta{Text: "half"},
		Stop{Reason: StopError, Usage: Usage{Input: 3, Reported: true}}))
	if n.Error == nil || *n.Error != "boom" || n.StopReason != StopError || n.Text != "half" || n.Usage == nil || n.Usage.PromptTokens != 3 {
		t.Errorf("got %s", n.JSON())
	}
	n = Normalise(events(errors.New("plain")))
	if n.Error == nil || *n.Error != "plain" || n.Usage != nil {
		t.Errorf("got %s", n.JSON())
	}
}

func TestNormaliseRefusal(t *testing.T) {
	stop := Stop{Reason: StopRefusal, Detail: "no"}
	if n := Normalise(events(nil, Start{Origin: "openai/m"}, stop)); n.Refusal != "no" {
		t.Errorf("openai refusal %q", n.Refusal)
	}
	if n := Normalise(events(nil, Start{Origin: "anthropic/m"}, stop)); n.Refusal != "" {
		t.Errorf("anthropic refusal %q", n.Refusal)
	}
}

func TestSplitThink(t *testing.T) {
	for _, c := range []struct {
		in, reasoning, rest string
		found               bool
	}{
		{"<think>abc</think>answer", "abc", "answer", true},
		{"\n <think>\na\n</think>\n\nb", "\na\n", "\n\nb", true},
		{"<think>never closed", "never closed", "", true},
		{"reasoned\n</think>\n\nb", "reasoned\n", "\n\nb", true},
		{"plain", "", "plain", false},
		{"", "", "", false},
		{"a <think>b</think> c", "", "a <think>b</think> c", false},
		{"close it with `</think>` please", "", "close it with `</think>` please", false},
		{"```\nx\n</think>\n```", "", "```\nx\n</think>\n```", false},
		{`write "</think>"`, "", `write "</think>"`, false},
		{"<thinking>no</thinking>", "", "<thinking>no</thinking>", false},
	} {
		r, rest, ok := SplitThink(c.in)
		if r != c.reasoning || rest != c.rest || ok != c.found {
			t.Errorf("%q: got %q, %q, %v", c.in, r, rest, ok)
		}
	}
}

// However a text is cut, the pieces add up to what the whole splits into.
func TestThinkSplitterAgrees(t *testing.T) {
	for _, in := range []string{
		"<think>abc</think>answer", "  \n<think>a<b</thin</think>b</think>", "<think>open", "<thi", "<thick>", "plain text", " ", "",
		"<think>half </thi",
	} {
		wantR, wantT, ok := SplitThink(in)
		if !ok {
			wantR, wantT = "", in
		}
		for size := 1; size <= len(in)+1; size++ {
			var s ThinkSplitter
			var r, text strings.Builder
			for rest := in; rest != ""; {
				n := min(size, len(rest))
				a, b := s.Feed(rest[:n])
				r.WriteString(a)
				text.WriteString(b)
				rest = rest[n:]
			}
			a, b := s.Flush()
			r.WriteString(a)
			text.WriteString(b)
			if r.String() != wantR || text.String() != wantT {
				t.Errorf("%q in pieces of %d: %q, %q; want %q, %q", in, size, r.String(), text.String(), wantR, wantT)
			}
		}
	}
}
