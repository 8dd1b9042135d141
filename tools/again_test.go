package tools

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// asked answers each question in turn.
type answers struct {
	verdicts []Verdict
	asked    []Effect
}

func (a *answers) Authorize(_ context.Context, _ Call, e Effect) (Verdict, error) {
	a.asked = append(a.asked, e)
	if len(a.asked) > len(a.verdicts) {
		return Verdict{}, errors.New("asked once too often")
	}
	return a.verdicts[len(a.asked)-1], nil
}

// What the sandbox stopped is done in another way only if the guard allows it,
// each time anew.
func TestAgain(t *testing.T) {
	yes, no := Verdict{Allow: true, Env: []string{"A=1"}}, Verdict{Reason: "better not"}
	for _, c := range []struct {
		name     string
		verdicts []Verdict
		ran      []Escape
		has      []string
		isError  bool
	}{
		{"refused", []Verdict{yes, no}, []Escape{Confined}, []string{"stopped ", "not run again with the network open: better not"}, true},
		{"once", []Verdict{yes, yes, no}, []Escape{Confined, NetworkOpen}, []string{"this one was allowed with the network open", "stopped with the network open", "outside the sandbox: better not"}, true},
		{"twice", []Verdict{yes, yes, yes}, []Escape{Confined, NetworkOpen, Outside}, []string{"this one was allowed outside the sandbox", "done"}, false},
		{"nobody answers", []Verdict{yes}, []Escape{Confined}, []string{"asked once too often"}, true},
	} {
		var ran []Escape
		var run func(Escape) func(context.Context, Effect, io.Writer) (Result, error)
		next := map[Escape]Escape{Confined: NetworkOpen, NetworkOpen: Outside}
		run = func(e Escape) func(context.Context, Effect, io.Writer) (Result, error) {
			return func(_ context.Context, now Effect, _ io.Writer) (Result, error) {
				ran = append(ran, now.Escape)
				if now.Escape != e || len(now.Env) != 1 {
					t.Errorf("%s: run %q with %+v", c.name, e, now)
				}
				if e == Outside {
					return Result{Text: "done\n"}, nil
				}
				to := next[e]
				return Result{Text: "stopped " + string(e) + "\n", IsError: true, Again: &Invocation{Effect: Effect{Kind: Exec, Escape: to}, Run: run(to)}}, nil
			}
		}
		g := &answers{verdicts: c.verdicts}
		x := &Executor{Guard: g}
		o := x.Run(t.Context(), Call{ID: "1", Name: "sh"}, &Invocation{Effect: Effect{Kind: Exec}, Run: run(Confined)}, Watch{})
		if len(ran) != len(c.ran) || o.Result.IsError != c.isError || o.Result.Again != nil {
			t.Errorf("%s: ran %q, %+v", c.name, ran, o.Result)
		}
		for _, want := range c.has {
			if !strings.Contains(o.Result.Text, want) {
				t.Errorf("%s: no %q in %q", c.name, want, o.Result.Text)
			}
		}
	}
}
