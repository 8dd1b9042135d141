package linear

import (
	"context"
	"time"

	"forge/agent"
	"forge/ui/safe"
)

// Timed is what is sent by the clock, once nothing is on and nothing is asked. Its functions
// are called on the goroutine of Run and must not block.
type Timed struct {
	// Next is when something is due; false: nothing is. said is what is told of what will
	// not be due any more.
	Next func(now time.Time) (at time.Time, said string, ok bool)
	// Take takes what is due: what is said of it, and what is done off the loop.
	Take func(now time.Time) (said string, do func(ctx context.Context, sink agent.Sink) error)
	// Over hears how that went, and returns what is said of it.
	Over func(err error, halted, failed bool) string
}

// alarm is the one timer there is for it.
type alarm struct {
	timer *time.Timer
	at    time.Time
	on    bool // the run that is on was sent by it
}

// due sends what is due, and returns what wakes the loop for what is due next; nil: nothing
// is, or whatever lets it go out wakes the loop by itself.
func (f *face) due(ctx context.Context) <-chan time.Time {
	t := f.o.Timed
	if t == nil || f.cancel != nil || len(f.open) > 0 || len(f.held) > 0 || f.paste.over != nil {
		f.alarm.stop()
		return nil
	}
	now := time.Now()
	at, said, ok := t.Next(now)
	if said != "" {
		f.say(safe.Output(said))
	}
	switch {
	case !ok:
		f.alarm.stop()
		return nil
	case at.After(now):
		return f.alarm.set(at, now)
	}
	f.alarm.stop()
	said, do := t.Take(now)
	f.say(safe.Output(said))
	f.begin(ctx, true, func(ctx context.Context) (*Choice, error) { return nil, do(ctx, f.o.Emit) })
	f.alarm.on = true
	return nil
}

func (a *alarm) set(at, now time.Time) <-chan time.Time {
	if a.timer != nil && a.at.Equal(at) {
		return a.timer.C
	}
	a.stop()
	a.timer, a.at = time.NewTimer(at.Sub(now)), at
	return a.timer.C
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}
