package crew

import (
	"errors"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
)

func starts(id, title string) agent.Event {
	return agent.ToolStart{ID: id, Name: "task", Effect: tools.Effect{Kind: tools.Delegate, Title: title}}
}

// follow is a roster that was told some events, a second apart.
func follow(es ...agent.Event) (*Roster, time.Time) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := &Roster{}
	for _, e := range es {
		now = now.Add(time.Second)
		r.Take(e, now)
	}
	return r, now
}

func in(id string, e agent.Event) agent.Event { return agent.Nested{ID: id, Event: e} }

// TestStates: what an agent does is said in words after each event, and for how long.
func TestStates(t *testing.T) {
	steps := []struct {
		e    agent.Event
		says string
	}{
		{starts("a", "explore: where: here"), "waiting"},
		{agent.ToolRunning{ID: "a"}, "waiting"}, // for a place
		{agent.Delegated{ID: "a", Agent: "explore", Session: "s"}, "starting"},
		{in("a", agent.UserMessage{Text: "look"}), "starting"},
		{in("a", agent.TurnStart{Turn: 1}), "waiting for the model"},
		{in("a", agent.Waiting{For: string(provider.WaitLimit)}), "held back by the server's rate limit"},
		{in("a", agent.ThinkingDelta{Text: "hm"}), "thinking"},
		{in("a", agent.TextDelta{Text: "so"}), "answering"},
		{in("a", agent.TextDelta{Text: " it is"}), "answering 1 s"},
		{in("a", agent.ToolInput{Name: "grep"}), "writing a call"},
		{in("a", agent.ToolStart{ID: "1", Name: "grep"}), "writing a call 1 s"},
		{in("a", agent.ToolRunning{ID: "1"}), "running grep"},
		{in("a", agent.ToolStart{ID: "2", Name: "glob"}), "running grep 1 s"},
		{in("a", agent.ToolRunning{ID: "2"}), "running 2 calls"},
		{in("a", agent.ToolEnd{ID: "1"}), "running glob"},
		{in("a", agent.ToolEnd{ID: "2"}), "waiting for the model"},
		{in("a", agent.Retrying{Err: errors.New("no"), Attempt: 1, Attempts: 6}), "trying again (1 of 6): no"},
		{in("a", agent.Compacting{}), "compacting"},
		{in("a", agent.Compacted{}), "waiting for the model"},
		{agent.ToolEnd{ID: "a"}, "done"},
		{in("a", agent.TextDelta{Text: "late"}), "done"},
	}
	var es []agent.Event
	for i, s := range steps {
		es = append(es, s.e)
		r, now := follow(es...)
		a := r.Find("a")
		if got := a.Says(now); got != s.says {
			t.Errorf("after event %d: %q, want %q", i, got, s.says)
		}
		if i == 2 && (a.Name != "explore" || a.Task != "where: here" || a.Session != "s") {
			t.Errorf("%+v", a)
		}
	}
	r, now := follow(es...)
	a := r.Find("a")
	if a.Calls != 2 || len(r.Running()) != 0 || a.Took(now.Add(time.Hour)) != 17*time.Second {
		t.Errorf("%d calls, %d running, took %v", a.Calls, len(r.Running()), a.Took(now))
	}
	for text, want := range map[string]string{agent.Cancelled + ": this one": "cancelled", "no": "failed"} {
		r, now := follow(starts("a", "x: y"), in("a", agent.TurnStart{}), agent.ToolEnd{ID: "a", Result: tools.Result{IsError: true, Text: text}})
		if got := r.Find("a").Says(now); got != want {
			t.Errorf("%q is told as %q", text, got)
		}
	}
	r, now = follow(starts("a", "x: y"), in("a", agent.TurnStart{}), in("a", starts("b", "z: w")), agent.RunEnd{})
	if got := r.Find("a", "b"); r.Find("a").Says(now) != "cancelled" || got.Says(now) != "cancelled" {
		t.Error("an agent outlived its run")
	}
}

// TestFloors: an agent of an agent is found by both calls, which may have the same ID;
// what it uses is part of what the one above uses, its calls are its own.
func TestFloors(t *testing.T) {
	spent := agent.TurnEnd{Usage: provider.Usage{Input: 10, Output: 1, Reported: true}, Cost: 0.5, CostKnown: true}
	r, now := follow(starts("1", "explore: above"), agent.Delegated{ID: "1", Agent: "explore", Session: "s1"}, in("1", agent.TurnStart{}), in("1", spent),
		in("1", starts("1", "general: below")), in("1", agent.Delegated{ID: "1", Agent: "general", Session: "s2"}),
		in("1", in("1", agent.TurnStart{})), in("1", in("1", spent)), in("1", in("1", agent.ToolStart{ID: "1", Name: "grep", Effect: tools.Effect{Title: "grep x"}})),
		in("1", in("1", agent.ToolEnd{ID: "1", Name: "grep"})))
	above, below := r.Find("1"), r.Find("1", "1")
	if below == nil || below == above || strings.Join(below.Path(), " ") != "1 1" || strings.Join(below.Sessions(), " ") != "s1 s2" {
		t.Fatalf("%+v", below)
	}
	if above.Tokens() != 22 || above.Cost != 1 || below.Tokens() != 11 || above.Turns != 1 || above.Calls != 0 || below.Calls != 1 {
		t.Errorf("above %+v, below %+v", above, below)
	}
	if all := r.All(); len(all) != 2 || all[1] != below || len(r.Running()) != 2 {
		t.Errorf("all: %v", all)
	}
	steps, _ := above.Steps()
	if len(steps) != 2 || steps[0].State != Ready || steps[1].Text != "grep x" || steps[1].State != Done {
		t.Errorf("steps %+v", steps)
	}
	if got := strings.Join(below.Facts(now), ", "); got != "waiting for the model 3 s, 1 call, 11 tokens, $0.50, 4 s" {
		t.Errorf("facts %q", got)
	}
	r.Take(in("1", in("1", agent.TextDelta{Text: "from below"})), now)
	r.Take(in("1", agent.TextDelta{Text: "from "}), now)
	r.Take(in("1", agent.TextDelta{Text: "above"}), now)
	if steps, _ = above.Steps(); steps[2].Text != "from below" || steps[3].Text != "from above" {
		t.Errorf("the words of both floors: %+v", steps[2:])
	}
	if r.Find("1", "2") != nil || r.Find() != nil || (*Roster)(nil).Find("1") != nil {
		t.Error("found what is not there")
	}
}

// TestStepsAreBounded: however much an agent does and says.
func TestStepsAreBounded(t *testing.T) {
	r, now := follow(starts("a", "x: y"))
	for i := range 3000 {
		r.Take(in("a", agent.ToolEnd{ID: string(rune('a' + i)), Name: "grep"}), now)
	}
	for range 3000 {
		r.Take(in("a", agent.TextDelta{Text: "字字字字字字字字"}), now)
	}
	a := r.Find("a")
	steps, gone := a.Steps()
	if len(steps) > mostSteps || len(steps)+gone != 3001 {
		t.Errorf("%d steps, %d before them", len(steps), gone)
	}
	if last := steps[len(steps)-1].Text; len(last) > 2*mostWords || !strings.HasSuffix(last, "字") || strings.ContainsRune(last, '\uFFFD') {
		t.Errorf("the last words are %d bytes", len(last))
	}
}

// TestReplayedAgents have what their record says, and no clock.
func TestReplayedAgents(t *testing.T) {
	r := &Roster{}
	for _, e := range []agent.Event{starts("a", "explore: it"),
		agent.Delegated{ID: "a", Agent: "explore", Session: "s", Turns: 3, Usage: provider.Usage{Input: 70, Output: 7}, Cost: 1, CostKnown: true},
		agent.ToolEnd{ID: "a", Took: 90 * time.Second}} {
		r.Take(e, time.Time{})
	}
	if got := strings.Join(r.Find("a").Facts(time.Time{}), ", "); got != "done, 77 tokens, $1.00, 1 m 30 s" {
		t.Errorf("facts %q", got)
	}
}
