package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"forge/tools"
)

// The model is told at the second time; at the third nobody is there, and the run
// ends with the history in order.
func TestSameFailureEndsARunNobodyWatches(t *testing.T) {
	m := &model{replies: []reply{asks("fail"), asks("fail", `read {"n":1}`), asks("fail"), asks("fail")}}
	a := New(Options{Provider: m, Exec: (&world{}).executor(t)})
	err := a.Run(t.Context(), Prompt{Text: "go"}, nil)
	if !errors.Is(err, ErrStuck) || !Limited(err) || len(m.requests) != 3 {
		t.Fatalf("%v after %d", err, len(m.requests))
	}
	for back, want := range map[int]string{4: "", 2: "failed 2 times in the same way", 0: "failed 3 times in the same way"} {
		if got := results(a, back)[0]; strings.Contains(got, "note: ") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%d messages from the end: %q", back, got)
		}
	}
	valid(t, a, m)
}

func TestSameFailureAsks(t *testing.T) {
	var replies []reply
	for range 9 {
		replies = append(replies, asks("fail"))
	}
	m := &model{replies: replies}
	var asked []Stuck
	answers := []Unstick{{GoOn: true}, {GoOn: true, Tell: "try the other door"}, {}}
	a := New(Options{Provider: m, Exec: (&world{}).executor(t), Unstick: func(_ context.Context, s Stuck) (Unstick, error) {
		asked = append(asked, s)
		return answers[len(asked)-1], nil
	}})
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); !errors.Is(err, ErrStuck) {
		t.Fatal(err)
	}
	if len(asked) != 3 || asked[0].Times != 3 || asked[1].Times != 6 || asked[2].Times != 9 || !strings.Contains(asked[0].Result, "it failed") {
		t.Errorf("%+v", asked)
	}
	last := m.requests[6].Messages
	if got := last[len(last)-1].PlainText(); got != "try the other door" {
		t.Errorf("the model was told %q", got)
	}
	valid(t, a, m)
}

// Work that fails in its own way each time, changes something in between, or asks
// how far a job is, is left alone.
func TestHonestWorkIsNotHalted(t *testing.T) {
	n := 0
	other := tool{name: "other", kind: tools.Exec, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
		n++
		return tools.Result{}, fmt.Errorf("%d tests fail", n)
	}}
	timed := tool{name: "timed", kind: tools.Exec, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
		n++
		return tools.Result{}, fmt.Errorf("refused at 12:00:%02d after %d ms", n, n)
	}}
	job := tool{name: "job", kind: tools.Internal, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
		return tools.Result{Text: "still running"}, nil
	}}
	for name, c := range map[string]struct {
		calls []string
		stuck bool
	}{
		"another way each time": {[]string{"other", "other", "other", "other"}, false},
		"mended in between":     {[]string{"fail", `append {"s":"a"}`, "fail", `append {"s":"b"}`, "fail", `append {"s":"c"}`, "fail"}, false},
		"a job":                 {[]string{"job", "job", "job", "job", "job"}, false},
		"only looked at":        {[]string{"fail", `read {"n":1}`, "fail", `todo {"n":1}`, "fail"}, true},
		"two in turns":          {[]string{"fail", "crash", "fail", "crash", "fail"}, true},
		"times differ":          {[]string{"timed", "timed", "timed"}, true},
		"not even prepared":     {[]string{"nothing", "nothing", "nothing"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := &model{}
			for _, call := range c.calls {
				m.replies = append(m.replies, asks(call))
			}
			a := New(Options{Provider: m, Exec: (&world{}).executor(t, other, timed, job)})
			if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); errors.Is(err, ErrStuck) != c.stuck || err != nil && !c.stuck {
				t.Error(err)
			}
			valid(t, a, m)
		})
	}
}
