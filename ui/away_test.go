package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/agent"
	"forge/tools"
	"forge/ui/composer"
	"forge/ui/lang"
)

// awhileIn is t.Run in a bubble, where a line that is to go by itself takes no time.
func awhileIn(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { bubble(t, f) })
}

// clocked is a still model whose time goes on by hand.
func clocked(t *testing.T, o Options, w, h int) (m *Model, pass func(time.Duration)) {
	t.Helper()
	m = still(t, o, w, h)
	now := m.o.Now()
	m.o.Now = func() time.Time { return now }
	return m, func(d time.Duration) { now = now.Add(d) }
}

// comes hands the model a message and does what follows at once.
func comes(m *Model, msg tea.Msg) {
	_, cmd := m.Update(msg)
	work(m, cmd)
}

// runs lets a run come and end, as the feed tells of it.
func ranOnce(m *Model, err error, changes ...tools.Change) {
	m.jobs++
	m.job = &job{id: m.jobs, cancel: func() {}, talk: true, answered: err == nil}
	m.events(batch{
		agent.ToolStart{ID: "c", Name: "write_file"}, agent.ToolEnd{ID: "c", Name: "write_file", Changes: changes},
		agent.RunEnd{Err: err, Totals: agent.Totals{Turns: 1, Cost: m.status.cost + 0.12, CostKnown: true}}, jobDone{id: m.jobs, err: err},
	})
}

func changeOf(path, before, after string) tools.Change {
	return tools.Change{Path: path, Op: tools.Modify, Before: []byte(before), After: []byte(after)}
}

// Whoever comes back after a while is told in one line what happened meanwhile, once, by
// what forge knows itself.
func TestAwayLine(t *testing.T) {
	back := map[string]tea.Msg{"focus": tea.FocusMsg{}, "key": keyMsg("x"), "paste": tea.PasteMsg{Content: "x"}, "click": tea.MouseClickMsg{X: 3, Y: 3}, "wheel": tea.MouseWheelMsg{Button: tea.MouseWheelUp}}
	for _, c := range []struct {
		name, back string
		blind      bool // the terminal says nothing of where its person looks
		away       time.Duration
		do         func(m *Model)
		want       string // empty: no line
	}{
		{"an answer", "focus", false, 42 * time.Minute, func(m *Model) { ranOnce(m, nil) }, "while you were away (42 min): 1 answer, cost $0.12"},
		{"by the first key", "key", true, 7 * time.Minute, func(m *Model) { ranOnce(m, nil) }, "since you were last here (7 min): 1 answer, cost $0.12"},
		{"by a paste", "paste", true, 7 * time.Minute, func(m *Model) { ranOnce(m, nil) }, "since you were last here (7 min): 1 answer"},
		{"by a click", "click", true, 7 * time.Minute, func(m *Model) { ranOnce(m, nil) }, "since you were last here (7 min): 1 answer"},
		{"by the wheel", "wheel", true, 7 * time.Minute, func(m *Model) { ranOnce(m, nil) }, "since you were last here (7 min): 1 answer"},
		{"a return nobody told of", "key", false, 9 * time.Minute, func(m *Model) { ranOnce(m, nil) }, "while you were away (9 min): 1 answer"},
		{"too short", "focus", false, 5*time.Minute - time.Second, func(m *Model) { ranOnce(m, nil) }, ""},
		{"nothing happened", "focus", false, time.Hour, func(*Model) {}, ""},
		{"hours", "focus", false, 125 * time.Minute, func(m *Model) { ranOnce(m, nil); ranOnce(m, nil); ranOnce(m, errors.New("no connection")) },
			"while you were away (2 h 05 min): 2 answers, 1 run ended with an error, cost $0.36"},
		{"days", "focus", false, 80 * time.Hour, func(m *Model) { ranOnce(m, nil) }, "while you were away (3 days): 1 answer"},
		{"files", "focus", false, 6 * time.Minute, func(m *Model) {
			ranOnce(m, nil, changeOf("a.go", "one\ntwo\n", "one\n2\n3\n"), changeOf("b.go", "x\n", "y\n"))
			ranOnce(m, nil, changeOf("a.go", "one\n2\n3\n", "one\n2\n"), changeOf("b.go", "y\n", "x\n"))
		}, "2 answers, 1 file changed +1 −1, cost"},
		{"a sub-agent's file", "focus", false, 6 * time.Minute, func(m *Model) {
			tell(m, agent.ToolStart{ID: "t", Name: "task"}, agent.Nested{ID: "t", Event: agent.ToolStart{ID: "u"}},
				agent.Nested{ID: "t", Event: agent.ToolEnd{ID: "u", Changes: []tools.Change{changeOf("c.go", "", "x\n")}}})
		}, "while you were away (6 min): 1 file changed +1 −0"},
		{"a folder that was moved", "focus", false, 6 * time.Minute, func(m *Model) {
			ranOnce(m, nil, tools.Change{Path: "new", From: "old", Op: tools.Move, Thing: tools.Folder}, changeOf("a.go", "", "x\n"))
		}, "1 answer, 2 files changed, cost"},
		{"questions", "focus", false, 6 * time.Minute, func(m *Model) {
			m.events(batch{&ask{question: &tools.Question{ID: "1", Title: "Which?"}, reply: make(chan tools.Reply, 1)},
				&ask{question: &tools.Question{ID: "2", Title: "What?"}, reply: make(chan tools.Reply, 1)}})
		}, "while you were away (6 min): 2 questions waiting"},
	} {
		awhileIn(t, c.name, func(t *testing.T) {
			m, pass := clocked(t, testOptions(&fakeAgent{}), 100, 40)
			m.status.costKnown = true
			if !c.blind {
				comes(m, tea.BlurMsg{})
			}
			pass(c.away)
			c.do(m)
			comes(m, back[c.back])
			said := ansi.Strip(shot(m))
			if got := strings.Contains(said, "away (") || strings.Contains(said, "last here ("); got != (c.want != "") || !strings.Contains(said, c.want) {
				t.Fatalf("want %q:\n%s", c.want, said)
			}
			n := len(m.tr.panes)
			comes(m, tea.FocusMsg{})
			comes(m, keyMsg("y"))
			if len(m.tr.panes) != n {
				t.Errorf("told twice:\n%s", ansi.Strip(shot(m)))
			}
		})
	}
	// Whoever looks at it and does nothing is not away, nor is anybody told who wants no line.
	m, pass := clocked(t, testOptions(&fakeAgent{}), 100, 30)
	comes(m, tea.BlurMsg{})
	comes(m, tea.FocusMsg{})
	pass(time.Hour)
	ranOnce(m, nil)
	comes(m, keyMsg("x"))
	m.takeSetting(settingKept{awayLineSetting, "false"})
	comes(m, tea.BlurMsg{})
	pass(time.Hour)
	ranOnce(m, nil)
	comes(m, tea.FocusMsg{})
	if said := ansi.Strip(shot(m)); strings.Contains(said, "(1 h") {
		t.Errorf("told:\n%s", said)
	}
	if m.takeSetting(settingKept{awayLineSetting, ""}); m.o.NoAwayLine {
		t.Error("unset, it is off")
	}
}

// Much of what was changed is counted by its files alone, and held no longer.
func TestAwayHoldsLittle(t *testing.T) {
	var a absence
	big := strings.Repeat("x", mostHeld/4)
	for i := range 20 {
		a.changed(agent.ToolEnd{Changes: []tools.Change{changeOf(fmt.Sprint(i), "", big)}})
	}
	held := 0
	for _, f := range a.files {
		held += len(f.before) + len(f.after)
	}
	if f := (awayFacts{}); held > mostHeld || len(a.files) != 20 {
		t.Errorf("%d bytes of %d files", held, len(a.files))
	} else if f.count(a.files); f.files != 20 || f.lines {
		t.Errorf("%+v", f)
	}
}

// A conversation that is opened while nobody is there costs nothing that it had cost before.
func TestAwayWhileAConversationOpens(t *testing.T) {
	m, pass := clocked(t, testOptions(&fakeAgent{}), 100, 30)
	comes(m, tea.BlurMsg{})
	m.adopt(told{past: m.past, status: status{cost: 7, costKnown: true}})
	pass(10 * time.Minute)
	ranOnce(m, nil)
	comes(m, tea.FocusMsg{})
	if said := ansi.Strip(shot(m)); !strings.Contains(said, "(10 min): 1 answer, cost $0.12") {
		t.Error(said)
	}
}

// In Chinese and in a narrow window the line is whole.
func TestAwayLineInChinese(t *testing.T) {
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lang.Use("en") })
	m, pass := clocked(t, testOptions(&fakeAgent{}), 40, 20)
	comes(m, tea.BlurMsg{})
	pass(90 * time.Minute)
	m.events(batch{&ask{question: &tools.Question{ID: "1", Title: "Which?"}, reply: make(chan tools.Reply, 1)}})
	ranOnce(m, nil, changeOf("a.go", "", "x\n"))
	comes(m, tea.FocusMsg{})
	said := strings.Join(strings.Fields(ansi.Strip(shot(m))), "")
	if want := "你离开期间（1小时30分钟）：1个回答，1个文件已改"; !strings.Contains(said, "你离开期间（1小时30分钟）：1个回答") || !strings.Contains(said, "+1−0，1个问题等待回答，花费$0.12") {
		t.Errorf("want %s …:\n%s", want, said)
	}
}

// Where it is wanted, coming back has a recap written, once, and never where it would be
// in the way.
func TestRecapOnReturn(t *testing.T) {
	type stage struct {
		m     *Model
		pass  func(time.Duration)
		asked *int
		err   *error
	}
	begin := func(t *testing.T) stage {
		asked, fails := 0, error(nil)
		o := testOptions(&fakeAgent{})
		o.NoAwayLine = true
		o.RecapAfter = 15 * time.Minute
		o.Recap = func(ctx context.Context) (string, agent.Totals, error) {
			asked++
			return "The laps are 圈速.", agent.Totals{Turns: 1}, errors.Join(fails, ctx.Err())
		}
		m, pass := clocked(t, o, 80, 24)
		return stage{m, pass, &asked, &fails}
	}
	// heard brings what was asked for.
	heard := func(s stage) string {
		s.m.o.Feed.send(flashMsg{"over"})
		s.m.events(s.m.o.Feed.Next().(batch))
		return ansi.Strip(shot(s.m))
	}
	away := func(s stage, d time.Duration, do func()) {
		comes(s.m, tea.BlurMsg{})
		s.pass(d)
		do()
	}
	awhileIn(t, "once", func(t *testing.T) {
		s := begin(t)
		typeText(s.m, "draft 修复")
		away(s, 15*time.Minute, func() { ranOnce(s.m, nil) })
		comes(s.m, tea.FocusMsg{})
		if said := heard(s); *s.asked != 1 || !strings.Contains(said, "recap: The laps are 圈速.") || s.m.comp.Value() != "draft 修复" {
			t.Fatalf("asked %d times, draft %q:\n%s", *s.asked, s.m.comp.Value(), said)
		}
		away(s, time.Hour, func() {}) // nothing new
		comes(s.m, tea.FocusMsg{})
		comes(s.m, keyMsg("x"))
		if *s.asked != 1 {
			t.Errorf("asked %d times, and nothing is new", *s.asked)
		}
	})
	awhileIn(t, "by a key", func(t *testing.T) {
		s := begin(t)
		s.pass(16 * time.Minute)
		ranOnce(s.m, nil)
		comes(s.m, keyMsg("x"))
		if said := heard(s); *s.asked != 1 || !strings.Contains(said, "recap: ") || s.m.comp.Value() != "x" {
			t.Errorf("asked %d times:\n%s", *s.asked, said)
		}
	})
	for name, do := range map[string]func(s stage) time.Duration{
		"too short": func(s stage) time.Duration { ranOnce(s.m, nil); return 14 * time.Minute },
		"nothing":   func(stage) time.Duration { return time.Hour },
		"a run is on": func(s stage) time.Duration {
			ranOnce(s.m, nil)
			s.m.job = &job{id: 99, talk: true}
			return time.Hour
		},
		"a conversation is opened": func(s stage) time.Duration { ranOnce(s.m, nil); s.m.changing++; return time.Hour },
		"off": func(s stage) time.Duration {
			ranOnce(s.m, nil)
			s.m.takeSetting(settingKept{recapSetting, "off"})
			return time.Hour
		},
		"unset": func(s stage) time.Duration {
			ranOnce(s.m, nil)
			s.m.takeSetting(settingKept{recapSetting, ""})
			return time.Hour
		},
		"later": func(s stage) time.Duration {
			ranOnce(s.m, nil)
			s.m.takeSetting(settingKept{recapSetting, "2h"})
			return time.Hour
		},
	} {
		awhileIn(t, name, func(t *testing.T) {
			s := begin(t)
			comes(s.m, tea.BlurMsg{})
			s.pass(do(s))
			comes(s.m, tea.FocusMsg{})
			if *s.asked != 0 || s.m.recap.on {
				t.Errorf("asked %d times", *s.asked)
			}
		})
	}
	awhileIn(t, "a failure is for the log", func(t *testing.T) {
		s := begin(t)
		*s.err = errors.New("no connection")
		away(s, time.Hour, func() { ranOnce(s.m, nil) })
		n := len(s.m.tr.panes)
		comes(s.m, tea.FocusMsg{})
		if said := heard(s); *s.asked != 1 || len(s.m.tr.panes) != n || s.m.recap.on {
			t.Errorf("asked %d times:\n%s", *s.asked, said)
		}
	})
	awhileIn(t, "asked for meanwhile", func(t *testing.T) {
		s := begin(t)
		*s.err = errors.New("no connection")
		away(s, time.Hour, func() { ranOnce(s.m, nil) })
		_, cmd := s.m.Update(tea.FocusMsg{})
		s.m.submitted(submittedText("/recap"))
		work(s.m, cmd)
		if said := heard(s); *s.asked != 1 || !strings.Contains(said, "no connection") {
			t.Errorf("asked %d times:\n%s", *s.asked, said)
		}
	})
	awhileIn(t, "something is sent", func(t *testing.T) {
		s := begin(t)
		away(s, time.Hour, func() { ranOnce(s.m, nil) })
		_, cmd := s.m.Update(tea.FocusMsg{})
		if !s.m.recap.on || !strings.Contains(ansi.Strip(shot(s.m)), "the recap is being written") {
			t.Fatal("none is being written")
		}
		s.m.submitted(submittedText("/mode"))
		if s.m.recap.on || strings.Contains(s.m.status.flash, "recap") {
			t.Error("it goes on")
		}
		work(s.m, cmd)
		if *s.asked != 0 {
			t.Errorf("asked %d times", *s.asked)
		}
		// One that was on its way by then is not shown.
		s.m.events(batch{recapped{id: s.m.recap.id, text: "late"}})
		if said := ansi.Strip(shot(s.m)); strings.Contains(said, "late") {
			t.Errorf("shown:\n%s", said)
		}
	})
	awhileIn(t, "a run begins", func(t *testing.T) {
		s := begin(t)
		away(s, time.Hour, func() { ranOnce(s.m, nil) })
		s.m.Update(tea.FocusMsg{})
		s.m.begin(func(context.Context, agent.Sink) error { return nil })
		if s.m.recap.on {
			t.Error("it goes on")
		}
	})
}

func submittedText(s string) composer.Submitted { return composer.Submitted{Text: s} }
