package ui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
)

func terminalModel(t *testing.T, env map[string]string) *Model {
	t.Helper()
	o := testOptions(&fakeAgent{})
	o.Getenv = func(k string) string { return env[k] }
	return still(t, o, 80, 24)
}

func rawOf(cmd tea.Cmd) string {
	if cmd == nil {
		return ""
	}
	if m, ok := cmd().(tea.RawMsg); ok {
		s, _ := m.Msg.(string)
		return s
	}
	return ""
}

// A person who looks at the screen is not disturbed, nor one of whom nobody knows.
func TestNotifyUnfocused(t *testing.T) {
	m := terminalModel(t, map[string]string{"TERM": "xterm-kitty"})
	if !m.View().ReportFocus {
		t.Error("the terminal is not asked where its person looks")
	}
	if s := rawOf(m.notify("done")); s != "" {
		t.Errorf("unknown focus: %q", s)
	}
	m.Update(tea.BlurMsg{})
	if s := rawOf(m.notify("done")); !strings.Contains(s, "done") {
		t.Errorf("looks elsewhere: %q", s)
	}
	m.Update(tea.FocusMsg{})
	if s := rawOf(m.notify("done")); s != "" {
		t.Errorf("looks here: %q", s)
	}
	m = terminalModel(t, map[string]string{"TERM": "dumb", "WT_SESSION": "1"})
	m.Update(tea.BlurMsg{})
	m.job = &job{}
	if v := m.View(); rawOf(m.notify("done")) != "" || v.ReportFocus || v.WindowTitle != "" || v.ProgressBar != nil {
		t.Error("a dumb terminal is spoken to")
	}
}

func TestTitleAndProgress(t *testing.T) {
	m := terminalModel(t, map[string]string{"TERM": "xterm-256color", "WT_SESSION": "1"})
	if v := m.View(); v.WindowTitle != "forge ~/project" || v.ProgressBar != nil {
		t.Errorf("at rest: %q, %v", v.WindowTitle, v.ProgressBar)
	}
	m.job = &job{}
	if v := m.View(); !strings.HasSuffix(v.WindowTitle, " forge ~/project") || v.ProgressBar == nil || v.ProgressBar.State != tea.ProgressBarIndeterminate {
		t.Errorf("at work: %q, %v", v.WindowTitle, v.ProgressBar)
	}
	m.asks[&ask{}] = "1"
	if v := m.View(); v.WindowTitle != "? forge ~/project" || v.ProgressBar.State != tea.ProgressBarWarning {
		t.Errorf("a question waits: %q, %v", v.WindowTitle, v.ProgressBar)
	}
	m.o.NoTitle, m.o.NoProgress = true, true
	if v := m.View(); v.WindowTitle != "" || v.ProgressBar != nil {
		t.Error("switched off, and yet said")
	}
}

func TestParting(t *testing.T) {
	m := terminalModel(t, map[string]string{"TERM": "xterm-256color"})
	var out bytes.Buffer
	m.o.Terminal.Output = &out
	m.leave()
	if strings.Contains(out.String(), "\n") {
		t.Errorf("nothing was said, and yet %q stays", out.String())
	}
	tell(m, agent.UserMessage{Text: "hello"}, agent.TurnStart{}, agent.TextDelta{Text: "a **bold** \x1b[31manswer\x1b]0;x\a 好"},
		agent.TurnEnd{}, agent.RunEnd{})
	for how, want := range map[string]string{"": "a bold answer 好\n", "none": "", "all": "> hello\n\na bold answer 好\n"} {
		out.Reset()
		m.o.Parting = how
		m.leave()
		if got := strings.TrimPrefix(out.String(), "\x1b[23;0t"); got != want {
			t.Errorf("%q leaves %q", how, got)
		}
	}
}

// A table that stays is as wide as its cells, as it was on the screen, and not as wide as
// one whose rows are still to come.
func TestPartingTable(t *testing.T) {
	m := terminalModel(t, map[string]string{"TERM": "xterm-256color"})
	var out bytes.Buffer
	m.o.Terminal.Output = &out
	tell(m, agent.UserMessage{Text: "hello"}, agent.TurnStart{}, agent.TextDelta{Text: "| a | bb |\n|---|---|\n| 1 | 22 |\n"}, agent.TurnEnd{}, agent.RunEnd{})
	m.leave()
	if want := "a │ bb\n──┼───\n1 │ 22\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("%q stays", out.String())
	}
}

// The last answer stands in the terminal once the screen is gone.
func TestPartingOnScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(_ context.Context, _ agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{})
			sink(agent.TextDelta{Text: "the very last words"})
			sink(agent.TurnEnd{})
			return nil
		}}
		s := start(t, testOptions(a), 80, 24)
		s.send("hi\r")
		s.see("the very last words")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Fatal(err)
		}
		raw := s.raw.String()
		if strings.LastIndex(raw, "the very last words") < strings.LastIndex(raw, "\x1b[?1049l") {
			t.Error("nothing is left behind the alternate screen")
		}
	})
}

// !! runs a command of which the agent never hears.
func TestUnseenCommand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		o := testOptions(a)
		o.RunOwn = func(_ context.Context, command string, out io.Writer) (tools.Result, error) {
			io.WriteString(out, "ran "+command+"\n")
			return tools.Result{Text: "ran " + command + "\n[exit code 0, 1 ms]\n", Display: "exit code 0 · 1 ms"}, nil
		}
		s := start(t, o, 80, 24)
		s.send("!!git status\r")
		s.see("ran git status")
		if a.said() != "" {
			t.Errorf("the agent heard %q", a.said())
		}
		s.send("!ls\r")
		s.see("! ls")
		if a.said() != "! ls" {
			t.Errorf("the agent heard %q", a.said())
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestBackgroundKey(t *testing.T) {
	m := terminalModel(t, nil)
	sent := 0
	m.o.Background = func(context.Context) int { sent++; return 1 }
	do(m, "ctrl+b")
	if sent != 0 {
		t.Error("ctrl+b sends while no command runs")
	}
	m.job = &job{}
	tell(m, agent.TurnStart{}, agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run it"}}, agent.ToolRunning{ID: "1"})
	do(m, "ctrl+b")
	if sent != 1 || !strings.Contains(m.status.flash, "background") {
		t.Errorf("sent %d times, said %q", sent, m.status.flash)
	}
}

// A command is shown as running a moment before its process is there: ctrl+b waits for
// that, and no longer than the command is shown.
func TestBackgroundKeyWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, begins := range []bool{true, false} {
			begun, asked := make(chan struct{}), make(chan struct{}, 9)
			o := testOptions(&fakeAgent{})
			o.Background = func(ctx context.Context) int {
				asked <- struct{}{}
				select {
				case <-begun:
					return 1
				case <-ctx.Done():
					return 0
				}
			}
			end := make(chan struct{})
			o.RunOwn = func(ctx context.Context, _ string, _ io.Writer) (tools.Result, error) {
				<-end
				return tools.Result{Text: "over"}, nil
			}
			s := start(t, o, 80, 24)
			s.send("!!make\r")
			s.see("!! make")
			s.send("\x02")
			<-asked
			s.send("\x02\x02") // once is enough
			if begins {
				close(begun)
				s.see("sent to the background")
				close(end)
			} else {
				close(end)
				s.see("no command is waited for now")
			}
			if len(asked) > 0 {
				t.Error("it was asked again while it waited")
			}
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
