package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"
)

// Executor is the one door to the world: every call of every model, built in or
// remote, is prepared, authorized, run and bounded here.
type Executor struct {
	Tools *Registry
	Guard Guard
	Bound Bound
	Veil  Veil // hides secrets from models; nil: nothing does
	// Recorder looks at the files before and after a call; nil: nothing is remembered.
	Recorder Recorder
	// Hooks are told of calls before they are authorized and after they ran; nil: there
	// are none.
	Hooks Hooks
	// Checker says what is wrong with files that a call has changed; nil: nobody looks.
	Checker Checker
}

// Watch is how a face follows a call. All fields may be nil. Waits names hooks the call
// waits for before anybody is asked about it, and then nothing; Looks names who looks at
// the files it has written, where that takes a while; Changed is called where a
// hook gave it other arguments, before it is authorized; Started once it was allowed; Out
// takes its live output.
type Watch struct {
	Waits   func(hooks string)
	Looks   func(who string)
	Changed func(call Call, e Effect)
	Started func()
	Out     io.Writer
}

// Outcome is how a call ended. Changes are those that were really written. Call and
// Effect are what it became where a hook changed it; nil: it stayed what it was. Halt,
// where not empty, is why a hook ends the run, and Notes is what hooks have to say to
// the person.
type Outcome struct {
	Result  Result
	Changes []Change
	Call    *Call
	Effect  *Effect
	Halt    string
	Notes   []string

	context string // what hooks say to the model
	said    Said   // and to the guard
}

// Resolve gives the call that is meant: what a Proxy stands for, else call itself.
// One that a Proxy cannot make out stays what it is; preparing it tells why.
func (x *Executor) Resolve(call Call) Call {
	if x.Tools == nil {
		return call
	}
	t, ok := x.Tools.Get(call.Name)
	if !ok {
		return call
	}
	p, ok := t.(Proxy)
	if !ok {
		return call
	}
	if meant, err := p.Unwrap(call); err == nil {
		return meant
	}
	return call
}

// Prepare finds the tool and lets it work out the call's effect. Its error is
// text for the model and repeats the arguments.
func (x *Executor) Prepare(ctx context.Context, call Call) (*Invocation, error) {
	call = x.Resolve(call)
	inv, err := x.prepare(ctx, call)
	if x.Veil == nil {
		return inv, err
	}
	if inv, err = x.unveil(ctx, call, inv, err); err != nil {
		text, _ := x.Veil.Mask(err.Error())
		return nil, masked{text, err}
	}
	return inv, nil
}

func (x *Executor) prepare(ctx context.Context, call Call) (inv *Invocation, err error) {
	defer func() {
		if p := recover(); p != nil {
			inv, err = nil, crashed(call, p)
		}
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w%s", err, Arrived(call.Input))
		}
	}()
	t, ok := x.Tools.Get(call.Name)
	if !ok {
		return nil, x.unknown(call.Name)
	}
	inv, err = t.Prepare(ctx, call)
	if err == nil && (inv == nil || inv.Run == nil) {
		err = fmt.Errorf("tool %s prepared nothing to run; try another way", call.Name)
	}
	if err != nil {
		return nil, err
	}
	return inv, nil
}

func (x *Executor) unknown(name string) error {
	if x.Tools.deferred(name) {
		return fmt.Errorf("tool %s is there, but not loaded; find it with find_tools first", name)
	}
	return fmt.Errorf("no tool is named %q%s", Clip(name, 80), suggest(name, x.Tools.Names()))
}

// Run authorizes a prepared call and runs it. Whatever fails becomes a Result
// for the model; only the end of ctx ends more than this call, and that is for
// the caller to look at.
func (x *Executor) Run(ctx context.Context, call Call, inv *Invocation, w Watch) Outcome {
	call = x.Resolve(call) // rules are about the tool that runs
	began := time.Now()
	o, call, e := x.run(ctx, call, inv, w)
	x.hide(&o.Result)
	o.Result.Text = x.Bound.Apply(call.ID, o.Result.Text)
	if !o.Result.Refused { // what is refused has the hooks' own words
		o.Result.Text = quoteMark(o.Result.Text)
	}
	x.after(ctx, call, e, &o, time.Since(began))
	x.check(ctx, call, &o, w) // a hook may have changed the files once more
	x.told(&o)
	o.Result.explain()
	return o
}

// run gives the outcome, and the call and the effect it is of.
func (x *Executor) run(ctx context.Context, was Call, inv *Invocation, w Watch) (o Outcome, call Call, e Effect) {
	call, e = was, inv.Effect
	defer func() {
		if p := recover(); p != nil {
			o.Result = failed(ctx, call, crashed(call, p))
		}
	}()
	if x.Guard == nil { // nobody to say yes is a no
		o.Result = Result{Text: "not run: nothing may run here", IsError: true, Refused: true}
		return o, call, e
	}
	call, inv, over := x.before(ctx, call, inv, w, &o)
	if e = inv.Effect; over {
		return o, call, e
	}
	v, err := x.authorize(ctx, call, inv.Effect, w)
	switch {
	case ctx.Err() != nil && (err != nil || !v.Allow): // ended while it waited for an answer: nobody refused it
		o.Result = failed(ctx, call, ctx.Err())
		return o, call, e
	case err != nil:
		o.Result = Result{Text: "not run: " + err.Error(), IsError: true, Refused: true}
		return o, call, e
	case !v.Allow:
		o.Result = Result{Text: "not run: " + v.Reason, IsError: true, Refused: true}
		return o, call, e
	}
	out, shown := x.watched(w.Out)
	defer shown()
	res := x.cause(ctx, &o, call, inv, v, out)
	for range maxAgain {
		if res.Again == nil {
			break
		}
		res = x.again(ctx, call, res, &o, out)
	}
	res.Again, res.Wrote = nil, nil
	o.Result = res
	return o, call, e
}

// cause runs an invocation that was allowed, in the reviewer's version, and notes
// what it wrote.
func (x *Executor) cause(ctx context.Context, o *Outcome, call Call, inv *Invocation, v Verdict, out io.Writer) Result {
	effect, title := inv.Effect, inv.Effect.Title
	if v.Changes != nil {
		effect.Changes = v.Changes
	}
	effect.Env = v.Env
	inv, err := x.reveal(ctx, call, inv, &effect, v.Asked)
	if err != nil {
		return failed(ctx, call, err)
	}
	done := x.watch(ctx, title, effect)
	res, err := func() (Result, error) {
		defer done() // also after a panic
		return inv.Run(ctx, effect, out)
	}()
	if err != nil {
		res = failed(ctx, call, err)
	}
	switch {
	case res.Wrote != nil:
		o.Changes = append(o.Changes, res.Wrote...)
	case !res.IsError && effect.Kind == Write:
		o.Changes = append(o.Changes, effect.Changes...)
	}
	if v.Reason != "" {
		res.Text = v.Reason + "\n" + res.Text
	}
	return res
}

// maxVoid is how often an answer may be void at the start before the call is
// refused: something keeps changing what it rests on.
const maxVoid = 3

// authorize asks the guard, and looks at the very start whether what it answered
// still holds; if not, it is asked again. Started is told before that look, since a
// face may take its time.
func (x *Executor) authorize(ctx context.Context, call Call, e Effect, w Watch) (Verdict, error) {
	started := w.Started
	for range maxVoid {
		v, err := x.Guard.Authorize(ctx, call, e)
		if ctx.Err() != nil {
			return Verdict{}, ctx.Err()
		}
		if err != nil || !v.Allow {
			return v, err
		}
		if started != nil {
			started()
			started = nil
		}
		if v.Still == nil {
			return v, nil
		}
		if e.Changed = v.Still(); e.Changed == "" {
			return v, nil
		}
	}
	return Verdict{Reason: "what it rests on changed each time it was allowed: " + e.Changed}, nil
}

// maxAgain is how often a call may be tried in another way: with the network
// open, then outside the sandbox; or on a file that was changed, and changed again.
const maxAgain = 2

// again runs a call in the other way its result offers, if the guard allows that;
// else the result stays, with the reason.
func (x *Executor) again(ctx context.Context, call Call, res Result, o *Outcome, out io.Writer) Result {
	inv := res.Again
	res.Again = nil
	inv.Effect.Said = Said{Ask: o.said.Ask, By: o.said.By, Reason: o.said.Reason} // what a hook vouched for was the first try
	ctx = WithAhead(ctx, nil)                                                     // it is asked about by itself
	var v Verdict
	err := x.carry(&inv.Effect)
	if err == nil {
		v, err = x.authorize(ctx, call, inv.Effect, Watch{})
	}
	if err != nil {
		v.Reason = err.Error()
	}
	escape := inv.Effect.Escape != Confined
	switch {
	case ctx.Err() != nil:
		return failed(ctx, call, ctx.Err())
	case (err != nil || !v.Allow) && escape:
		res.Text += fmt.Sprintf("[not run again %s: %s]\n", inv.Effect.Escape, v.Reason)
		return res
	case err != nil || !v.Allow:
		res.Text = strings.TrimSuffix(res.Text, "\n") + "\nnot written: " + v.Reason
		res.IsError, res.Refused = true, len(o.Changes) == 0
		return res
	}
	before := res.Text
	res = x.cause(ctx, o, call, inv, v, out)
	if !escape {
		res.Review = strings.TrimSuffix(before, "\n") + "\n" + res.Review
	} else {
		before = fmt.Sprintf("[the sandbox stopped the first run; this one was allowed %s]", inv.Effect.Escape)
	}
	res.Text = strings.TrimSuffix(before, "\n") + "\n" + res.Text
	return res
}

// failed is the result of an error. Only the end of ctx is the user's doing: a
// tool may cancel things of its own.
func failed(ctx context.Context, call Call, err error) Result {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return Result{Text: "cancelled by the user", IsError: true}
	}
	return Result{Text: err.Error() + Arrived(call.Input), IsError: true}
}

// Arrived repeats the arguments of a call that failed, as the last line of what
// the model is told: one that lost track sees what it sent.
func Arrived(input string) string { return "\narguments received: " + Clip(input, 1000) }

// Unrepeated is a result's text without the arguments that Arrived repeats: they tell a
// person nothing. What a command wrote stays as it is.
func Unrepeated(r Result) string {
	if r.IsError && r.Display == "" {
		if i := strings.LastIndex(r.Text, Arrived("")); i >= 0 {
			return r.Text[:i]
		}
	}
	return r.Text
}

// crashed turns a panic of one tool into that tool's error: it never sinks the
// turn. The stack goes to the log, not to the model.
func crashed(call Call, p any) error {
	slog.Error("tool crashed", "tool", call.Name, "panic", p, "stack", string(debug.Stack()))
	return fmt.Errorf("tool %s crashed: %v; try another way", call.Name, p)
}
