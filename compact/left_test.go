package compact

import (
	"strings"
	"testing"

	"forge/provider"
)

// What the person left out is no request of theirs any more: its mark is not carried
// over a cut in the place of what they asked for last.
func TestWhatIsLeftOutIsNoRequest(t *testing.T) {
	ms := []provider.Message{
		provider.UserText("mend the parser"),
		{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "I look."}}},
		provider.UserText(LeftMark + "about 3 tokens, prompt-1]"),
	}
	if c := gather(ms, nil, Request{}, 1000); c.goal != "mend the parser" || len(c.requests) != 0 {
		t.Errorf("the goal is %q, earlier requests %q", c.goal, c.requests)
	}
	ms = append(ms, provider.UserText("[left out by the users of a list]"))
	if text := gather(ms, nil, Request{}, 1000).String(); !strings.Contains(text, "users of a list") {
		t.Errorf("a prompt of the person is lost: %s", text)
	}
}
