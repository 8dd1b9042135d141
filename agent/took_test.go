package agent

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"forge/agent/session"
	"forge/tools"
)

// slowly is a person who takes a minute to say yes.
type slowly struct{}

func (slowly) Authorize(context.Context, tools.Call, tools.Effect) (tools.Verdict, error) {
	time.Sleep(time.Minute)
	return tools.Verdict{Allow: true}, nil
}

// A call took as long as it ran: the time a person thought about it is no part of that,
// neither at once nor when the conversation is opened again.
func TestTookIsWithoutTheWaitForAnAnswer(t *testing.T) {
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		work := tool{name: "work", kind: tools.Exec, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
			time.Sleep(2 * time.Second)
			return tools.Result{Text: "done"}, nil
		}}
		x := (&world{}).executor(t, work)
		x.Guard = slowly{}
		a := New(Options{Provider: &model{replies: []reply{asks("work")}}, Exec: x, Session: s})
		took := func(events []Event) (out []time.Duration) {
			for _, e := range events {
				if e, ok := e.(ToolEnd); ok {
					out = append(out, e.Took)
				}
			}
			return out
		}
		var live, again tape
		if err := a.Run(t.Context(), Prompt{Text: "go"}, live.sink); err != nil {
			t.Fatal(err)
		}
		a.Replay(again.sink)
		for name, got := range map[string][]time.Duration{"live": took(live.events), "again": took(again.events)} {
			if len(got) != 1 || got[0] != 2*time.Second {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}
