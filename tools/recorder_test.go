package tools

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
)

// diary writes down what a Recorder is told.
type diary []string

func (d *diary) Watch(_ context.Context, title string, paths []string) func() {
	*d = append(*d, fmt.Sprintf("before %s %v", title, paths))
	return func() { *d = append(*d, "after "+title) }
}

func TestRecorder(t *testing.T) {
	for _, c := range []struct {
		kind    Kind
		allowed bool
		crash   bool
		want    []string
	}{
		{Exec, true, false, []string{"before do []", "run", "after do"}},
		{Write, true, false, []string{"before do [/w/a]", "run", "after do"}},
		{Unknown, true, false, []string{"before do []", "run", "after do"}},
		{Network, true, false, []string{"before do []", "run", "after do"}},
		{Exec, true, true, []string{"before do []", "run", "after do"}},
		{Read, true, false, []string{"run"}},
		{Internal, true, false, []string{"run"}},
		{Delegate, true, false, []string{"run"}},
		{Exec, false, false, nil},
	} {
		var d diary
		x := &Executor{Guard: &guard{verdict: Verdict{Allow: c.allowed}}, Recorder: &d}
		x.Run(t.Context(), Call{Name: "x"}, &Invocation{
			Effect: Effect{Kind: c.kind, Title: "do", Paths: []string{"/w/a"}},
			Run: func(context.Context, Effect, io.Writer) (Result, error) {
				d = append(d, "run")
				if c.crash {
					panic("it broke")
				}
				return Result{}, nil
			},
		}, Watch{})
		if !slices.Equal(d, c.want) {
			t.Errorf("%s, allowed %v, crash %v: %q, want %q", c.kind, c.allowed, c.crash, d, c.want)
		}
	}
}
