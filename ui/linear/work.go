package linear

import (
	"context"
	"errors"
	"fmt"
	"forge/provider"
	"forge/ui/lang"
	"forge/ui/safe"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"
)

// twice is within what a second interrupt leaves.
const twice = 3 * time.Second

// begin does something off the loop; run says that it is work of the agent's.
func (f *face) begin(ctx context.Context, run bool, do func(ctx context.Context) (*Choice, error)) {
	ctx, cancel := context.WithCancel(ctx)
	f.cancel, f.halted = cancel, false
	f.tell.begin()
	if run {
		f.tipLater()
	}
	send := f.o.Send
	go func() {
		defer cancel()
		e := ended{run: run}
		func() {
			defer func() {
				if p := recover(); p != nil {
					slog.Error("crashed in the background", "panic", p, "stack", string(debug.Stack()))
					e.err = errors.New(lang.T("forge crashed here: %v; the log has the details", p))
				}
			}()
			e.choice, e.err = do(ctx)
		}()
		send(e)
	}()
}

// over is the end of what begin began. After an interruption or a failure what was
// queued is not sent: the person decides.
func (f *face) over(ctx context.Context, e ended) {
	f.cancel = nil
	if f.o.Unsent != nil && e.run {
		f.queue = append(f.o.Unsent(), f.queue...)
	}
	failed := e.err != nil || f.tell.failed
	timed := f.alarm.on
	f.alarm.on, f.tip.due = false, nil
	if e.err != nil && !f.tell.failed {
		f.say(errorLine(e.err))
	}
	if timed {
		if said := f.o.Timed.Over(e.err, f.halted, failed); said != "" {
			f.say(safe.Output(said))
		}
	}
	switch {
	case e.choice != nil:
		f.put(newChoose(ctx, f, e.choice))
	case len(f.queue) == 0:
	case failed && !timed || f.halted: // what waits behind a loop is not meant for its run
		for _, q := range f.queue {
			f.say(lang.T("not sent: %s", safe.Output(q)))
		}
		f.queue = nil
	default:
		next := f.queue[0]
		f.queue = f.queue[1:]
		f.say(lang.T("sending what was queued: %s", safe.Output(next)))
		f.submit(ctx, next)
	}
}

// errorLine says an error and what can be done about it.
func errorLine(err error) string {
	if errors.Is(err, context.Canceled) {
		return lang.T("stopped")
	}
	text := lang.Said(strings.Join(strings.Fields(err.Error()), " "))
	if e := (*provider.Error)(nil); errors.As(err, &e) && e.Hint != "" {
		text += lang.T(" - ") + lang.Said(e.Hint)
	}
	return lang.T("error: %s", safe.Output(text))
}

func (f *face) halt() {
	if f.cancel != nil && !f.halted {
		f.halted = true
		f.cancel()
		f.say(lang.T("stopping"))
	}
}

// interrupt is ctrl+c; leave reports that it was the second one with nothing on.
func (f *face) interrupt() (leave bool) {
	f.marked = false
	fmt.Fprintln(f.o.Out) // behind the ^C of the terminal
	f.held = nil
	for _, q := range f.open { // nobody answers them any more
		q.cancel()
	}
	asked := len(f.open) > 0
	f.open = nil
	switch {
	case f.cancel != nil:
		f.halt()
	case asked:
		f.say(lang.T("not answered"))
	case time.Since(f.pressed) < twice:
		return true
	default:
		f.pressed = time.Now()
		f.say(lang.T("ctrl+c again leaves"))
	}
	return false
}
