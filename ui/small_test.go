package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"forge/agent"
	mine "forge/agent/command"
	"forge/tools"
	"forge/ui/lang"
)

// A conversation that is opened again shows the output of commands in the colours they had.
func TestColoursOfTheReopened(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.UserMessage{Text: "go"},
		agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make", Command: "make"}},
		agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: "plain\nred line\n[exit code 0]", Looks: []string{"\x1b[31mred\x1b[0m \x1b[2Jline", "\x1b[32mnot there\x1b[0m"}}}, agent.RunEnd{})
	press(m, "ctrl+o")
	view := m.View().Content
	if !strings.Contains(view, "\x1b[") || strings.Contains(view, "\x1b[2J") {
		t.Errorf("%q", view)
	}
	red, plain := -1, -1
	for y, row := range frameOf(m) {
		text := ""
		for _, c := range row {
			text += c.text
		}
		switch {
		case strings.Contains(text, "red line"):
			red = y
			if x := strings.Index(text, "red"); row[x].fg == row[x+4].fg {
				t.Errorf("one look: %v", row[x])
			}
		case strings.Contains(text, "plain"):
			plain = y
		}
	}
	if red < 0 || plain < 0 {
		t.Errorf("%s", shot(m))
	}
}

// There is nothing to shorten: that is said, and no card of it stays each time.
func TestNothingToCompact(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{compact: func(_ context.Context, sink agent.Sink) error {
			sink(agent.Compacting{Reason: "asked"})
			sink(agent.Compacted{Before: 10, Err: agent.ErrNothing})
			sink(agent.RunEnd{Err: agent.ErrNothing})
			return agent.ErrNothing
		}}
		s := start(t, testOptions(a), 80, 24)
		for range 3 {
			s.send("/compact\r")
			s.see("there is nothing to shorten yet")
		}
		if text := s.text(); strings.Contains(text, "failed") || strings.Count(text, "nothing to shorten") != 1 {
			t.Errorf("%s", text)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// What a second press does is said as long as it counts, and no longer.
func TestSecondPressIsSaidWhileItCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, testOptions(&fakeAgent{}), 80, 24)
		for _, key := range []string{"x\x1b", "\x15\x03"} {
			s.send(key)
			s.see("again")
			time.Sleep(twice - time.Second)
			s.see("again")
			time.Sleep(time.Second)
			if strings.Contains(s.text(), "again") {
				t.Errorf("%q: it is said for too long:\n%s", key, s.text())
			}
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// At 80x24 a long command has more rows than what stands around it.
func TestALongCommandHasTheRows(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	asked(m, tools.Effect{Kind: tools.Exec, Command: long(40)})
	n := strings.Count(shot(m), "\n  line ")
	if n < 12 {
		t.Errorf("%d rows of it:\n%s", n, shot(m))
	}
	has(t, shot(m), "deny and say what to do instead")
}

// The mode picker says modes as the status line does, and as they are typed.
func TestModesInChinese(t *testing.T) {
	lang.Use("zh")
	defer lang.Use(lang.English)
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	m.pickMode()
	has(t, shot(m), "询问 ask ✓", "计划 plan  ")
}

// A slip of the finger is told in lines as it is on the screen.
func TestSlipsInLines(t *testing.T) {
	l := &lines{o: testOptions(&fakeAgent{})}
	for typed, want := range map[string]string{"stauts": "status", "hlep": "help", "compat": "compact", "zzzz": ""} {
		if got := strings.Join(l.near(typed, mine.Set{}), " "); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	l.o.FromFiles = newFiles().options()
	err := l.filed(t.Context(), "/stauts", func(agent.Event) {})
	if want := errors.New("no command /stauts; did you mean /status?"); fmt.Sprint(err) != want.Error() {
		t.Errorf("%v", err)
	}
}
