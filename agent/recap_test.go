package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/provider"
)

// A recap and a name are asked with the conversation before them, and are no part of it;
// where nothing was said, nothing is asked.
func TestRecapAndName(t *testing.T) {
	m := &model{replies: []reply{says("done"), says("<think>hm</think>\nThe laps are measured.\n"), says("Laps"), says("<think>only this</think>"), says("mend the lap counter"), says("well"), fails(provider.KindAuth, 401, "no key")}}
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	book := budget.OpenBook(t.TempDir())
	a := New(Options{Provider: m, Model: provider.Model{ID: "m"}, Session: s, Budget: budget.New(budget.Options{Book: book})})
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
	if text, err := a.Suggest(t.Context()); err != nil || text != "mend the lap counter" {
		t.Errorf("%q, %v", text, err)
	}
	if err := a.Ask(t.Context(), "why?", nil); err != nil {
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
	// Each has a word of its own in the book and in the conversation, also after a restart.
	calls, err := book.Calls(time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var booked []string
	for _, c := range calls {
		booked = append(booked, c.For)
	}
	if want := []string{"", "recap", "name", "name", "suggestion", "btw"}; !slices.Equal(booked, want) {
		t.Errorf("booked %q, want %q", booked, want)
	}
	besides := func(a *Agent) (out string) {
		for _, b := range a.Besides() {
			out += fmt.Sprint(b.Beside, " ", b.Calls, " ", b.Usage.Input, "\n")
		}
		return out
	}
	want := fmt.Sprintf("recap 1 %d\nname 2 %d\nsuggestion 1 %[1]d\nbtw 1 %[1]d\n", usage.Input, 2*usage.Input)
	if got := besides(a); got != want {
		t.Errorf("beside:\n%s", got)
	}
	again, rs := reopened(t, s)
	for i, r := range rs { // an older forge had no word for it
		if r.Aside != nil && r.Aside.For == budget.ForRecap {
			old := *r.Aside
			old.For = ""
			rs[i].Aside = &old
		}
	}
	r := New(Options{})
	r.Resume(again, rs)
	if got, want := besides(r), fmt.Sprintf("btw 2 %d\nname 2 %[1]d\nsuggestion 1 %[2]d\n", 2*usage.Input, usage.Input); got != want {
		t.Errorf("after a restart:\n%s", got)
	}
}

// An answer that goes on and on in a suggestion's place is not heard to its end.
func TestSuggestionWithoutEnd(t *testing.T) {
	m := &model{replies: []reply{says("done"), says(strings.Repeat("and then ", 200))}}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m"}})
	if err := a.Run(t.Context(), Prompt{Text: "measure the laps"}, func(Event) {}); err != nil {
		t.Fatal(err)
	}
	if text, err := a.Suggest(t.Context()); err == nil {
		t.Errorf("%d bytes", len(text))
	}
}

// A model that cannot see gets no picture with a question beside the work either.
func TestAskOfABlindModel(t *testing.T) {
	m := &model{replies: []reply{says("done"), says("a lap")}}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m", Blind: true}})
	a.history.begin(nil, nil, []provider.Message{{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "look"}, provider.Image{Data: "eA=="}}}})
	a.look(nil)
	if err := a.Ask(t.Context(), "what is it?", nil); err != nil {
		t.Fatal(err)
	}
	for _, msg := range m.requests[0].Messages {
		for _, b := range msg.Blocks {
			if _, ok := b.(provider.Image); ok {
				t.Error("a picture was sent")
			}
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

// A suggestion begins as the run's own requests do, and the next run's request goes on
// where the last one ended: the server's cache serves both.
func TestSuggestionKeepsTheCache(t *testing.T) {
	w := &world{}
	cached := func(text string, in, read int) reply {
		return reply{events: []provider.Event{provider.Start{Origin: "test/m"}, provider.TextDelta{Text: text},
			provider.Stop{Reason: provider.StopEnd, Usage: provider.Usage{Input: in, CacheRead: read, Output: 9, Reported: true}}}}
	}
	m := &model{replies: []reply{cached("done", 9000, 0), cached("mend it", 9100, 9000), cached("mended", 9200, 9000)}}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m"}, System: "be brief", Exec: w.executor(t), MaxTokens: 500, Effort: provider.EffortHigh})
	var missed []CacheMissed
	hear := func(e Event) {
		if e, ok := e.(CacheMissed); ok {
			missed = append(missed, e)
		}
	}
	if err := a.Run(t.Context(), Prompt{Text: "measure the laps"}, hear); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Suggest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Run(t.Context(), Prompt{Text: "mend it"}, hear); err != nil {
		t.Fatal(err)
	}
	first, beside, next := m.requests[0], m.requests[1], m.requests[2]
	for name, r := range map[string]provider.Request{"the suggestion": beside, "the next run": next} {
		n := len(first.Messages)
		if !reflect.DeepEqual(r.Messages[:n], first.Messages) || r.Messages[n].PlainText() != "done" || r.System != first.System || !reflect.DeepEqual(r.Tools, first.Tools) ||
			r.MaxTokens != first.MaxTokens || r.Effort != first.Effort || r.Model != first.Model {
			t.Errorf("%s does not begin as the request before", name)
		}
	}
	if len(missed) > 0 {
		t.Errorf("missed %+v", missed)
	}
}
