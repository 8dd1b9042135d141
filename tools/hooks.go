package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Hooks are commands of the person's own around calls. They can refuse a call, have it
// asked about, or change it; what they change is prepared and judged as though the model
// had sent it so. Methods may be called from any goroutine.
type Hooks interface {
	// Concern names the hooks that Before would run for a call; empty: none. It does not
	// block.
	Concern(call Call) string
	// Before is told of a prepared call before the guard is asked.
	Before(ctx context.Context, call Call, e Effect) Ruling
	// After is told of a call that ran, with what the model is about to be told of it:
	// masked and bounded.
	After(ctx context.Context, call Call, e Effect, res Result, took time.Duration) Echo
}

// Ruling is what hooks say of a call before it runs. The zero Ruling says nothing.
type Ruling struct {
	Deny  string // why it does not run; empty: it may
	Halt  string // why the run ends as well; empty: it goes on
	Input string // its arguments from now on; empty: those it has
	By    string // whose they are
	Said  Said
	// Context is for the model, beside the result; Notes are lines for the person.
	Context string
	Notes   []string
}

// Echo is what hooks say of a call that ran. The zero Echo says nothing.
type Echo struct {
	Instead string // the model is told this in the place of the result; empty: the result
	Halt    string // why the run ends; empty: it goes on
	Context string // for the model, behind the result
	Notes   []string
}

// Said is what the person's hooks say of a call to the guard. A guard takes Ask for an
// order. Vouch can do no more than an answer that the person could have given for the
// whole session. Nobody but the Executor sets it.
type Said struct {
	Ask, Vouch bool
	By, Reason string // the hook, and its words
}

// String names the hook, with its words.
func (s Said) String() string {
	if s.Reason == "" {
		return "hook " + s.By
	}
	return "hook " + s.By + ": " + s.Reason
}

var errSecretInput = errors.New("they hold a secret in a place where it cannot be hidden")

// before asks the hooks about a prepared call. It gives the call and the invocation
// that are to be authorized; done says that nothing is, with the outcome.
func (x *Executor) before(ctx context.Context, call Call, inv *Invocation, w Watch, o *Outcome) (c Call, i *Invocation, done bool) {
	fresh := *inv
	fresh.Effect.Said = Said{} // a tool cannot speak for the person
	inv = &fresh
	if x.Hooks == nil {
		return call, inv, false
	}
	waits := x.Hooks.Concern(call)
	if waits == "" {
		return call, inv, false
	}
	if w.Waits != nil {
		w.Waits(waits)
		defer w.Waits("")
	}
	h := x.Hooks.Before(ctx, call, inv.Effect)
	o.Notes, o.Halt = h.Notes, h.Halt
	switch {
	case ctx.Err() != nil:
		o.Result = failed(ctx, call, ctx.Err())
		return call, inv, true
	case h.Deny != "" || h.Halt != "":
		why := h.Deny
		if why == "" {
			why = h.Halt
		}
		o.Result = Result{Text: withContext("not run: "+why, h.Context), IsError: true, Refused: true}
		return call, inv, true
	}
	o.context = h.Context
	if h.Input != "" {
		var err error
		if call, inv, err = x.changed(ctx, call, h); err != nil {
			o.Result = Result{Text: "not run: " + h.By + " changed the arguments, and they cannot be used: " + err.Error(), IsError: true, Refused: true}
			return call, inv, true
		}
		o.Call, o.Effect = &call, &inv.Effect
		note := h.By + " changed the arguments of this call; what ran has: " + Clip(call.Input, 1000)
		o.context = strings.TrimSpace(note + "\n" + o.context)
		if w.Changed != nil {
			w.Changed(call, inv.Effect)
		}
		h.Said.Vouch = false // nobody vouched for what it is now
	}
	inv.Effect.Said, o.said = h.Said, h.Said
	return call, inv, false
}

// changed prepares a call anew with the arguments of a hook. A secret in them is what it
// is anywhere else: a placeholder, until the call was allowed.
func (x *Executor) changed(ctx context.Context, call Call, h Ruling) (Call, *Invocation, error) {
	was := call.Input
	call.Input = h.Input
	if x.Veil != nil {
		if masked, _ := x.Veil.Mask(call.Input); json.Valid([]byte(masked)) {
			call.Input = masked
		} else {
			call.Input = "{}"
			return call, &Invocation{}, errSecretInput
		}
	}
	inv, err := x.Prepare(WithAhead(ctx, nil), call)
	if err != nil {
		return call, &Invocation{}, err
	}
	fresh := *inv
	fresh.Effect.Said = Said{}
	sent := was
	if x.Veil != nil {
		sent, _ = x.Veil.Mask(sent)
	}
	fresh.Effect.Detail = strings.TrimSpace(fmt.Sprintf("%s changed the arguments; the model sent: %s", h.By, Clip(sent, 400)) + "\n" + fresh.Effect.Detail)
	return call, &fresh, nil
}

// after tells the hooks how a call ended, and the model and the person what they say.
func (x *Executor) after(ctx context.Context, call Call, e Effect, o *Outcome, took time.Duration) {
	if x.Hooks == nil || o.Result.Refused || ctx.Err() != nil {
		return
	}
	h := x.Hooks.After(ctx, call, e, o.Result, took)
	o.Notes = append(o.Notes, h.Notes...)
	if h.Halt != "" {
		o.Halt = h.Halt
	}
	if h.Instead != "" {
		o.Result.Text, o.Result.Images, o.Result.Hidden = h.Instead, nil, nil
		x.hide(&o.Result)
	}
	if h.Context != "" {
		o.context = strings.TrimSpace(o.context + "\n" + h.Context)
	}
}

// told puts behind a result what hooks say to the model, masked.
func (x *Executor) told(o *Outcome) {
	if o.context == "" {
		return
	}
	text := o.context
	if x.Veil != nil {
		var more []Hidden
		text, more = x.Veil.Mask(text)
		o.Result.Hidden = append(o.Result.Hidden, more...)
	}
	o.Result.Text = withContext(o.Result.Text, text)
}

// withContext is a result with what hooks add to it, told apart from it.
func withContext(text, more string) string {
	if more == "" {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n" + hooksMark + "\n" + more
}

// hooksMark is the line above what hooks say. A result that has it for a line of its own
// speaks in the name of the person's hooks: there it is quoted.
const hooksMark = "[from the user's hooks, not part of the result]"

// quoteMark quotes the mark where nothing that can be seen stands before it on its line,
// whatever ends a line for whoever reads it.
func quoteMark(text string) string {
	var b strings.Builder
	done := 0
	for {
		i := strings.Index(text[done:], hooksMark)
		if i < 0 {
			return b.String() + text[done:]
		}
		i += done
		line := text[:i]
		if end := strings.LastIndexFunc(line, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }); end >= 0 {
			line = line[end:]
		}
		b.WriteString(text[done:i])
		if !strings.ContainsFunc(line, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) {
			b.WriteString("> ")
		}
		b.WriteString(hooksMark)
		done = i + len(hooksMark)
	}
}
