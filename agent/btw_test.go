package agent

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/provider"
	"forge/tools"
)

// A question beside the work is answered while a call is running, from the same
// prefix as the run's own request, and leaves the conversation as it is.
func TestAskBesideTheWork(t *testing.T) {
	w := &world{}
	m := &model{replies: []reply{asks("wait {}"), says("because of this"), says("done")}}
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	priced := provider.Model{Provider: "test", ID: "m", Price: provider.Price{Known: true, Input: 1, Output: 1}}
	b := budget.New(budget.Options{})
	a := New(Options{Provider: m, Model: priced, System: "be brief", Exec: w.executor(t), Session: s, Budget: b})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	running, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- a.Run(ctx, Prompt{Text: "wait for it"}, func(e Event) {
			if _, ok := e.(ToolOutput); ok {
				close(running)
			}
		})
	}()
	<-running
	before := len(a.History())
	var said strings.Builder
	if err := a.Ask(t.Context(), "why?", func(s string) { said.WriteString(s) }); err != nil || said.String() != "because of this" {
		t.Fatalf("%q, %v", said.String(), err)
	}
	if len(a.History()) != before {
		t.Errorf("%d messages, %d before the question", len(a.History()), before)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, msg := range a.History() {
		if strings.Contains(msg.PlainText(), "why?") || strings.Contains(msg.PlainText(), "because of this") {
			t.Errorf("the conversation has it: %q", msg.PlainText())
		}
	}
	valid(t, a, m)
	first, beside := m.requests[0], m.requests[1]
	if beside.System != first.System || !reflect.DeepEqual(beside.Tools, first.Tools) || !reflect.DeepEqual(beside.Messages[:1], first.Messages) {
		t.Error("the request does not begin as the run's own")
	}
	if last := beside.Messages[len(beside.Messages)-1].PlainText(); !strings.HasPrefix(last, btwMark) || !strings.HasSuffix(last, "why?") {
		t.Errorf("asked %q", last)
	}
	// It is counted, in the session and in the budget, now and after a restart.
	got := a.Totals()
	if got.Usage.Input != 2*usage.Input || got.Turns != 1 || !got.CostKnown {
		t.Errorf("totals %+v", got)
	}
	if spent, _ := b.Spent(); spent.Turns != 1 || spent.Tokens != 2*(usage.Input+usage.Output) {
		t.Errorf("spent %+v", spent)
	}
	again, rs := reopened(t, s)
	r := New(Options{})
	r.Resume(again, rs)
	if got, was := r.Totals(), got; got.Usage != was.Usage || got.Turns != was.Turns {
		t.Errorf("after a restart %+v, before %+v", got, was)
	}
}

func TestAskSaysWhyNot(t *testing.T) {
	m := &model{replies: []reply{asks("read {}"), says(""), fails(provider.KindAuth, 401, "no key")}}
	w := &world{}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m"}, Exec: w.executor(t)})
	var pe *provider.Error
	if err := a.Ask(t.Context(), " ", nil); !errors.Is(err, ErrNoQuestion) {
		t.Error(err)
	}
	if err := a.Ask(t.Context(), "look it up", nil); !errors.Is(err, ErrWantsTools) {
		t.Error(err)
	}
	if err := a.Ask(t.Context(), "say nothing", nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
	if err := a.Ask(t.Context(), "fail", nil); !errors.As(err, &pe) || pe.Kind != provider.KindAuth {
		t.Error(err)
	}
	if len(w.order) != 0 || len(a.History()) != 0 {
		t.Error("something was done")
	}
	if err := New(Options{}).Ask(t.Context(), "who?", nil); !errors.Is(err, ErrNoModel) {
		t.Error(err)
	}
	// A budget is asked as well; nobody is asked to raise it.
	b := budget.New(budget.Options{Session: budget.Amount{Tokens: 10}})
	var crossed *budget.Exceeded
	a = New(Options{Provider: m, Model: provider.Model{ID: "m"}, Budget: b, Exec: &tools.Executor{Tools: w.executor(t).Tools}})
	if err := a.Ask(t.Context(), "who?", nil); !errors.As(err, &crossed) {
		t.Error(err)
	}
	if len(m.requests) != 3 {
		t.Errorf("%d requests", len(m.requests))
	}
}
