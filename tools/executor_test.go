package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// guard answers every call alike.
type guard struct {
	verdict Verdict
	err     error
	before  func()
	asked   []Effect
}

func (g *guard) Authorize(_ context.Context, _ Call, e Effect) (Verdict, error) {
	g.asked = append(g.asked, e)
	if g.before != nil {
		g.before()
	}
	return g.verdict, g.err
}

type in struct {
	Do string `json:"do"`
}

// doer is a tool that fails in every way a tool can.
func doer(runs *[]Effect) Tool {
	return Func("do", "", func(_ context.Context, _ Call, in in) (*Invocation, error) {
		switch in.Do {
		case "fail early":
			return nil, errors.New("cannot be done")
		case "panic early":
			panic("early")
		case "nothing":
			return nil, nil
		case "no run":
			return &Invocation{}, nil
		}
		return &Invocation{
			Effect: Effect{Kind: Write, Title: in.Do, Changes: []Change{{Path: "a", After: []byte("one")}}},
			Run: func(ctx context.Context, e Effect, out io.Writer) (Result, error) {
				*runs = append(*runs, e)
				fmt.Fprint(out, "live")
				switch in.Do {
				case "fail":
					return Result{}, errors.New("it broke")
				case "panic":
					panic("late")
				case "own cancel":
					return Result{}, fmt.Errorf("inner: %w", context.Canceled)
				case "wait":
					<-ctx.Done()
					return Result{}, ctx.Err()
				case "error result":
					return Result{Text: "exit 1", IsError: true}, nil
				case "long":
					return Result{Text: strings.Repeat("line\n", 100_000)}, nil
				}
				return Result{Text: "done"}, nil
			},
		}, nil
	})
}

func door(t *testing.T, g Guard) (*Executor, *[]Effect) {
	t.Helper()
	var runs []Effect
	r, err := NewRegistry(doer(&runs), tool("other"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Set("srv", []Tool{tool("hidden")}, true); err != nil {
		t.Fatal(err)
	}
	return &Executor{Tools: r, Guard: g}, &runs
}

func call(do string) Call { return Call{ID: "c1", Name: "do", Input: fmt.Sprintf(`{"do":%q}`, do)} }

func TestPrepareFails(t *testing.T) {
	x, _ := door(t, &guard{})
	for _, c := range []struct {
		call Call
		want string
	}{
		{call("fail early"), "cannot be done"},
		{call("panic early"), "tool do crashed: early"},
		{call("nothing"), "prepared nothing"},
		{call("no run"), "prepared nothing"},
		{Call{Name: "od"}, `no tool is named "od" (did you mean "do"?); there are: do, other`},
		{Call{Name: "zzz"}, `no tool is named "zzz"; there are: do, other`},
		{Call{Name: "hidden"}, "find it with find_tools first"},
	} {
		inv, err := x.Prepare(t.Context(), c.call)
		if err == nil || inv != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.call, err, c.want)
		}
	}
}

func TestFailuresRepeatTheArgumentsOnce(t *testing.T) {
	x, _ := door(t, &guard{verdict: Verdict{Allow: true}})
	for _, c := range []Call{
		call("fail early"), call("panic early"), {Name: "nope", Input: `{"a":1}`}, {Name: "do", Input: `{"od":"x"}`}, {Name: "do", Input: `{"do":"x`},
	} {
		if _, err := x.Prepare(t.Context(), c); err == nil || strings.Count(err.Error(), c.Input) != 1 || !strings.HasSuffix(err.Error(), "\narguments received: "+c.Input) {
			t.Errorf("%s: %v", c.Input, err)
		}
	}
	for _, do := range []string{"fail", "panic", "own cancel"} {
		if o := run(t, x, t.Context(), do, Watch{}); !strings.HasSuffix(o.Result.Text, "\narguments received: "+call(do).Input) {
			t.Errorf("%s: %q", do, o.Result.Text)
		}
	}
	// A command that ended badly says so itself.
	if o := run(t, x, t.Context(), "error result", Watch{}); o.Result.Text != "exit 1" {
		t.Errorf("%q", o.Result.Text)
	}
	long := Arrived(`{"path":"` + strings.Repeat("é", 5000) + `","x":1}`)
	if len(long) > 1100 || !strings.HasSuffix(long, `","x":1}`) || !strings.Contains(long, "bytes left out") {
		t.Errorf("%d bytes: %s", len(long), long)
	}
}

func run(t *testing.T, x *Executor, ctx context.Context, do string, w Watch) Outcome {
	t.Helper()
	inv, err := x.Prepare(ctx, call(do))
	if err != nil {
		t.Fatal(err)
	}
	return x.Run(ctx, call(do), inv, w)
}

func TestRunFollowsTheGuard(t *testing.T) {
	g := &guard{verdict: Verdict{Allow: true}}
	x, runs := door(t, g)
	var out bytes.Buffer
	started := 0
	o := run(t, x, t.Context(), "work", Watch{Started: func() { started++ }, Out: &out})
	if o.Result.Text != "done" || o.Result.IsError || started != 1 || out.String() != "live" || len(g.asked) != 1 || g.asked[0].Title != "work" {
		t.Errorf("%+v, started %d, out %q", o, started, out.String())
	}
	if len(o.Changes) != 1 || string(o.Changes[0].After) != "one" {
		t.Errorf("changes: %v", o.Changes)
	}

	// The reviewer's version is what runs and what is told.
	g.verdict = Verdict{Allow: true, Reason: "half of it", Changes: []Change{{Path: "a", After: []byte("two")}}}
	o = run(t, x, t.Context(), "work", Watch{})
	if string((*runs)[1].Changes[0].After) != "two" || string(o.Changes[0].After) != "two" || o.Result.Text != "half of it\ndone" {
		t.Errorf("%+v ran %v", o, (*runs)[1])
	}
	g.verdict.Changes = []Change{} // all of it dropped
	if o = run(t, x, t.Context(), "work", Watch{}); len((*runs)[2].Changes) != 0 || len(o.Changes) != 0 {
		t.Errorf("%+v ran %v", o, (*runs)[2])
	}

	*runs = nil
	for _, no := range []Guard{
		&guard{verdict: Verdict{Reason: "not today"}}, &guard{verdict: Verdict{Allow: true}, err: errors.New("not today")}, nil,
	} {
		x.Guard = no
		started = 0
		o = run(t, x, t.Context(), "work", Watch{Started: func() { started++ }})
		if !o.Result.IsError || !o.Result.Refused || !strings.HasPrefix(o.Result.Text, "not run: ") || started != 0 || len(*runs) != 0 || o.Changes != nil {
			t.Errorf("%+v, ran %v", o, *runs)
		}
	}
}

func TestRunTurnsFailuresIntoResults(t *testing.T) {
	x, _ := door(t, &guard{verdict: Verdict{Allow: true}})
	for do, want := range map[string]string{
		"fail": "it broke", "panic": "tool do crashed: late", "own cancel": "inner: context canceled", "error result": "exit 1",
	} {
		o := run(t, x, t.Context(), do, Watch{})
		if !o.Result.IsError || o.Result.Refused || !strings.Contains(o.Result.Text, want) || o.Changes != nil {
			t.Errorf("%s: %+v", do, o)
		}
	}
	x.Guard = panicky{}
	if o := run(t, x, t.Context(), "work", Watch{}); !o.Result.IsError || !strings.Contains(o.Result.Text, "crashed") {
		t.Errorf("a guard that panics: %+v", o)
	}
}

type panicky struct{}

func (panicky) Authorize(context.Context, Call, Effect) (Verdict, error) { panic("guard") }

func TestCancelledIsNotRefused(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x, runs := door(t, &guard{verdict: Verdict{Allow: true}})
	o := run(t, x, ctx, "wait", Watch{Started: cancel})
	if o.Result.Text != "cancelled by the user" || !o.Result.IsError || o.Result.Refused {
		t.Errorf("while running: %+v", o)
	}
	*runs = nil
	for _, g := range []*guard{{err: context.Canceled}, {verdict: Verdict{Allow: true}}} { // while it waits for an answer
		ctx, cancel = context.WithCancel(t.Context())
		g.before = cancel
		x.Guard = g
		o = run(t, x, ctx, "work", Watch{})
		if o.Result.Text != "cancelled by the user" || o.Result.Refused || len(*runs) != 0 {
			t.Errorf("while asking: %+v, ran %v", o, *runs)
		}
	}
}

func TestRunBoundsText(t *testing.T) {
	x, _ := door(t, &guard{verdict: Verdict{Allow: true}})
	x.Bound = Bound{Max: 1000, Dir: t.TempDir()}
	o := run(t, x, t.Context(), "long", Watch{})
	if len(o.Result.Text) > 1300 || !strings.Contains(o.Result.Text, "the whole is in") {
		t.Errorf("%d bytes: %.200s", len(o.Result.Text), o.Result.Text)
	}
}
