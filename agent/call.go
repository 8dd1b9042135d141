package agent

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"forge/agent/session"
	"forge/tools"
)

// one runs a prepared call, or ends one that could not be prepared. A panic of
// anything beneath it is this call's error.
func (r *run) one(ctx context.Context, j *job) {
	began := time.Now()
	var waited atomic.Int64 // before it ran, for an answer most of all: no part of what it took
	var changes []tools.Change
	defer func() {
		if p := recover(); p != nil {
			slog.Error("call crashed", "tool", j.call.Name, "panic", p, "stack", string(debug.Stack()))
			j.result = tools.Result{Text: fmt.Sprintf("tool %s crashed: %v; try another way", j.call.Name, p), IsError: true}
		}
		took := time.Since(began) - time.Duration(waited.Load())
		j.shown.Hidden = tools.HiddenSummary(j.result.Hidden)
		j.shown.Display, j.shown.Own, j.shown.Refused, j.shown.Took = j.result.Display, j.result.Own, j.result.Refused, took.Milliseconds()
		j.shown.Review = j.result.Review
		j.shown.Looks = j.looks.of(j.result.Text)
		for _, f := range j.result.Found {
			j.shown.Found = append(j.shown.Found, session.Found(f))
		}
		j.shown.Changes = r.storedChanges(changes)
		r.aside.came(j)
		r.emit(ToolEnd{ID: j.call.ID, Name: j.call.Name, Result: j.result, Changes: changes, Took: took})
	}()
	if j.inv == nil {
		return
	}
	if ctx.Err() != nil {
		j.result = tools.Result{Text: Cancelled, IsError: true}
		return
	}
	o := r.through(ctx, j, func() { waited.Store(int64(time.Since(began))) })
	j.result, changes = o.Result, o.Changes
	r.ruled(j, o)
	r.unseen(j)
	if ctx.Err() != nil && j.result.Refused { // the question was closed by the cancel, not by a refusal
		j.result = tools.Result{Text: Cancelled, IsError: true}
	}
}

// grace is how long a cancelled call may take to end by itself: more than the
// signals a command is sent, less than a person waits.
const grace = 5 * time.Second

// through sends a call through the door. One that does not end after a cancel is left
// behind: nothing may keep a person from going on. runs is called when it may run and does.
func (r *run) through(ctx context.Context, j *job, runs func()) tools.Outcome {
	var over atomic.Bool // from then on nobody listens
	watch := tools.Watch{
		Waits: func(hooks string) {
			if hooks != "" {
				hooks = fmt.Sprintf("hook %s runs", hooks)
			}
			if !over.Load() {
				r.emit(Waiting{For: hooks})
			}
		},
		Looks: func(who string) {
			if !over.Load() {
				r.emit(Waiting{For: fmt.Sprintf("%s looks at the files", who)})
			}
		},
		Changed: func(c tools.Call, e tools.Effect) {
			if !over.Load() {
				r.emit(ToolStart{ID: c.ID, Name: c.Name, Input: c.Input, Effect: e})
			}
		},
		Started: func() {
			runs()
			if !over.Load() {
				r.emit(ToolRunning{j.call.ID})
			}
		},
		Out: output{r, j.call.ID, &over, &j.looks},
	}
	call, inv := j.call, j.inv
	ctx, host := r.host(ctx, call.ID, &over)
	ctx = tools.WithAhead(ctx, j.ahead)
	defer func() { j.shown.Child = host.child() }()
	done := make(chan tools.Outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				slog.Error("call crashed", "tool", call.Name, "panic", p, "stack", string(debug.Stack()))
				done <- tools.Outcome{Result: tools.Result{Text: fmt.Sprintf("tool %s crashed: %v; try another way", call.Name, p), IsError: true}}
			}
		}()
		done <- r.o.Exec.Run(ctx, call, inv, watch)
	}()
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
	}
	wait := grace
	if inv.Effect.Kind == tools.Delegate { // its own calls have as long
		wait += grace / 5
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case o := <-done:
		return o
	case <-timer.C:
		over.Store(true)
		return tools.Outcome{Result: tools.Result{Text: Cancelled + "; the tool did not stop, its effects are unknown", IsError: true}}
	}
}

// ruled takes over what hooks made of a call, and what they have to say.
func (r *run) ruled(j *job, o tools.Outcome) {
	if o.Effect != nil {
		fresh := *j.inv
		fresh.Effect = *o.Effect
		j.inv, j.call = &fresh, *o.Call
		child := j.shown.Child
		j.shown = r.storedEffect(j.call.ID, fresh.Effect)
		j.shown.Child = child
	}
	for _, n := range o.Notes {
		r.emit(Notice{r.masked(n)})
	}
	if o.Halt != "" {
		r.mu.Lock()
		r.halted = o.Halt
		r.mu.Unlock()
	}
}

type output struct {
	run  *run
	id   string
	over *atomic.Bool
	seen *looks
}

func (w output) Write(p []byte) (int, error) {
	if !w.over.Load() {
		w.seen.write(p)
		w.run.emit(ToolOutput{w.id, string(p)})
	}
	return len(p), nil
}
