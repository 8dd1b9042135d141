package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/agent/budget"
	"forge/agent/loop"
	"forge/tools"
)

// looped is a screen whose runs take a second, fail or wait as the prompt says, with a book
// of loops.
func looped(a *fakeAgent) Options {
	a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
		switch {
		case strings.Contains(p.Text, "long"):
			return pause(ctx, 12*time.Minute)
		case strings.Contains(p.Text, "fails"):
			return errors.New("the server is gone")
		case strings.Contains(p.Text, "dear"):
			return &budget.Exceeded{}
		}
		sink(agent.TextDelta{Text: "done with " + p.Text})
		return pause(ctx, time.Second)
	}
	o := testOptions(a)
	o.Loops, o.Still = &loop.Book{}, true // a second, not a tenth of one, from frame to frame
	return o
}

// count is how many prompts the agent was sent.
func (a *fakeAgent) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.prompts)
}

// later lets time pass, a moment beside whatever is due then.
func later(d time.Duration) { time.Sleep(d + 57*time.Millisecond) }

func TestLoopSends(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		s := start(t, looped(a), 80, 24)
		s.send("/loop 5m look at it\r")
		s.see("loop 1 sends this every 5 m")
		s.see("done with look at it")
		later(4 * time.Minute)
		if n := a.count(); n != 1 {
			t.Fatalf("%d runs after four minutes", n)
		}
		later(time.Minute)
		if n := a.count(); n != 2 {
			t.Fatalf("%d runs after five minutes", n)
		}
		s.send("/loop\r")
		s.see("2 runs · look at it")
		s.see("every 5 m · next at ")
		later(10 * time.Minute)
		if n := a.count(); n != 4 {
			t.Fatalf("%d runs after a quarter of an hour", n)
		}
		s.send("/loop stop 2\r")
		s.see("there is no loop 2")
		s.send("\x15/loop stop\r")
		s.see("loop 1 has ended: look at it")
		later(time.Hour)
		if n := a.count(); n != 4 {
			t.Errorf("%d runs, some after its end", n)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Nothing is sent into an answer, a question or what somebody writes, and the draft and the
// place that is read stay.
func TestLoopWaitsForRest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		o := looped(a)
		s := start(t, o, 80, 24)
		s.send("/loop 5m look\r")
		s.see("done with look")
		later(2 * time.Second)
		s.send("a long one\r")
		later(11 * time.Minute)
		if n := a.count(); n != 2 {
			t.Fatalf("%d runs beside an answer:\n%s", n, s.text())
		}
		s.see("loop waits")
		later(2 * time.Minute) // the answer has ended
		if n := a.count(); n != 3 {
			t.Fatalf("%d runs once it rests:\n%s", n, s.text())
		}
		s.send("half a tho")
		for range 29 { // it is due in one of these
			s.send("x")
			time.Sleep(10 * time.Second)
		}
		if n := a.count(); n != 3 {
			t.Fatalf("%d runs while somebody writes:\n%s", n, s.text())
		}
		later(15 * time.Second)
		if n := a.count(); n != 4 {
			t.Fatalf("%d runs after a while without a key:\n%s", n, s.text())
		}
		s.see("half a thoxxx")
		s.send("\x03\x15") // whatever runs, and the draft
		asked := make(chan error, 1)
		go func() {
			_, err := o.Feed.AskQuestion(context.Background(), tools.Question{ID: "q", Title: "Go on?", Choices: []tools.Choice{{ID: "y", Label: "yes", Key: "y"}}})
			asked <- err
		}()
		s.see("Go on?")
		later(20 * time.Minute)
		if n := a.count(); n != 4 {
			t.Fatalf("%d runs beside a question:\n%s", n, s.text())
		}
		s.send("y")
		if err := <-asked; err != nil {
			t.Fatal(err)
		}
		later(4 * time.Second)
		if n := a.count(); n != 5 {
			t.Fatalf("%d runs, what was missed is not made up for:\n%s", n, s.text())
		}
		later(2 * time.Second)
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A run is stopped without its loop; three failures in a row, or a budget, end it.
func TestLoopEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		s := start(t, looped(a), 80, 24)
		s.send("/loop 30m a long look\r")
		s.see("esc stops")
		s.send("\x1b")
		s.see("; /loop stop 1 ends it")
		later(31 * time.Minute)
		if n := a.count(); n != 2 {
			t.Fatalf("%d runs:\n%s", n, s.text())
		}
		s.send("/loop stop\r")
		s.see("loop 1 has ended: a long look")
		s.send("\x1b")
		later(4 * time.Second)
		s.send("/loop 1m it fails\r")
		later(61 * time.Second)
		s.send("words of my own")
		later(80 * time.Second)
		s.see("3 of its runs failed in a row")
		s.see("words of my own")
		if n := a.count(); n != 5 {
			t.Fatalf("%d runs:\n%s", n, s.text())
		}
		s.send("\x15/loop 1m a dear one\r")
		s.see("has ended: the budget is spent")
		later(5 * time.Minute)
		if n := a.count(); n != 6 {
			t.Fatalf("%d runs:\n%s", n, s.text())
		}
		s.gone("loop waits")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// After its week a loop has its last run, and what is kept of it says so.
func TestLoopGrowsOld(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		o := looped(a)
		kept := make(chan int, 10)
		o.Loops.Keep = func(list []loop.Loop) error { kept <- len(list); return nil }
		s := start(t, o, 80, 24)
		s.send("/loop 7d look\r")
		if n := <-kept; n != 1 {
			t.Errorf("%d are kept", n)
		}
		later(loop.Life)
		s.see("loop 1 has ended: it has run for 7 d")
		if n := <-kept; n != 0 || a.count() != 2 {
			t.Errorf("%d are kept, %d runs", n, a.count())
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// What is queued behind a run of a loop is sent, also where that run fails.
func TestLoopAndTheQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		o := looped(a)
		first := make(chan struct{})
		script := a.script
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			if p.Timed {
				<-first
				return errors.New("the server is gone")
			}
			return script(ctx, p, sink)
		}
		s := start(t, o, 80, 24)
		s.send("/loop 1h look\r")
		s.see("esc stops")
		s.send("my own\rand a dra")
		close(first)
		s.see("done with my own")
		s.see("and a dra")
		s.send("\x03\x15\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestLoopRefuses(t *testing.T) {
	o := looped(&fakeAgent{})
	m := still(t, o, 100, 24)
	for arg, want := range map[string]string{
		"check": "say how often", "5m": "say what is to be sent", "5s x": "waits 30 s at least", "9d x": "waits 7 d at most",
		"5m /new": "/new makes none", "5m /loop 5m x": "/loop makes none", "5m !make": "command line", "5m /xyzzy": "no command /xyzzy",
		"5m /newe": "did you mean /new", "stop": "no loop runs", "resume": "no loop to take up", "5m " + strings.Repeat("x", 5000): "4000 bytes",
	} {
		m.comp.SetValue("")
		m.cmdLoop(arg)
		if !strings.Contains(m.status.flash, want) || m.comp.Value() != "/loop "+arg {
			t.Errorf("%.20q: %q, %.30q", arg, m.status.flash, m.comp.Value())
		}
	}
	m.comp.SetValue("a draft")
	m.cmdLoop("check")
	if m.comp.Value() != "a draft" {
		t.Errorf("the draft is %q", m.comp.Value())
	}
	for _, arg := range []string{"5m /etc/passwd is long", "1h /review", "stop the server every 5m"} {
		if m.cmdLoop(arg); !strings.Contains(shot(m), "sends this every") {
			t.Errorf("%q: %s", arg, m.status.flash)
		}
		m.o.Loops.Stop(0)
	}
}

// Whoever reads above stays there when a loop sends its prompt.
func TestLoopMovesNothing(t *testing.T) {
	m := still(t, looped(&fakeAgent{}), 80, 24)
	m.tr.add(newNotice(long(100)))
	m.tr.view(20)
	m.tr.toTop()
	before := shot(m)
	if _, err := m.o.Loops.Add(time.Minute, "look", m.now); err != nil {
		t.Fatal(err)
	}
	m.Update(unflash{})
	if !m.busy() || m.tr.follow {
		t.Fatalf("busy: %v, follows: %v", m.busy(), m.tr.follow)
	}
	if after := shot(m); strings.Split(after, "\n")[3] != strings.Split(before, "\n")[3] {
		t.Errorf("it moved:\n%s", after)
	}
}
