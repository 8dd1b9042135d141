package ui

import (
	"context"
	"testing"
	"time"

	"forge/agent"
	"forge/tools"
	"forge/ui/keymap"
)

// A command that takes long says on its card how it is sent to the background; near the
// end of its time, when it will be ended and which key gives it more.
func TestALongCommandSaysWhatCanBeDone(t *testing.T) {
	o := testOptions(&fakeAgent{})
	more := 0
	o.Background = func(context.Context) int { return 1 }
	o.MoreTime = func() int { more++; return 1 }
	m := still(t, o, 100, 24)
	now := m.o.Now()
	m.o.Now = func() time.Time { return now }
	after := func(d time.Duration) string {
		now = now.Add(d)
		m.Update(tickMsg{})
		return shot(m)
	}
	m.job = &job{}
	m.tr.d.tmux = true
	tell(m, agent.UserMessage{Text: "test"}, agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run go test", Limit: 2 * time.Minute}}, agent.ToolRunning{ID: "1"},
		agent.ToolOutput{ID: "1", Text: "=== RUN\n"})
	hasNot(t, after(4*time.Second), "background", "ended in")
	text := after(2 * time.Second)
	has(t, text, "ctrl+b sends it to the background (in tmux twice)")
	hasNot(t, text, "ended in", "of 120 s")
	has(t, after(90*time.Second), "running 1 m 36 s of 2 m", "it is ended in 24 s · alt+m gives it more time · ctrl+b sends it to the background")
	do(m, "alt+m")
	if more != 1 {
		t.Errorf("asked %d times for more time", more)
	}
	text = shot(m)
	has(t, text, "it has 2 m more", "ctrl+b sends it")
	hasNot(t, text, "ended in")
	has(t, after(140*time.Second), "of 4 m", "it is ended in 4 s")
	has(t, after(time.Second), "ctrl+b sends it to the background\n") // it was said before
	other, _ := keymap.New([]keymap.Entry{{Action: "running.background", Keys: []string{"f6"}}})
	m.tr.reshape(func(d *drawing) { d.keys = other })
	has(t, after(time.Second), "f6 sends it to the background")

	tell(m, agent.ToolEnd{ID: "1", Name: "run_bash"}, agent.ToolStart{ID: "2", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "! top"}}, agent.ToolRunning{ID: "2"})
	do(m, "alt+m")
	has(t, after(time.Hour), "no limit of time stands on it", "f6 sends it to the background")
	hasNot(t, shot(m), "ended in")
}
