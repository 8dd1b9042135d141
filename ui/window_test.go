package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"forge/agent"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// fakeWindow is a window of three results that remembers what was done to it.
type fakeWindow struct {
	mu    sync.Mutex
	items []ledger.Item
	did   []string
}

func newFakeWindow() *fakeWindow {
	w := &fakeWindow{}
	for i := range 3 {
		w.items = append(w.items, ledger.Item{ID: fmt.Sprint("c", i), Group: "talk", Kind: "result", Name: "read_file", About: fmt.Sprint("file ", i), Tokens: 1000})
	}
	return w
}

func (w *fakeWindow) grow(about string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.items = append(w.items, ledger.Item{ID: about, Group: "talk", Kind: "result", Name: "run_bash", About: about, Tokens: 10})
}

func (w *fakeWindow) log() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.did, " ")
}

func (w *fakeWindow) ledger() *Ledger {
	return &Ledger{Window: func() ledger.Window {
		w.mu.Lock()
		defer w.mu.Unlock()
		return ledger.Window{Items: append([]ledger.Item(nil), w.items...), Tokens: 3000, Size: 100_000}
	}, Act: func(a ledger.Action) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.did = append(w.did, fmt.Sprint(a.Want, a.ID))
		for i := range w.items {
			it := &w.items[i]
			switch {
			case it.ID != a.ID:
			case a.ID == "c2":
				return errors.New("that is not in the window any more")
			case a.Want == ledger.Drop:
				it.Dropped, it.Edited = true, true
			case a.Want == ledger.Restore:
				it.Dropped, it.Collapsed, it.Edited = false, false, false
			case a.Want == ledger.Collapse:
				it.Collapsed, it.Edited = true, true
			default:
				it.Pinned = a.Want == ledger.Pin
			}
		}
		return nil
	}, Usage: func() ledger.Usage { return ledger.Usage{Session: ledger.Sum{Calls: 2, Input: 300}} }}
}

// stepping is a run that goes on by one step for each true.
func stepping(a *fakeAgent, steps chan bool, each func()) func(context.Context, agent.Prompt, agent.Sink) error {
	return func(ctx context.Context, _ agent.Prompt, sink agent.Sink) error {
		for n := 1; ; n++ {
			sink(agent.TurnStart{Turn: n})
			sink(agent.TextDelta{Text: "working "})
			select {
			case more := <-steps:
				if !more {
					return nil
				}
				each()
				a.step()
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// The window is open at once during a run and kept up with it. What is asked for says
// on its row that it waits, can be taken back, and is done at the next step; what comes
// after the last one is done when the run is over.
func TestWindowDuringARun(t *testing.T) {
	for _, tag := range []string{"en", "zh"} {
		t.Run(tag, func(t *testing.T) {
			if err := lang.Use(tag); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = lang.Use(lang.English) }()
			bubble(t, func(t *testing.T) {
				a, w, steps := &fakeAgent{}, newFakeWindow(), make(chan bool)
				a.script = stepping(a, steps, func() { w.grow("came with a step") })
				o := testOptions(a)
				o.Ledger = w.ledger()
				s := start(t, o, 80, 24)
				s.send("go\r")
				s.see("working")
				s.send("/context\r")
				s.see(lang.T("What the model sees"))
				s.gone(lang.T("esc stops")) // it closes the panel now
				s.send("kd")                // the second result
				s.see(lang.T("dropped at the next step"))
				s.see(lang.T("at the next step of the run; r takes it back"))
				s.send("kp") // the first
				s.see(lang.T("pinned at the next step"))
				s.send("jc") // something else is wanted of the second
				s.see(lang.T("collapsed at the next step"))
				s.gone(lang.T("dropped at the next step"))
				s.send("jd") // the third, and back again
				s.see(lang.T("dropped at the next step"))
				s.send("r")
				s.gone(lang.T("dropped at the next step"))
				s.see(lang.T("taken back before it was done"))
				s.send("\x1b")
				s.see("working")
				s.see(lang.T("esc stops"))
				s.send("/context\r") // what waits is told again
				s.see(lang.T("pinned at the next step"))
				if got := w.log(); got != "" {
					t.Errorf("done before the next step: %s", got)
				}
				steps <- true
				s.see("came with a step")
				s.see(lang.T("collapsed"))
				s.gone(lang.T("pinned at the next step"))
				s.gone(lang.T("at the next step of the run; r takes it back"))
				want := fmt.Sprintf("%d%s %d%s", ledger.Pin, "c0", ledger.Collapse, "c1")
				if got := w.log(); got != want {
					t.Errorf("did %s, not %s", got, want)
				}
				s.send("u") // the last that was done
				s.see(lang.T("restored at the next step"))
				steps <- true
				s.gone(lang.T("restored at the next step"))
				s.send("gjjjd") // c2 refuses
				s.see(lang.T("dropped at the next step"))
				steps <- false // no further step: it is done when the run is over
				s.see(lang.T("that is not in the window any more"))
				s.send("\x1b")
				s.send("\x04")
				if err := s.wait(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A panel that was closed is not opened by what comes late, and a wish that fails then
// is told all the same.
func TestWindowClosedWithAWish(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, w, steps := &fakeAgent{}, newFakeWindow(), make(chan bool)
		a.script = stepping(a, steps, func() {})
		o := testOptions(a)
		o.Ledger = w.ledger()
		s := start(t, o, 80, 24)
		s.send("go\r")
		s.send("/context\r")
		s.see("What the model sees")
		s.send("d\x1b")
		s.gone("What the model sees")
		steps <- true
		s.see("that is not in the window any more")
		s.gone("What the model sees")
		s.send("/usage\r")
		s.see("What was used up")
		s.send("\x1b")
		steps <- false
		s.see("2 turns")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
