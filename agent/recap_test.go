package agent

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/provider"
)

// A recap and a name are asked with the conversation before them, and are no part of it;
// where nothing was said, nothing is asked.
func TestRecapAndName(t *testing.T) {
	m := &model{replies: []reply{says("done"), says("<think>hm</think>\nThe laps are measured.\n"), says("Laps"), says("<think>only this</think>"), fails(provider.KindAuth, 401, "no key")}}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m"}})
	if _, err := a.Recap(t.Context()); !errors.Is(err, ErrNothingAsked) || len(m.requests) != 0 {
		t.Fatalf("%v after %d requests", err, len(m.requests))
	}
	if err := a.Run(t.Context(), Prompt{Text: "measure the laps"}, func(Event) {}); err != nil {
		t.Fatal(err)
	}
	before := len(a.History())
	if text, err := a.Recap(t.Context()); err != nil || text != "The laps are measured." {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := a.MakeName(t.Context()); err != nil || text != "Laps" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := a.MakeName(t.Context()); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	var pe *provider.Error
	if _, err := a.Recap(t.Context()); !errors.As(err, &pe) {
		t.Error(err)
	}
	if len(a.History()) != before {
		t.Errorf("%d messages, %d before", len(a.History()), before)
	}
	for i, question := range []string{recapQuestion, nameQuestion} {
		ms := m.requests[1+i].Messages
		if len(ms) != before+1 || ms[0].PlainText() != "measure the laps" || !strings.HasSuffix(ms[before].PlainText(), question) {
			t.Errorf("asked %d: %d messages", i, len(ms))
		}
	}
}

// switched opens another conversation while it is asked.
type switched struct {
	provider.Provider
	open func()
}

func (o switched) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	if o.open != nil && len(r.Messages) > 1 {
		o.open()
	}
	return o.Provider.Stream(ctx, r)
}

// What is said of a conversation that is closed by then is given to no other.
func TestRecapOfAnother(t *testing.T) {
	var all [2]*session.Session
	for i := range all {
		s, err := session.Create(t.TempDir(), "/w", "")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all[i] = s
	}
	o := &switched{Provider: &model{replies: []reply{says("done"), says("Laps")}}}
	a := New(Options{Provider: o, Model: provider.Model{ID: "m"}, Session: all[0]})
	if err := a.Run(t.Context(), Prompt{Text: "measure the laps"}, func(Event) {}); err != nil {
		t.Fatal(err)
	}
	o.open = func() { a.Resume(all[1], nil) }
	if name, err := a.MakeName(t.Context()); !errors.Is(err, ErrAnotherNow) {
		t.Errorf("%q, %v", name, err)
	}
}
