package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/lazy"
	"forge/tools"
)

// ErrStuck ends a run that goes round in circles and whose person, if there is one,
// does not want it to.
var ErrStuck = errors.New("the same call failed the same way again and again")

// How often a call may fail the same way before the model is told, and before the
// person is asked.
const (
	tellAt = 2
	askAt  = 3
)

// Stuck is a call that failed the same way Times times, though nothing was changed
// in between.
type Stuck struct {
	Name, Input string
	Title       string // of its effect; empty where it was not even prepared
	Result      string // what came of it the last time
	Times       int
}

// Unstick is what a person says to it. The zero value ends the run.
type Unstick struct {
	GoOn bool
	Tell string // words for the model; empty: none
}

// failure is a call and how it failed.
type failure struct {
	times int
	asked int // at how many the person was asked last
}

// clocks are what differs in a result though it is the same: times and durations.
var clocks = lazy.Regexp{Expr: `\d+:\d\d(?::\d\d)?(?:\.\d+)?|\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|m|sec|seconds|minutes)\b`}

func (j *job) failure() string {
	return j.call.Name + "\x00" + j.call.Input + "\x00" + clocks.Get().ReplaceAllString(j.result.Text, "#")
}

// fails counts how often this call has failed in this way. A call that may have
// changed something, and worked, makes a new try of any other worth it; one that
// only looked does not.
func (r *run) fails(j *job) int {
	if !j.result.IsError {
		if j.inv != nil && j.inv.Effect.Kind != tools.Read && j.inv.Effect.Kind != tools.Internal {
			r.failures = nil
		}
		return 0
	}
	if r.failures == nil {
		r.failures = map[string]*failure{}
	}
	key := j.failure()
	f := r.failures[key]
	if f == nil {
		f = &failure{}
		r.failures[key] = f
	}
	f.times++
	if f.times-f.asked >= askAt {
		r.stuck = &stuckAt{f, Stuck{Name: j.call.Name, Input: j.call.Input, Title: j.shown.Title, Result: j.result.Text, Times: f.times}}
	}
	return f.times
}

type stuckAt struct {
	*failure
	Stuck
}

// warning is said to the model beside a result it has seen before.
func warning(times int) string {
	if times < tellAt {
		return ""
	}
	text := fmt.Sprintf("\nnote: this same call has now failed %d times in the same way, and nothing was changed in between. Do not send it again unchanged: find out why it fails, try another way, or tell the user what is in the way.", times)
	if times >= askAt {
		text += " The user is being asked whether you should go on."
	}
	return text
}

// unstick asks the person once a call went round in circles.
func (r *run) unstick(ctx context.Context) error {
	at := r.stuck
	r.stuck = nil
	if at == nil {
		return nil
	}
	what := at.Title
	if what == "" {
		what = at.Name
	}
	if line, _, more := strings.Cut(what, "\n"); more {
		what = line + " …"
	}
	err := fmt.Errorf("%w: %s (%d times)", ErrStuck, what, at.Times)
	if r.o.Unstick == nil {
		return err
	}
	answer, failed := r.o.Unstick(ctx, at.Stuck)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case failed != nil:
		return fmt.Errorf("%w (%w)", err, failed)
	case !answer.GoOn:
		return err
	}
	at.asked = at.times
	if answer.Tell != "" {
		r.mail.put(answer.Tell)
	}
	return nil
}

// Limited reports whether an error means that a limit ended a run: its history can
// be gone on with, once the limit is another.
func Limited(err error) bool {
	return errors.Is(err, ErrTurnLimit) || errors.Is(err, ErrStuck) || exceeded(err) != nil
}
