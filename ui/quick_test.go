package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
)

// Keys step through the efforts a model has, from what it does by itself on, each press
// counts, and the ends say that they are; another key goes back to the model before.
func TestQuickKeys(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		one := provider.Model{Provider: "demo", ID: "demo-1", Default: provider.EffortMedium,
			Efforts: []provider.Effort{provider.EffortLow, provider.EffortMedium, provider.EffortHigh, provider.EffortMax}}
		two := provider.Model{Provider: "demo", ID: "demo-2"}
		o.Model, o.Effort = one, one.Default
		o.Models = func(context.Context) ([]ModelChoice, error) { return []ModelChoice{{Model: one}, {Model: two}}, nil }
		var set []string
		o.SetModel = func(c ModelChoice, e provider.Effort) (provider.Model, error) {
			set = append(set, c.Model.ID+" "+string(e))
			return c.Model, nil
		}
		s := start(t, o, 100, 24)
		s.send("\x18m") // ctrl+x m
		s.see("no other model has answered here; alt+p chooses one")
		s.send("\x1b.\x1b.")
		s.see("demo-1 · max")
		s.send("\x1b.")
		s.see("demo-1 thinks no more than max")
		s.send("\x1b,\x1b,\x1b,")
		s.see("demo-1 · low")
		s.send("\x1b,")
		s.see("demo-1 thinks no less than low")
		s.send("/model demo-2\r")
		s.see("now with demo-2")
		s.send("\x18m")
		s.see("demo-1 · low")
		s.send("\x18m")
		s.see("now with demo-2")
		s.send("\x1b.") // nothing is known of what it does by itself
		s.see("demo-2 · high")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if got := set[len(set)-4:]; strings.Join(got, ", ") != "demo-2 , demo-1 low, demo-2 , demo-2 high" {
			t.Errorf("set %q", got)
		}
	})
}

// Words behind /plan are sent in plan mode; during a run both wait for its end.
func TestPlanWithWords(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		mode := permission.ModeAsk
		var got []string
		goOn := make(chan struct{})
		a.script = func(_ context.Context, p agent.Prompt, sink agent.Sink) error {
			got = append(got, string(mode)+": "+p.Text)
			if p.Text == "work" {
				<-goOn
				got = append(got, "it ends in "+string(mode))
			}
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "Said of " + p.Text})
			sink(agent.TurnEnd{Stop: provider.StopEnd})
			return nil
		}
		o := testOptions(a)
		o.Mode = mode
		o.SetMode = func(to permission.Mode) { mode = to }
		s := start(t, o, 80, 24)
		s.send("work\r")
		s.send("/plan mend the median\r")
		s.see("/plan waits for the end of the run")
		close(goOn)
		s.see("Said of mend the median")
		s.send("/plan and the mean\r")
		s.see("Said of and the mean")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		want := "ask: work, it ends in ask, plan: mend the median, plan: and the mean"
		if all := strings.Join(got, ", "); all != want {
			t.Errorf("ran %q, not %q", all, want)
		}
	})
}

// Where nothing is to move, the marks of what is at work stand still.
func TestNothingMoves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := still(t, testOptions(&fakeAgent{}), 80, 24)
		tell(m, agent.UserMessage{Text: "build"}, agent.ToolStart{ID: "9", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "make"}}, agent.ToolRunning{ID: "9"})
		moves := func() bool {
			at := func(after time.Duration) string { m.now = m.born.Add(after); m.tr.d.now = m.now; return shot(m) }
			return at(100*time.Millisecond) != at(900*time.Millisecond)
		}
		if !moves() {
			t.Error("stands still by itself")
		}
		m.takeSetting(settingKept{motionSetting, "false"})
		if moves() {
			t.Error("moves")
		}
		has(t, shot(m), m.th.Glyphs.Half+" make")
		m.takeSetting(settingKept{motionSetting, "true"})
		if !moves() {
			t.Error("does not move again")
		}
	})
}
