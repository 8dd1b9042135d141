package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/tools"
)

// A line after ! runs at once, shows what it says while it runs, and ends with
// Esc; the model is asked nothing.
func TestOwnCommand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		o := testOptions(a)
		var kept []string
		o.AppendHistory = func(s string) { kept = append(kept, s) }
		o.RunOwn = func(ctx context.Context, command string, out io.Writer) (tools.Result, error) {
			io.WriteString(out, "listening\n")
			if err := pause(ctx, time.Hour); err != nil {
				return tools.Result{Text: "listening\n[cancelled by the user, 2 s]", IsError: true, Display: "cancelled by the user · 2 s"}, nil
			}
			return tools.Result{}, nil
		}
		s := start(t, o, 80, 24)
		s.send("!")
		s.see("! a command of your own, run at once")
		s.send("npm run dev")
		s.see("\n! npm run dev\n")
		s.send("\r")
		s.see("listening")
		s.see("running your command")
		s.send("!ls\r") // one at a time
		s.see("waits for the end of the run")
		s.see("!ls  up takes it back")
		s.send("\x1b[A")
		s.see("\n! ls\n")
		s.send("\x13") // no word for the run that is on
		s.see("!ls  up takes it back")
		s.send("\x1b[A\x15\x1b")
		s.see("cancelled by the user")
		s.see("! npm run dev")
		if a.said() != "! npm run dev" || strings.Join(kept, "|") != "!npm run dev" {
			t.Errorf("ran %q, kept %q", a.said(), kept)
		}
		s.send("\x1b[A") // the history has it, as a command
		s.see("\n! ls\n")
		s.send("\x15\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Nothing but what a person sees to begin with ! is run: neither the prompt of
// the command line, nor a long paste, nor words after a blank.
func TestOnlyAPersonRunsACommand(t *testing.T) {
	for name, write := range map[string]func(m *Model){
		"a paste that is not shown": func(m *Model) {
			m.comp.Paste("!rm -rf build\n" + strings.Repeat("x\n", 30))
			press(m, "enter")
		},
		"behind a blank": func(m *Model) { typeText(m, " !important"); press(m, "enter") },
	} {
		t.Run(name, func(t *testing.T) {
			a := &fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }}
			o := testOptions(a)
			o.RunOwn = func(context.Context, string, io.Writer) (tools.Result, error) {
				t.Error("a command ran")
				return tools.Result{}, nil
			}
			m := still(t, o, 80, 24)
			m.Update(nil)
			if m.comp.Shell() {
				t.Error("an empty prompt is a command")
			}
			write(m)
			if m.comp.Shell() {
				t.Error("it is taken for a command")
			}
		})
	}
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }}
		o := testOptions(a)
		o.Prompt = "!rm -rf build"
		o.RunOwn = func(context.Context, string, io.Writer) (tools.Result, error) {
			t.Error("a command ran")
			return tools.Result{}, nil
		}
		s := start(t, o, 80, 24)
		s.see("!rm -rf build")
		time.Sleep(time.Second)
		if a.said() != "!rm -rf build" {
			t.Errorf("sent %q", a.said())
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Esc twice on an empty prompt goes back to before an earlier one, with its text
// to be edited; the screen shows the copy.
func TestGoingBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(_ context.Context, _ agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "an answer"})
			return nil
		}}
		o := testOptions(a)
		var forked string
		fork := func(text string, err error) func() error {
			return func() error { forked += text; return err }
		}
		o.Earlier = func() []Earlier {
			return []Earlier{{Text: "second prompt", When: time.Now().Add(-3 * time.Minute), Fork: fork("2", nil)},
				{Text: "first prompt", When: time.Now().Add(-2 * time.Hour), Fork: fork("1", errors.New("disk full"))}}
		}
		s := start(t, o, 80, 24)
		s.send("something of now\r")
		s.see("an answer")
		s.send("\x1b")
		s.see("esc again goes back")
		s.send("\x1b")
		s.see("Go back to before a prompt")
		s.see("second prompt  3 minutes ago")
		s.see("first prompt  2 hours ago")
		s.gone("esc again")
		s.send("first\r")
		s.see("go back: disk full")
		a.mu.Lock()
		a.history = []agent.Event{agent.UserMessage{Text: "what stood before"}, agent.RunEnd{}}
		a.mu.Unlock()
		s.send("\x1b\x1b")
		s.see("second prompt")
		s.send("\r")
		s.see("what stood before")
		s.see("\n› second prompt\n")
		s.gone("something of now")
		if forked != "12" {
			t.Errorf("forked %q", forked)
		}
		s.send("\x1b\x1b") // with text in it, the prompt is cleared
		s.see("ask for something")
		s.send("\x1b")
		s.send("x\x7f\x1b") // not twice in a row
		s.see("esc again goes back")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A copy that ends before the first prompt is an empty conversation, not an empty
// screen.
func TestGoingBackToTheBeginning(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.UserMessage{Text: "the only prompt"})
	work(m, m.update(opened{before: len(m.tr.panes), prompt: "the only prompt"}))
	m.Update(m.o.Feed.Next())
	if text := shot(m); !strings.Contains(text, "forge 0.1") || strings.Count(text, "the only prompt") != 1 || m.comp.Value() != "the only prompt" {
		t.Errorf("%s", text)
	}
}

// Ctrl+P lists the commands where nothing is written, and moves where something
// is.
func TestPalette(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.History = []string{"an earlier prompt"}
	m := still(t, o, 80, 24)
	press(m, "ctrl+p")
	if text := shot(m); !strings.Contains(text, "Commands") || !strings.Contains(text, "/export [markdown|html|jsonl] [file]  write this conversation to a file") {
		t.Fatalf("%s", text)
	}
	typeText(m, "keys and com")
	press(m, "enter")
	if text := shot(m); !strings.Contains(text, "Keys and commands") {
		t.Errorf("/help did not run:\n%s", text)
	}
	press(m, "esc", "ctrl+p")
	typeText(m, "give this conversation a name")
	press(m, "enter")
	if m.comp.Value() != "/rename " {
		t.Errorf("prompt %q:\n%s", m.comp.Value(), shot(m))
	}
	m.comp.Reset()
	typeText(m, "x")
	press(m, "ctrl+p")
	if m.dialogs.Active() || m.comp.Value() != "an earlier prompt" {
		t.Errorf("ctrl+p on a prompt gives %q", m.comp.Value())
	}
}

// Of a command the person ran to see what it says, more is shown.
func TestOwnOutputIsShownLonger(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 40)
	text := strings.TrimSuffix(strings.Repeat("a line\n", 30), "\n")
	for name, want := range map[string]int{agent.OwnCommand: 12, "run_bash": 6} {
		m.tr.panes = nil
		m.talk.begin(m.now)
		tell(m, agent.ToolStart{ID: name, Name: name, Effect: tools.Effect{Kind: tools.Exec, Title: "! x", Command: "x"}},
			agent.ToolRunning{ID: name}, agent.ToolOutput{ID: name, Text: text})
		if n := strings.Count(shot(m), "a line"); n != want {
			t.Errorf("%s shows %d rows while it runs, want %d:\n%s", name, n, want, shot(m))
		}
		tell(m, agent.ToolEnd{ID: name, Name: name, Result: tools.Result{Text: text, Display: "exit code 0 · 1 s"}})
		if n := strings.Count(shot(m), "a line"); n != want {
			t.Errorf("%s shows %d rows at its end, want %d:\n%s", name, n, want, shot(m))
		}
	}
}
