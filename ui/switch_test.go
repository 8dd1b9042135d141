package ui

import (
	"context"
	"errors"
	"testing"

	"forge/agent"
	"forge/provider"
)

// A model chosen during a run answers from its next step on, or, where none comes,
// once it has ended; the effort that is asked for meanwhile is the new one's.
func TestSwitchDuringARun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		steps := make(chan bool)
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			for {
				sink(agent.TurnStart{Turn: 1})
				select {
				case more := <-steps:
					if !more {
						return nil
					}
					a.step()
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		o := testOptions(a)
		o.Models = func(context.Context) ([]ModelChoice, error) {
			return []ModelChoice{{Model: provider.Model{Provider: "x", ID: "fast", Efforts: []provider.Effort{"low"}}}, {Model: provider.Model{Provider: "x", ID: "slow"}},
				{Model: provider.Model{Provider: "x", ID: "bad"}}}, nil
		}
		var set []string
		o.SetModel = func(c ModelChoice, e provider.Effort) (provider.Model, error) {
			set = append(set, c.Model.ID+" "+string(e))
			if c.Model.ID == "bad" {
				return provider.Model{}, errors.New("no key for bad")
			}
			return c.Model, nil
		}
		s := start(t, o, 80, 24)
		s.send("go\r")
		s.send("/model fast\r")
		s.see("fast answers from the next step on")
		s.send("/effort high\r") // the new one has no such
		s.see("no effort high; there are low")
		s.send("\x15/effort low\r")
		s.see("the effort changes")
		if len(set) != 0 {
			t.Errorf("set before the next step: %q", set)
		}
		steps <- true
		s.see("fast · low")
		s.send("/model bad\r")
		s.see("bad answers from")
		steps <- true
		s.see("no key for bad")
		s.see("fast · low")
		s.send("/model slow\r")
		s.see("slow answers from")
		steps <- false // no further step: it is taken when the run is over
		s.see("now with slow")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if len(set) != 4 || set[0] != "fast " || set[1] != "fast low" || set[3] != "slow " {
			t.Errorf("set %q", set)
		}
	})
}

// Two choices take effect in a row and are told by two goroutines: the one told late
// does not take the other's place on the screen.
func TestLateWordOfAChoice(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	m.Update(modelSet{model: provider.Model{ID: "b"}, effort: provider.EffortLow, n: 2})
	m.Update(modelSet{model: provider.Model{ID: "a"}, n: 1})
	if m.status.model.ID != "b" || m.status.effort != provider.EffortLow {
		t.Errorf("%s %s is shown", m.status.model.ID, m.status.effort)
	}
}
