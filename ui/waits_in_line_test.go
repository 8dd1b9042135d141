package ui

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"forge/agent"
	stored "forge/agent/session"
	"forge/tools"
)

// A command that has to wait for the end of a run waits in the queue, in its place among
// the prompts, and never reaches the model; the prompt is free for what comes next.
func TestACommandWaitsInTheQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		next := make(chan struct{})
		a := &fakeAgent{}
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			select {
			case <-next:
			case <-ctx.Done():
				return ctx.Err()
			}
			sink(agent.TextDelta{Text: "answered " + p.Text})
			return nil
		}
		s := start(t, testOptions(a), 80, 24)
		s.send("first\r")
		s.send("/uncompact\r")
		s.see("/uncompact waits for the end of the run")
		s.see("up takes it back")
		s.send("second\r")
		s.see("2 queued")
		s.send("\x13") // ctrl+s: the words go into the run, the command does not
		s.see("at the next step")
		s.send("third\r")
		close(next)
		s.see("answered third")
		if got := a.said(); got != "first|second|uncompact|third" { // nothing read second before the run ended
			t.Errorf("did %q", got)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// The card of a reviewed edit counts what landed, and shows the person's own words.
func TestCardCountsWhatLanded(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 30)
	change := tools.Change{Path: "a.go", Op: tools.Modify, Before: []byte("1\n2\n"), After: []byte("one\n2\n")}
	tell(m,
		agent.ToolStart{ID: "1", Name: "edit_file", Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go (+2 −2)", Changes: []tools.Change{change}}},
		agent.ToolRunning{ID: "1"},
		agent.ToolEnd{ID: "1", Name: "edit_file", Changes: []tools.Change{change}, Result: tools.Result{
			Text: "the user says: keep it\nshort (said of hunk 2 of 2 of a.go, from line 2 on)\nchanged a.go (+1 −1)", Display: "1 of 2 hunks landed as proposed, 1 refused",
			Review: "1 of 2 hunks landed as proposed, 1 refused:\nthe user refused this, and the file does not have it:\n@@ -2 +2 @@\n-2\n+two\n"}},
	)
	text := shot(m)
	has(t, text, "edit a.go (+1 −1)", "you said: keep it", "short (said of hunk 2 of 2")
	if strings.Contains(text, "+2 −2") || strings.Contains(text, "changed a.go") {
		t.Errorf("the card still says what was proposed:\n%s", text)
	}
}

// A countdown that ran out says that the attempt is on.
func TestARetryThatIsOn(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 20)
	now := m.o.Now()
	m.o.Now = func() time.Time { return now }
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.Retrying{Err: context.DeadlineExceeded, After: 2 * time.Second, Attempt: 1, Attempts: 6})
	has(t, shot(m), "retrying in 2 s (1 of 6)")
	now = now.Add(9 * time.Second)
	m.Update(tickMsg{})
	if text := shot(m); strings.Contains(text, "retrying in 0 s (1 of 6):") || !strings.Contains(text, "trying again (1 of 6):") {
		t.Errorf("shown:\n%s", text)
	}
}

// Arguments that are lists are shown as their words while they stream in, not as JSON.
func TestAListThatStreamsInIsNoJSON(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 20)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1},
		agent.ToolInput{Block: 0, ID: "1", Name: "todo", JSON: `{"items":[{"text":"` + strings.Repeat("find every use ", 8)})
	if text := shot(m); strings.Contains(text, `"text"`) || strings.Contains(text, "items") || !strings.Contains(text, "find every use") || !strings.Contains(text, "todo") {
		t.Errorf("shown:\n%s", text)
	}
}

// Upwards a long answer is read from its end, not from its head far above.
func TestUpIntoALongAnswer(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: strings.ReplaceAll(long(60), "\n", "\n\n")}, agent.RunEnd{},
		agent.UserMessage{Text: "more"})
	m.tr.step(-1, anyMatter) // the last prompt
	m.tr.stepUp()
	if text := shot(m); !strings.Contains(text, "line 59") || strings.Contains(text, "line 0\n") || !m.tr.beyond(-1) {
		t.Errorf("it went to the head of the answer:\n%s", text)
	}
}

// A draft that another conversation left says where it comes from.
func TestALeftDraftSaysSo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Draft = "half a thought"
		s := start(t, o, 80, 24)
		s.see("what you had not sent stands in the prompt again")
		s.see("half a thought")
		s.send("\x15\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// What is sent behind a command that opens another conversation is for that one, and
// what was said is told once.
func TestWordsBehindAChangeWaitForIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		next, copied := make(chan struct{}), make(chan struct{})
		a := &fakeAgent{}
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			<-next
			sink(agent.TextDelta{Text: "answered " + p.Text})
			a.history = append(a.history, agent.UserMessage{Text: p.Text}, agent.TextDelta{Text: "answered " + p.Text}, agent.RunEnd{})
			return nil
		}
		o := testOptions(a)
		o.Stored.Fork = func() error { <-copied; return nil }
		s := start(t, o, 80, 24)
		s.send("first\r")
		s.send("/fork\r")
		s.send("second\r")
		close(next)
		s.see("answered first")
		s.send("third\r")
		close(copied)
		s.see("answered third")
		time.Sleep(time.Second)
		if text := s.text(); strings.Count(text, "answered second") != 1 || strings.Count(text, "answered third") != 1 || strings.Count(text, "answered first") != 1 {
			t.Errorf("shown:\n%s", text)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A line of the person's own waits its turn among prompts, runs when the run rests, and
// is nobody's prompt: words that begin with ! and were no such line stay words.
func TestAnOwnCommandWaitsInTheQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		next := make(chan error)
		a := &fakeAgent{}
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			select {
			case err := <-next:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		var kept atomic.Value
		o := testOptions(a)
		o.KeepQueue = func(q []string) { kept.Store(len(q)) }
		o.RunOwn = func(context.Context, string, io.Writer) (tools.Result, error) { return tools.Result{Text: "ok"}, nil }
		s := start(t, o, 80, 24)
		s.send("first\r")
		s.send("!make\r")
		s.see("!make  up takes it back")
		s.send("second\r")
		s.see("2 queued")
		s.send("\x13") // into the run go words alone
		s.see("second  at the next step")
		s.see("!make")
		s.send("third\r")
		next <- nil
		s.gone("!make  up takes")
		next <- nil // second, which the run did not read
		next <- nil // third
		s.see("? for keys")
		if got := a.said(); got != "first|second|! make|third" {
			t.Errorf("did %q", got)
		}
		if kept.Load() != 0 {
			t.Errorf("kept %d", kept.Load())
		}

		s.send("fourth\r!lint\r")
		s.see("!lint  up takes it back")
		s.send("half a thought\x1b") // stopped: it goes back, behind what is being written
		s.see("half a thought")
		s.see("!lint")
		if s.send("\r"); !strings.HasSuffix(a.said(), "|half a thought\n\n!lint") {
			t.Errorf("did %q", a.said())
		}
		next <- nil
		s.send("fifth\r")
		s.send("\x1b[200~!not a line" + strings.Repeat("\nof a paste", 30) + "\x1b[201~\r") // its ! hides in a placeholder
		s.see("!not a line")
		s.send("\x1b")
		s.see("of a paste")
		s.send("\r")
		if !strings.Contains(a.said(), "| !not a line\nof a paste") && !strings.Contains(a.said(), "|!not a line\nof a paste") {
			t.Errorf("did %q", a.said())
		}
		next <- nil
		s.send("sixth\r!test\r\x1b")
		s.see("\n! test\n")
		s.send("\x15\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// One that waited when forge was killed is shown as what it is, and runs once the person
// says so.
func TestAnOwnCommandOutlivesAKill(t *testing.T) {
	a := &fakeAgent{}
	o := testOptions(a)
	o.RunOwn = func(context.Context, string, io.Writer) (tools.Result, error) { return tools.Result{}, nil }
	m := still(t, o, 80, 24)
	m.takeLeft(stored.Left{Queue: []string{ownMark + "!make"}})
	has(t, shot(m), "!make  up takes it back")
	if a.said() != "" {
		t.Errorf("ran %q", a.said())
	}
	cmd := m.cmdContinue("")
	if m.job == nil || cmd == nil || len(m.queue) != 0 {
		t.Errorf("%v, queued %q", m.job, m.queue)
	}
}

// What waits is to be read in a narrow window, too; what can be done with it goes first.
func TestQueueInANarrowWindow(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	m.queue, m.steering = []string{"后来的话 later"}, []string{"at once"}
	for w := 8; w <= 80; w++ {
		for _, row := range m.waiting(w) {
			if n := cellsOf(row); n > w {
				t.Errorf("%d cells in %d: %q", n, w, row)
			}
		}
	}
	if text := strings.Join(m.waiting(20), "\n"); !strings.Contains(text, "后来的话") || !strings.Contains(text, "at once") {
		t.Error(text)
	}
}
