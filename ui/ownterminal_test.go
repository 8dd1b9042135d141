package ui

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"forge/agent"
	"forge/tools"
	"forge/ui/safe"
)

// fakeTerminal makes commands that never run.
func fakeTerminal(string) (*exec.Cmd, func(tools.Ran) tools.Result, error) {
	return exec.Command("true"), func(r tools.Ran) tools.Result {
		return tools.Result{Text: r.Said, IsError: r.Err != nil}
	}, nil
}

// ranMake is the card of a command that has failed, on a screen where one can have the
// terminal.
func ranMake(m *Model) *call {
	m.o.OnTerminal, m.tr.d.terminal = fakeTerminal, true
	tell(m, agent.ToolStart{ID: "make", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make", Command: "make all\n# 你好"}},
		agent.ToolRunning{ID: "make"}, agent.ToolEnd{ID: "make", Name: "run_bash", Result: tools.Result{Text: "sudo: a terminal is required\n[exit code 1, 20 ms]\n" + tools.TerminalNote + "\n", IsError: true, Display: "exit code 1 · 20 ms"}})
	for _, p := range m.tr.panes {
		if c, ok := p.(*call); ok && c.id == "make" {
			return c
		}
	}
	return nil
}

// Which lines want the terminal: a program whose name is the mark is one with a blank before it.
func TestLinesThatWantTheTerminal(t *testing.T) {
	for line, want := range map[string]string{"!i vim x": "vim x", "!i\tless": "less", "!i\ncat": "cat", "!i": "", "!i  ": "", "! i x": "-", "!ip a": "-", "!!i x": "-", "!ls": "-", "i x": "-"} {
		command, wants := onTerminalIn(line)
		if !wants {
			command = "-"
		}
		if command != want {
			t.Errorf("%q: %q, not %q", line, command, want)
		}
	}
}

// A card of a command that wanted a terminal says how it gets one, in the person's words
// alone, and asks before it does, with all of the command in sight.
func TestCardThatWantedATerminal(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	c := ranMake(m)
	has(t, shot(m), "it wanted a terminal: tab, then T on this card, runs it on yours")
	if text := shot(m); strings.Contains(text, "they type") || !strings.Contains(text, "sudo: a terminal is required") {
		t.Errorf("the card shows\n%s", text)
	}
	tap(m, "tab", "T")
	m.View()
	for _, want := range []string{"Run this on your terminal?", "all your rights", "make all", "# 你好"} {
		has(t, shot(m), want)
	}
	tap(m, "esc", "esc")
	c.state = callRunning
	if _, ok := m.runCall(c); ok {
		t.Error("one that runs still can be run once more")
	}
	c.state = callFailed
	m.o.OnTerminal = nil
	if _, ok := m.runCall(c); ok {
		t.Error("it is run where no terminal can be had")
	}
}

// Where there is no terminal to be had the command fails and says so; the screen goes on.
func TestNoTerminalToBeHad(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.OnTerminal = fakeTerminal
		s := start(t, o, 80, 24)
		s.send("!i make\r")
		s.see("✗ ! make")
		s.send(" ") // which the reading of a pipe takes, that nobody can end
		s.send("works")
		s.see("› works")
		s.send("\x03\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
	bubble(t, func(t *testing.T) {
		s := start(t, testOptions(&fakeAgent{}), 80, 24)
		s.send("!i make\r")
		s.see("no command can have the terminal here")
		s.see("! i make") // what was written is there again
		s.send("\x03\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// One that is stopped before it had the terminal is not begun; one that has it is waited for.
func TestStoppedBeforeItHadTheTerminal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var asked *loan
	run := withTerminal(fakeTerminal, "make", func(l *loan) { asked = l }, nil)
	if _, err := run(ctx, nil); !errors.Is(err, context.Canceled) || asked.lend() != nil {
		t.Errorf("%v", err)
	}
	gone := make(chan struct{})
	close(gone)
	run = withTerminal(fakeTerminal, "make", func(l *loan) { l.take() }, gone)
	if _, err := run(ctx, nil); !errors.Is(err, errClosed) {
		t.Errorf("of a screen that is gone: %v", err)
	}
	if got := safe.Line("a\x1b[31mb"); got != "ab" { // what is shown of it before it runs
		t.Errorf("%q", got)
	}
}
