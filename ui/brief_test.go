package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/tools"
)

// did is a call from its beginning to its end.
func did(id, title string, res tools.Result, paths ...string) []agent.Event {
	var changes []tools.Change
	for _, p := range paths {
		changes = append(changes, tools.Change{Path: p, Op: tools.Create, After: []byte("x\n")})
	}
	return []agent.Event{agent.ToolInput{Block: len(title), ID: id, Name: "t"}, agent.ToolStart{ID: id, Name: "t", Effect: tools.Effect{Title: title}},
		agent.ToolRunning{ID: id}, agent.ToolEnd{ID: id, Name: "t", Result: res, Changes: changes}}
}

// A turn is its prompt, a row of work and its answer; what runs, failed or is no work
// stays in sight, and the row unfolds.
func TestFocusView(t *testing.T) {
	bubble(t, func(t *testing.T) {
		stored := ""
		o := testOptions(&fakeAgent{})
		o.Settings = &Settings{Set: func(name, value string) error { stored = name + "=" + value; return nil }}
		m := still(t, o, 80, 40)
		m.now = m.o.Now().Add(-40 * time.Second)
		tell(m, agent.UserMessage{Text: "mend it"}, agent.TurnStart{Turn: 1}, agent.ThinkingDelta{Block: 100, Text: "deep\nthoughts"},
			agent.TextDelta{Block: 101, Text: "I look first."})
		tell(m, did("1", "read a.go", tools.Result{Text: "package a"})...)
		m.now = m.o.Now()
		tell(m, did("2", "edit both", tools.Result{Text: "done"}, "a.go", "b.go")...)
		tell(m, did("3", "run tests", tools.Result{Text: "it broke", IsError: true})...)
		tell(m, agent.TurnEnd{}, agent.TurnStart{Turn: 2}, agent.ToolStart{ID: "4", Name: "t", Effect: tools.Effect{Title: "run once more"}}, agent.ToolRunning{ID: "4"})
		plain := shot(m)
		work(m, m.runCommand("/focus", "focus", ""))
		if stored != "screen.focus=true" {
			t.Errorf("stored %q", stored)
		}
		text := shot(m)
		has(t, text, "mend it\n\n· 4 calls, 2 files changed, 40 s\n", "run tests", "it broke", "run once more")
		hasNot(t, text, "thought", "I look first.", "read a.go", "edit both")
		tell(m, agent.ToolEnd{ID: "4", Name: "t", Result: tools.Result{Text: "fine"}}, agent.TurnEnd{}, agent.TurnStart{Turn: 3},
			agent.TextDelta{Block: 102, Text: "It is mended."}, agent.TurnEnd{}, agent.RunEnd{Err: errors.New("the line is gone")})
		text = shot(m)
		if from, to := m.tr.extent(); from > 0 || to < 1 {
			t.Errorf("all of it is on the screen, and it counts as %v to %v", from, to)
		}
		has(t, text, "it broke\n\n  It is mended.\n", "the line is gone")
		hasNot(t, text, "run once more")

		for m.tr.step(-1, anyMatter) {
			if m.tr.leads(m.tr.focus) != nil {
				break
			}
		}
		m.reads = &reading{}
		press(m, "enter")
		has(t, shot(m), "4 calls", "thought", "I look first.", "read a.go", "edit both", "run once more")
		press(m, "space")
		hasNot(t, shot(m), "read a.go")
		m.unread()
		for i, p := range m.tr.panes { // as a search does that finds words in it
			if matterOf(p).text == "package a" {
				m.tr.showHit(i, 0)
			}
		}
		has(t, shot(m), "read a.go")
		all := m.tr.panes
		c := &choice{from: point{all[1], 0, 0}, to: point{all[len(all)-1], 0, 1 << 20}}
		if got := c.text(m.tr); !strings.Contains(got, "It is mended.") {
			t.Errorf("copied: %q", got)
		}
		press(m, "ctrl+o")
		has(t, shot(m), "thoughts", "package a", "read a.go")
		press(m, "ctrl+o")
		press(m, "ctrl+x", "o")
		for _, row := range strings.Split(plain, "\n")[:8] {
			if !strings.Contains(row, "running") {
				has(t, shot(m), row)
			}
		}
		for w := 1; w < 30; w++ {
			m.showBrief(w%2 == 0)
			m.tr.reshape(func(d *drawing) { d.w = w })
			m.w = w
			shot(m)
			m.tr.scroll(-3)
			shot(m)
		}
		m.setInline(true)
		m.showBrief(true)
		if m.tr.briefly() {
			t.Error("folded in what was left in the terminal")
		}
		time.Sleep(flashLong)
	})
}

// What a failed attempt had shown leads nothing, and a command of the person's own is no
// work of the model.
func TestFocusLeavesTheRest(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Focus = true
	m := still(t, o, 80, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.ThinkingDelta{Block: 1, Text: "first try"},
		agent.ToolInput{Block: 2, ID: "1", Name: "t"}, agent.Retrying{Err: errors.New("broken"), Attempt: 1, Attempts: 2},
		agent.TurnStart{Turn: 1}, agent.TextDelta{Block: 3, Text: "Nothing to do."}, agent.TurnEnd{}, agent.RunEnd{},
		agent.ToolStart{ID: "o", Name: agent.OwnCommand, Effect: tools.Effect{Kind: tools.Exec, Title: "! ls", Command: "ls"}},
		agent.ToolEnd{ID: "o", Name: agent.OwnCommand, Result: tools.Result{Text: "stats.go"}}, agent.RunEnd{})
	text := shot(m)
	has(t, text, "Nothing to do.", "! ls", "stats.go")
	hasNot(t, text, "call", "thought")
}
