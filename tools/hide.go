package tools

import (
	"context"
	"errors"
	"io"
	"strings"
)

// unveil gives a prepared call the values it names, where they may go. A write is
// prepared again with them, so that it is what is reviewed and what lands. A
// command keeps its placeholders, for the question, the screen and the record, and
// gets the values when it starts. What leaves for a server keeps them too: whether
// the values go is for the guard to ask. Whatever only reads, or belongs to forge,
// never gets one.
func (x *Executor) unveil(ctx context.Context, call Call, inv *Invocation, failed error) (*Invocation, error) {
	held, unknown := x.Veil.Held(call.Input)
	if len(held) == 0 {
		return inv, failed
	}
	switch {
	case failed != nil, inv.Effect.Kind == Write:
		if unknown != nil {
			return nil, errors.Join(failed, unknown)
		}
		input, err := x.Veil.Reveal(call.Input, InJSON)
		if err != nil {
			return nil, err
		}
		call.Input = input
		again, err := x.prepare(ctx, call)
		switch {
		case err != nil:
			return nil, err
		case again.Effect.Kind == Write:
			again.Effect.Secrets = held
			return again, nil
		case failed != nil:
			return nil, failed
		}
	case inv.Effect.Kind == Exec:
		return inv, x.carry(&inv.Effect)
	case !stays(inv.Effect):
		if unknown == nil {
			inv.Effect.Secrets = held
		}
	}
	return inv, nil
}

// stays says whether a call without values of secrets does all it does on this
// machine, and within forge.
func stays(e Effect) bool {
	return e.Server == "" && (e.Kind == Read || e.Kind == Internal || e.Kind == Delegate)
}

// carry notes which secrets a command would get, and fails where it could not get
// them: before anybody is asked.
func (x *Executor) carry(e *Effect) error {
	if x.Veil == nil {
		return nil
	}
	e.Detail, _ = x.Veil.Mask(e.Detail) // it may tell what a first run said
	if e.Kind != Exec {
		return nil
	}
	held, err := x.Veil.Held(e.Command)
	if err == nil && len(held) > 0 {
		_, err = x.Veil.Reveal(e.Command, InCommand)
	}
	e.Secrets = held
	return err
}

// reveal puts the values into a call that was allowed, where it is to have them:
// a command always, a call to a server only if somebody was asked about it.
func (x *Executor) reveal(ctx context.Context, call Call, inv *Invocation, e *Effect, asked bool) (*Invocation, error) {
	if x.Veil == nil || len(e.Secrets) == 0 {
		return inv, nil
	}
	switch {
	case e.Kind == Write:
	case e.Kind == Exec:
		command, err := x.Veil.Reveal(e.Command, InCommand)
		if err != nil {
			return nil, err
		}
		e.Command = command
	case asked:
		input, err := x.Veil.Reveal(call.Input, InJSON)
		if err != nil {
			return nil, err
		}
		call.Input = input
		return x.prepare(ctx, call)
	}
	return inv, nil
}

// masked is an error whose words were masked.
type masked struct {
	text string
	err  error
}

func (m masked) Error() string { return m.text }
func (m masked) Unwrap() error { return m.err }

// hide masks a result before it leaves the door.
func (x *Executor) hide(r *Result) {
	if x.Veil == nil {
		return
	}
	var more []Hidden
	r.Text, r.Hidden = x.Veil.Mask(r.Text)
	r.Display, more = x.Veil.Mask(r.Display)
	r.Review, _ = x.Veil.Mask(r.Review)
	if r.Hidden == nil {
		r.Hidden = more
	}
}

// explain adds to a bounded text what its placeholders are.
func (r *Result) explain() {
	if len(r.Hidden) > 0 {
		r.Text = strings.TrimRight(r.Text, "\n") + told(r.Hidden)
	}
}

// watched is a writer for live output that shows no secret, and what ends it.
func (x *Executor) watched(out io.Writer) (io.Writer, func()) {
	if out == nil {
		return io.Discard, func() {}
	}
	if x.Veil == nil {
		return out, func() {}
	}
	s := x.Veil.Stream(out)
	return s, func() { _ = s.Close() } // who watches may have gone
}
