package ui

import (
	"strings"
	"testing"

	"forge/agent"
)

// The place of the words that is looked at is painted in another way than the others,
// in the transcript and in what is shown whole.
func TestTheFoundPlaceLooksDifferent(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "a needle and a needle, and\n\nthe last needle"}, agent.RunEnd{})
	at, other := m.th.Selection.Apply("needle"), m.th.Match.Apply("needle")
	seen := func(want string) {
		t.Helper()
		var got []string
		for _, r := range strings.Split(m.View().Content, "\n") {
			for strings.Contains(r, "needle") && (strings.Contains(r, at) || strings.Contains(r, other)) {
				i, j := strings.Index(r, at), strings.Index(r, other)
				if i >= 0 && (j < 0 || i < j) {
					got, r = append(got, "at"), r[i+len(at):]
				} else {
					got, r = append(got, "other"), r[j+len(other):]
				}
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("painted %q, want %q", s, want)
		}
	}
	do(m, "tab", "/", "n", "e", "e", "d", "l", "e", "enter")
	seen("other other at")
	do(m, "N")
	seen("other at other")
	m.tr.reshape(func(d *drawing) { d.w = 30 })
	m.w = 30
	seen("other at other")
	do(m, "enter") // whole
	do(m, "/", "n", "e", "e", "d", "l", "e", "enter")
	seen("at other other")
	do(m, "n", "n")
	seen("other other at")
}
