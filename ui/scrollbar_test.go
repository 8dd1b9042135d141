package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
)

// thumb is the rows of the screen with a scrollbar's mark at their end.
func thumb(m *Model) (rows []int) {
	for y, r := range strings.Split(shot(m), "\n") {
		if strings.HasSuffix(r, m.th.Glyphs.Thumb) && cellsOf(r) == m.w {
			rows = append(rows, y)
		}
	}
	return rows
}

// The thumb comes along with the mouse that holds it, from the first row to the last, and
// goes to where the edge is pressed; what is under it is not chosen.
func TestScrollbarIsDragged(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 10}} {
		m := still(t, testOptions(&fakeAgent{}), size[0], size[1])
		m.o.Scrollbar = barAlways
		for i := range 30 {
			tell(m, agent.UserMessage{Text: strings.Repeat("word ", 15) + string(rune('a'+i%26))}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: long(5)}, agent.RunEnd{})
		}
		edge := size[0] - 1
		button := func(y int) tea.Mouse { return tea.Mouse{X: edge, Y: y, Button: tea.MouseLeft} }
		at := thumb(m)
		last := m.tr.h - 1
		if len(at) == 0 || at[len(at)-1] != last {
			t.Fatalf("%v: at the end the thumb is at %v of %d", size, at, last)
		}
		m.Update(tea.MouseClickMsg(button(at[0])))
		for y := at[0]; y >= 0; y-- {
			m.Update(tea.MouseMotionMsg(button(y)))
			if got := thumb(m); len(got) == 0 || got[0] > y+1 || got[0] < y-1 {
				t.Errorf("%v: held at %d it is at %v", size, y, got)
			}
		}
		if m.tr.settle() != (spot{}) {
			t.Errorf("%v: the first row is not reached: %+v", size, m.tr.settle())
		}
		m.Update(tea.MouseMotionMsg(button(last + 5))) // below the edge
		if shot(m); !m.tr.follow {
			t.Errorf("%v: the end is not followed", size)
		}
		m.Update(tea.MouseReleaseMsg(button(last)))
		if m.tr.chosen != nil || strings.Contains(m.status.flash, "selection") {
			t.Errorf("%v: the conversation was chosen from", size)
		}
		m.Update(tea.MouseClickMsg(button(last / 2)))
		m.Update(tea.MouseReleaseMsg(button(last / 2)))
		if got := thumb(m); len(got) == 0 || got[0] > last/2+1 || got[len(got)-1] < last/2-1 {
			t.Errorf("%v: pressed at %d it is at %v", size, last/2, got)
		}
		m.o.Scrollbar = barNever
		m.tr.toTop()
		shot(m)
		m.Update(tea.MouseClickMsg(button(last)))
		m.Update(tea.MouseReleaseMsg(button(last)))
		if m.tr.settle() != (spot{}) {
			t.Errorf("%v: there is no scrollbar, and it is taken hold of", size)
		}
	}
}

// The scrollbar is there while the window stands above the end, shows where, takes the
// place of nothing, and can be had always or never.
func TestScrollbar(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	for i := range 30 {
		tell(m, agent.UserMessage{Text: strings.Repeat("word ", 15) + string(rune('a'+i%26))}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: long(5)}, agent.RunEnd{})
	}
	plain := shot(m)
	if got := thumb(m); got != nil {
		t.Errorf("at the end: %v", got)
	}
	m.tr.toTop()
	top := thumb(m)
	if len(top) == 0 || top[0] != 0 || len(top) > 3 {
		t.Errorf("at the top: %v\n%s", top, shot(m))
	}
	m.tr.scroll(60)
	if mid := thumb(m); len(mid) == 0 || mid[0] <= top[0] {
		t.Errorf("in the middle: %v", mid)
	}
	m.tr.toEnd()
	m.o.Scrollbar = barAlways
	if end := thumb(m); len(end) == 0 || end[len(end)-1] < 17 {
		t.Errorf("at the end, always: %v\n%s", end, shot(m))
	}
	if got := strings.ReplaceAll(shot(m), m.th.Glyphs.Thumb, ""); trimmed(got) != plain {
		t.Errorf("it covers something:\n%s", got)
	}
	m.o.Scrollbar = barNever
	m.tr.toTop()
	if got := thumb(m); got != nil {
		t.Errorf("never: %v", got)
	}
	full := []string{strings.Repeat("x", 80), "short", "short", "short", "short"}
	m.o.Scrollbar = barAlways
	if got := m.withBar(m.tr, append([]string(nil), full...), 80); got[0] != full[0] {
		t.Errorf("the last cell of a full row: %q", got[0])
	}
	m.o.Wheel = 1
	before := m.tr.settle()
	if m.wheel(tea.MouseWheelMsg{Button: tea.MouseWheelDown}); m.tr.settle().row != before.row+1 {
		t.Errorf("a notch moves from %v to %v", before, m.tr.settle())
	}
	m.ask(&ask{answer: make(chan permission.Answer, 1), request: &permission.Request{Call: tools.Call{Name: "run_bash"}, Effect: tools.Effect{Kind: tools.Exec, Command: long(60)}}})
	m.o.Wheel = 5
	m.View()
	m.wheel(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	has(t, shot(m), "rows 6 to ")
}

// Reasoning is shown as a line, whole or not at all; unfolding everything shows what is
// hidden, too.
func TestReasoningShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		stored := ""
		o := testOptions(&fakeAgent{})
		o.Settings = &Settings{Set: func(name, value string) error { stored = name + "=" + value; return nil }}
		m := still(t, o, 80, 24)
		tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.ThinkingDelta{Text: "deep thoughts\nand more"}, agent.TextDelta{Text: "It is so."}, agent.RunEnd{})
		has(t, shot(m), "thought")
		hasNot(t, shot(m), "deep thoughts")
		work(m, m.runCommand("/reasoning full", "reasoning", "full"))
		has(t, shot(m), "deep thoughts", "It is so.")
		if stored != "screen.reasoning=full" {
			t.Errorf("stored %q", stored)
		}
		work(m, m.runCommand("/reasoning hidden", "reasoning", "hidden"))
		hasNot(t, shot(m), "thought")
		if text := shot(m); !strings.Contains(text, "go\n\n  It is so.") {
			t.Errorf("its gap stays:\n%s", text)
		}
		for m.tr.step(-1, anyMatter) {
			if _, hidden := m.tr.focus.(*thought); hidden {
				t.Error("what is hidden has the focus")
			}
		}
		m.unread()
		press(m, "ctrl+o")
		has(t, shot(m), "deep thoughts")
		press(m, "ctrl+o")
		work(m, m.runCommand("/reasoning", "reasoning", ""))
		press(m, "down") // tried on
		has(t, shot(m), "thought\n")
		work(m, m.key(keyMsg("esc")))
		hasNot(t, shot(m), "thought\n")
		time.Sleep(flashLong)
	})
}
