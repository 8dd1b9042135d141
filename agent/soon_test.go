package agent

import (
	"testing"

	"forge/provider"
)

// A model that is chosen amid a run answers from the next call on, and the history
// it gets is whole; what comes after the last call waits for the next run.
func TestSoon(t *testing.T) {
	a := New(Options{Exec: (&world{}).executor(t)})
	one, two := &model{}, &model{replies: []reply{asks("silent"), says("done")}}
	one.replies = []reply{asks("silent", "silent")}
	one.replies[0].before = func() { a.Soon(func() { a.SetModel(two, provider.Model{ID: "two"}, provider.EffortLow) }) }
	a.SetModel(one, provider.Model{ID: "one"}, "")
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
		t.Fatal(err)
	}
	if len(one.requests) != 1 || len(two.requests) != 2 || two.requests[0].Model != "two" || two.requests[0].Effort != provider.EffortLow {
		t.Errorf("%d requests to one, %d to two", len(one.requests), len(two.requests))
	}
	valid(t, a, one)
	valid(t, a, two)

	a.Soon(func() { a.SetModel(one, provider.Model{ID: "one"}, "") })
	if m, _ := a.Model(); m.ID != "two" {
		t.Errorf("%s answers before the next run", m.ID)
	}
	if err := a.Run(t.Context(), Prompt{Text: "again"}, nil); err != nil {
		t.Fatal(err)
	}
	if len(one.requests) != 2 {
		t.Errorf("%d requests to one", len(one.requests))
	}
}

// A server that paused gets its own message back: another model would not understand
// it.
func TestSoonWaitsForAPause(t *testing.T) {
	a := New(Options{})
	pause := ends(provider.StopPause, provider.OpaqueBlock{Block: provider.Opaque{Origin: "o", JSON: "{}"}})
	other := &model{}
	pause.before = func() { a.Soon(func() { a.SetModel(other, provider.Model{ID: "other"}, "") }) }
	m := &model{replies: []reply{pause, says("one")}}
	a.SetModel(m, provider.Model{}, "")
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
		t.Fatal(err)
	}
	if len(m.requests) != 2 || len(other.requests) != 0 {
		t.Errorf("%d requests to the one that paused, %d to the other", len(m.requests), len(other.requests))
	}
}
