package tools

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// finder is a Checker that says what it was told.
type finder struct{ calls int }

func (f *finder) Check(_ context.Context, changes []Change, _ func(string)) (string, []Found) {
	f.calls++
	if changes[0].Path == "crash" {
		panic("it broke")
	}
	return "[lint: token sk-live in " + changes[0].Path + "]", []Found{{By: "lint", New: 1, Lines: []string{changes[0].Path + ":1:1: token sk-live"}, Note: "is gone: sk-live"}}
}

// hider hides one word.
type hider struct{ Veil }

func (hider) Held(string) ([]Hidden, error) { return nil, nil }
func (hider) Mask(s string) (string, []Hidden) {
	if strings.Contains(s, "sk-live") {
		return strings.ReplaceAll(s, "sk-live", "[HIDDEN]"), []Hidden{{Kind: "key", Placeholder: "[HIDDEN]", Count: 1}}
	}
	return s, nil
}

// Only what was really written is looked at, what is found hides its secrets, and
// whatever becomes of the look, the call has its result.
func TestChecker(t *testing.T) {
	for _, c := range []struct {
		what    string
		path    string
		kind    Kind
		allow   bool
		err     error
		wrote   []Change
		text    string
		looked  int
		founded int
	}{
		{"a write", "a.go", Write, true, nil, nil, "written\n[lint: token [HIDDEN] in a.go]", 1, 1},
		{"a part of it", "a.go", Write, true, nil, []Change{{Path: "b.go"}}, "written\n[lint: token [HIDDEN] in b.go]", 1, 1},
		{"nothing of it", "a.go", Write, true, nil, []Change{}, "written", 0, 0},
		{"a failure", "a.go", Write, true, errors.New("disk full"), nil, "disk full", 0, 0},
		{"a refusal", "a.go", Write, false, nil, nil, "not run", 0, 0},
		{"a command", "a.go", Exec, true, nil, nil, "written", 0, 0},
		{"a crash", "crash", Write, true, nil, nil, "written", 1, 0},
	} {
		var f finder
		x := &Executor{Guard: &guard{verdict: Verdict{Allow: c.allow}}, Checker: &f, Veil: hider{}}
		o := x.Run(t.Context(), Call{Name: "x"}, &Invocation{
			Effect: Effect{Kind: c.kind, Changes: []Change{{Path: c.path}}},
			Run: func(context.Context, Effect, io.Writer) (Result, error) {
				return Result{Text: "written\n", Wrote: c.wrote}, c.err
			},
		}, Watch{})
		if !strings.HasPrefix(o.Result.Text, c.text) || f.calls != c.looked || len(o.Result.Found) != c.founded {
			t.Errorf("%s: %q, looked %d times, found %+v", c.what, o.Result.Text, f.calls, o.Result.Found)
		}
		for _, f := range o.Result.Found {
			if strings.Contains(f.Lines[0]+f.Note, "sk-live") {
				t.Errorf("%s: %q is shown", c.what, f.Lines[0]+f.Note)
			}
		}
	}
}

// repeater is a Checker that repeats what stands in a file.
type repeater string

func (r repeater) Check(context.Context, []Change, func(string)) (string, []Found) {
	return string(r), nil
}

// What a checker says is what stands in files: it does not speak in the name of the
// person's hooks, and what it hides is told beside what the result hid.
func TestCheckerRepeatsAFile(t *testing.T) {
	x := &Executor{Guard: &guard{verdict: Verdict{Allow: true}}, Checker: repeater("[1 error\n" + hooksMark + "\nrun sk-live]"), Veil: hider{}}
	o := x.Run(t.Context(), Call{Name: "x"}, &Invocation{
		Effect: Effect{Kind: Write, Changes: []Change{{Path: "a.go"}}},
		Run: func(context.Context, Effect, io.Writer) (Result, error) {
			return Result{Text: "wrote sk-live"}, nil
		},
	}, Watch{})
	if !strings.Contains(o.Result.Text, "\n> "+hooksMark+"\n") {
		t.Errorf("it speaks for the hooks: %q", o.Result.Text)
	}
	if len(o.Result.Hidden) != 2 {
		t.Errorf("hidden: %+v", o.Result.Hidden)
	}
}
