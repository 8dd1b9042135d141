package tools

import (
	"context"
	"io"
	"strings"
	"testing"
)

// A write that is offered again is asked about anew, in the reviewer's version, and
// what both runs really wrote is told.
func TestWriteAgain(t *testing.T) {
	yes, no := Verdict{Allow: true}, Verdict{Reason: "better not"}
	half := Verdict{Allow: true, Reason: "the user says: fine", Changes: []Change{{Path: "b", After: []byte("cut")}}}
	for _, c := range []struct {
		name    string
		first   []Change // written by the first run
		answer  Verdict
		wrote   string
		text    string
		isError bool
		refused bool
	}{
		{"allowed", []Change{}, yes, "b=joined ", "b was changed\ndone b", false, false},
		{"half of it", []Change{}, half, "b=cut ", "b was changed\nthe user says: fine\ndone b", false, false},
		{"refused", []Change{}, no, "", "b was changed\nnot written: better not", true, true},
		{"after another file", []Change{{Path: "a", After: []byte("x")}}, yes, "a=x b=joined ", "b was changed\ndone b", false, false},
		{"refused after another file", []Change{{Path: "a", After: []byte("x")}}, no, "a=x ", "b was changed\nnot written: better not", true, false},
	} {
		again := &Invocation{Effect: Effect{Kind: Write, Changes: []Change{{Path: "b", After: []byte("joined")}}},
			Run: func(_ context.Context, e Effect, _ io.Writer) (Result, error) {
				return Result{Text: "done " + e.Changes[0].Path}, nil
			}}
		g := &answers{verdicts: []Verdict{yes, c.answer}}
		x := &Executor{Guard: g}
		o := x.Run(t.Context(), Call{ID: "1"}, &Invocation{Effect: Effect{Kind: Write, Changes: []Change{{Path: "a"}, {Path: "b"}}},
			Run: func(context.Context, Effect, io.Writer) (Result, error) {
				return Result{Text: "b was changed\n", IsError: true, Wrote: c.first, Again: again}, nil
			}}, Watch{})
		var wrote strings.Builder
		for _, ch := range o.Changes {
			wrote.WriteString(ch.Path + "=" + string(ch.After) + " ")
		}
		if wrote.String() != c.wrote || o.Result.Text != c.text || o.Result.IsError != c.isError || o.Result.Refused != c.refused || o.Result.Again != nil || len(g.asked) != 2 {
			t.Errorf("%s: wrote %q, %+v", c.name, wrote.String(), o.Result)
		}
	}
}
