package ui

import (
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
)

// What the model said can be read while a diff is asked about. The question waits: no key
// pressed meanwhile is an answer, and it stands there again once that is closed.
func TestReadingBackWhileADiffIsAsked(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	now := m.o.Now()
	m.o.Now = func() time.Time { return now }
	m.dialogs.Now = m.o.Now
	m.job = &job{}
	tell(m, agent.UserMessage{Text: "mend it"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "I will change **one** line, since it is wrong."})
	answer := make(chan permission.Answer, 1)
	lines := strings.Repeat("a line\n", 40)
	r := permission.Request{Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go", Changes: []tools.Change{{Path: "a.go", Op: tools.Modify, Before: []byte(lines), After: []byte("b\n" + lines)}}}}
	workNow(m, m.ask(&ask{request: &r, answer: answer}))
	now = now.Add(time.Minute)
	m.View()
	do(m, "ctrl+o")
	if m.pager == nil {
		t.Fatalf("nothing to read:\n%s", shot(m))
	}
	has(t, shot(m), "I will change one line", "the question waits: esc goes back to it")
	hasNot(t, shot(m), "a line")
	do(m, "y", "n", "enter") // enter closes it
	if m.pager != nil || len(answer) > 0 || !m.dialogs.Active() {
		t.Errorf("answered: %v\n%s", len(answer) > 0, shot(m))
	}
	has(t, shot(m), "a line")
	do(m, "ctrl+o", "ctrl+c")
	if m.pager != nil || len(answer) > 0 || m.leaving {
		t.Error("ctrl+c did more than close what is read")
	}
}
