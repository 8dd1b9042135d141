package ui

import (
	"context"
	"errors"
	"testing"

	"forge/agent"
	"forge/provider"
	"forge/tools/permission"
)

// A plan is offered to be carried out, and is carried out in the mode that was chosen
// for it; what is typed instead goes on with planning.
func TestPlanIsCarriedOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		var got []string
		mode := permission.ModePlan
		a.script = func(_ context.Context, p agent.Prompt, sink agent.Sink) error {
			got = append(got, string(mode)+": "+p.Text)
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "First this, then that."})
			sink(agent.TurnEnd{Stop: provider.StopEnd})
			return nil
		}
		o := testOptions(a)
		o.Mode = mode
		o.SetMode = func(to permission.Mode) { mode = to }
		s := start(t, o, 80, 24)
		s.send("plan it\r")
		s.see("alt+c carries the plan out")
		s.send("\x1bc")
		s.see("carry it out, asking for each edit")
		s.send("\x1b[B\x1b[B\r") // go on planning
		s.gone("carry it out, asking")
		s.send("shorter\r")
		s.send("\x1bc")
		s.see("go on planning")
		s.send("\r")
		s.see("Carry out the plan.")
		s.gone("go on planning")
		s.see("accept edits")
		s.send("\x1bc")
		s.see("there is nothing to go on with")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		want := []string{"plan: plan it", "plan: shorter", "edits: Carry out the plan."}
		if len(got) != len(want) {
			t.Fatalf("ran %q", got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("run %d is %q, not %q", i, got[i], want[i])
			}
		}
	})
}

// Outside plan mode, and where a run was stopped or failed, there is no plan to offer.
func TestNoPlanNoOffer(t *testing.T) {
	for name, set := range map[string]func(*Model){
		"ask mode":  func(m *Model) { m.status.mode = permission.ModeAsk },
		"stopped":   func(m *Model) { m.job.stopping = true },
		"no answer": func(m *Model) { m.job.answered = false },
	} {
		o := testOptions(&fakeAgent{})
		o.Mode, o.SetMode = permission.ModePlan, func(permission.Mode) {}
		m := still(t, o, 80, 24)
		m.job = &job{id: 1, answered: true}
		set(m)
		m.ended(jobDone{id: 1})
		if m.left.plan {
			t.Errorf("%s: a plan is offered", name)
		}
	}
}

// A run that ended with an error can be gone on with by the same key as one that was
// cut off; what began nothing offers nothing.
func TestGoOnAfterAnError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		var got []string
		a.script = func(_ context.Context, p agent.Prompt, sink agent.Sink) error {
			got = append(got, p.Text)
			if len(got) == 1 {
				return errors.New("connection refused")
			}
			sink(agent.TextDelta{Text: "Here it is."})
			return nil
		}
		s := start(t, testOptions(a), 80, 24)
		s.send("go\r")
		s.see("connection refused")
		s.see("alt+c goes on from here")
		s.send("\x1bc")
		s.see("Here it is.")
		s.send("\x1bc")
		s.see("there is nothing to go on with")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if len(got) != 2 || got[1] != "" {
			t.Errorf("ran %q", got)
		}
	})
}
