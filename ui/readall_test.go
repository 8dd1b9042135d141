package ui

import (
	"strings"
	"testing"

	"forge/agent"
	"forge/tools"
)

// The whole conversation is shown as it was written, its end first, and can be searched
// and closed as anything shown whole.
func TestReadTheWholeConversation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := still(t, testOptions(&fakeAgent{}), 60, 16)
		tell(m, agent.UserMessage{Text: "first\nof all"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "It **is** so.\n\n" + long(30)},
			agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make"}}, agent.ToolRunning{ID: "1"},
			agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: "made\x1b]52;c;aGk=\x07 it"}}, agent.TextDelta{Text: "The end."}, agent.RunEnd{})
		press(m, "tab")
		press(m, "A")
		has(t, shot(m), "the conversation", "run make", "made", "The end.")
		if rows := m.View().Content; strings.Contains(rows, "52;c") {
			t.Error("an escape sequence of the output reached the screen")
		}
		press(m, "g")
		has(t, shot(m), "> first", "> of all", "It **is** so.")
		press(m, "esc")
		has(t, shot(m), "j k move")
		if !strings.Contains(m.tr.source(), "It **is** so.") {
			t.Error("what is shown is not what is copied")
		}
	})
}
