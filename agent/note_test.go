package agent

import (
	"slices"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/provider"
)

// A note asks the model nothing, is there at its next call, is no prompt to go back
// to, and is a line on the screen when the conversation is told again.
func TestNote(t *testing.T) {
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	m := &model{}
	w := &world{}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m"}, Exec: w.executor(t), Session: s})
	var live tape
	if err := a.Run(t.Context(), Prompt{Text: "do it"}, live.sink); err != nil {
		t.Fatal(err)
	}
	a.Note("the user took a.go back", "took back a.go")
	if len(m.requests) != 1 {
		t.Fatalf("the model was asked %d times", len(m.requests))
	}
	if err := a.Run(t.Context(), Prompt{Text: "and now?"}, live.sink); err != nil {
		t.Fatal(err)
	}
	ms := m.requests[1].Messages
	if n := len(ms); n < 2 || !strings.Contains(ms[n-2].PlainText(), "no request: the user took a.go back") || len(m.invalid) > 0 {
		t.Errorf("the model read %+v %v", ms, m.invalid)
	}
	if asked := a.Asked(); len(asked) != 2 || asked[0].Text != "and now?" || asked[1].Text != "do it" {
		t.Errorf("prompts %+v", asked)
	}
	_, rs := reopened(t, s)
	var again tape
	Retell(rs, 0, again.sink)
	if !slices.Contains(again.events, Event(Notice{"took back a.go"})) {
		t.Errorf("told again: %v", again.events)
	}
	if session.Unfinished(rs).Run {
		t.Error("a note is taken for a run that was cut off")
	}
}
