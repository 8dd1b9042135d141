package ui

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
)

// history is all the terminal holds: what has scrolled away, then what it shows.
func (s *screen) history() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for y := range s.em.ScrollbackLen() {
		for x := range s.em.Width() {
			if c := s.em.ScrollbackCellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(trimmed(b.String()+s.em.String()), "\n")
}

// Inline a whole session is left in the terminal, in order and each part once, without
// the alternate screen; what needs a screen takes that one while it is open; at the end
// the prompt goes and the rest stays.
func TestInline(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 10}} {
		bubble(t, func(t *testing.T) {
			a := &fakeAgent{}
			o := testOptions(a)
			o.Inline = true
			o.Getenv = func(name string) string { return map[string]string{"TERM": "xterm-256color"}[name] }
			var allowed permission.Answer
			a.script = session(o.Feed, &allowed)
			s := start(t, o, size[0], size[1])
			alternate := func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.em.IsAltScreen() }
			time.Sleep(time.Second)
			s.send("find the bug\r")
			s.see("deny")
			time.Sleep(1500 * time.Millisecond)
			if alternate() {
				t.Error("a question takes the alternate screen")
			}
			for strings.Contains(s.text(), "read on") { // a small window shows it in parts
				s.send("y")
			}
			s.send("y")
			s.see("the tests pass")
			time.Sleep(time.Second)
			s.send("/help\r")
			s.see("Keys and commands")
			if !alternate() {
				t.Error("a pager is not on the alternate screen")
			}
			s.send("\x1b")
			s.gone("Keys and commands")
			s.send("half a draft")
			s.see("half a draft")
			time.Sleep(time.Second)
			if alternate() {
				t.Error("the alternate screen stays")
			}
			s.send("\x15\x04") // the draft goes, then forge
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			s.mu.Lock()
			raw := s.raw.String()
			s.mu.Unlock()
			if n := strings.Count(raw, "\x1b]133;A;redraw=0\a"); n != 1 {
				t.Errorf("%v: %d marks for the terminal's jumps between prompts, want one", size, n)
			}
			_, prompt, _ := strings.Cut(raw, "\x1b]133;A;redraw=0\a")
			prompt, said, _ := strings.Cut(prompt, "\x1b]133;C\a") // in the next row: Kitty knows one mark of a row
			_, said, ends := strings.Cut(said, "\x1b]133;C\a")
			if !ends || !strings.Contains(prompt, "find the bug") || !strings.HasSuffix(prompt, "\n") || !strings.Contains(said, "I will look at") || strings.Contains(said, "\x1b]133;C") {
				t.Errorf("%v: the prompt does not stand between its marks: %.200q, %.200q", size, prompt, said)
			}
			all := s.history()
			at := 0
			for _, want := range []string{"forge 0.1", "› find the bug", "I will look at both files.", "✓ read sum.go", "✓ read sum_test.go", "✓ edit sum.go", "Fixed.", "the tests pass", "$0.00"} {
				i := strings.Index(all[at:], want)
				if i < 0 {
					t.Errorf("%v: no %q behind what was before it:\n%s", size, want, all)
					break
				}
				at += i
				if n := strings.Count(all, want); n != 1 && want != "$0.00" {
					t.Errorf("%v: %q is there %d times:\n%s", size, want, n, all)
				}
			}
			for _, gone := range []string{"half a draft", "ask for something", "waiting for your answer", "Keys and commands"} {
				if strings.Contains(all, gone) {
					t.Errorf("%v: %q stays:\n%s", size, gone, all)
				}
			}
		})
	}
}

// What a turn said is not left in the terminal before the turn is over: it may be void.
func TestInlineRetry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{script: func(ctx context.Context, _ agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Block: 1, Text: "void words\n\nmore of them"})
			if err := pause(ctx, 3*time.Second); err != nil {
				return err
			}
			sink(agent.Retrying{Err: &provider.Error{Kind: provider.KindServer, Message: "broken"}, After: time.Second, Attempt: 1, Attempts: 3})
			if err := pause(ctx, time.Second); err != nil {
				return err
			}
			sink(agent.TextDelta{Block: 2, Text: "right words"})
			sink(agent.TurnEnd{Stop: provider.StopEnd})
			return nil
		}})
		o.Inline = true
		s := start(t, o, 60, 16)
		time.Sleep(time.Second)
		s.send("go\r")
		s.see("void words")
		s.see("right words")
		time.Sleep(2 * time.Second)
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if all := s.history(); strings.Contains(all, "void words") || strings.Count(all, "right words") != 1 {
			t.Errorf("%s", all)
		}
	})
}

// Of a conversation that is gone on with only the end is printed; leaving in the middle
// of a run prints what is there.
func TestInlineGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, _ agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Block: 9000, Text: "half an answer"})
			return pause(ctx, time.Hour)
		}}
		for i := range 300 {
			a.history = append(a.history, agent.UserMessage{Text: "prompt " + string(rune('a'+i%26)) + strings.Repeat("x", i)}, agent.TurnStart{Turn: 1},
				agent.TextDelta{Block: i, Text: "answer"}, agent.TurnEnd{Stop: provider.StopEnd}, agent.RunEnd{})
		}
		o := testOptions(a)
		o.Inline = true
		o.Restore = func() error { return nil }
		s := start(t, o, 80, 20)
		s.see("answer")
		time.Sleep(time.Second)
		s.send("go on\r")
		s.see("half an answer")
		s.send("\x03")
		time.Sleep(100 * time.Millisecond)
		s.send("\x04")
		s.wait()
		all := s.history()
		if n := strings.Count(all, "\n"); n > retoldRows+60 {
			t.Errorf("%d rows were printed", n)
		}
		if !strings.Contains(all, "earlier parts are not printed") || !strings.Contains(all, "half an answer") {
			t.Errorf("%s", all)
		}
	})
}

// /tui goes from the whole screen to rows beneath what is left in the terminal and back, in
// the middle of a conversation: everything that was said is in the terminal once.
func TestTui(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(_ context.Context, p agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "answered " + p.Text})
			sink(agent.TurnEnd{Stop: provider.StopEnd})
			return nil
		}}
		s := start(t, testOptions(a), 80, 24)
		alternate := func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.em.IsAltScreen() }
		time.Sleep(time.Second)
		if !alternate() {
			t.Fatal("it begins without the alternate screen")
		}
		s.send("one\r")
		s.see("answered one")
		s.send("/tui\r")
		s.see("inline now; ")
		if alternate() {
			t.Error("the alternate screen stays")
		}
		s.send("two\r")
		s.see("answered two")
		s.send("/tui full\r")
		s.see("the whole screen now")
		if !alternate() || !strings.Contains(s.text(), "answered one") || !strings.Contains(s.text(), "answered two") {
			t.Errorf("the whole screen:\n%s", s.text())
		}
		s.send("three\r")
		s.see("answered three")
		s.send("/tui full\r")
		s.see("it is so already")
		s.send("/tui nonsense\r")
		s.see("there are full and inline")
		s.send("\x15/tui inline\r")
		s.see("inline now; ")
		time.Sleep(time.Second)
		s.send("\x15\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		text := s.history()
		last := 0
		for _, what := range []string{"one", "two", "three"} {
			if n := strings.Count(text, "answered "+what); n != 1 {
				t.Errorf("answered %s stands there %d times:\n%s", what, n, text)
			}
			at := strings.Index(text, "answered "+what)
			if at < last {
				t.Errorf("%s out of order", what)
			}
			last = at
		}
	})
}

// What was said of a command goes when the next words are sent, however long it is read.
func TestSendingClearsWhatWasSaid(t *testing.T) {
	for _, line := range []string{"go", "!ls"} {
		o := testOptions(&fakeAgent{})
		o.RunOwn = func(context.Context, string, io.Writer) (tools.Result, error) { return tools.Result{}, nil }
		m := still(t, o, 80, 24)
		m.runCommand("/tui inline", "tui", "inline")
		has(t, shot(m), "inline now; ")
		m.comp.SetValue(line)
		press(m, "enter")
		if text := shot(m); !m.busy() || strings.Contains(text, "inline now; ") {
			t.Errorf("%s: busy %v\n%s", line, m.busy(), text)
		}
	}
}
