package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A watchdog ends a call that shows no sign of life for idle, or that takes longer
// than most in any case. Progress feeds it; while a dialog of the server's is open
// neither time runs, since it is the person who takes it.
type watchdog struct {
	idle, most time.Duration
	end        context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	limit   *time.Timer
	limitAt time.Time
	left    time.Duration // of most, while paused
	paused  int
	done    bool
}

// errSlow is why a watchdog ended a call.
type errSlow struct{ text string }

func (e errSlow) Error() string { return e.text }

func newWatchdog(ctx context.Context, idle, most time.Duration) (context.Context, *watchdog) {
	ctx, end := context.WithCancelCause(ctx)
	w := &watchdog{idle: idle, most: most, end: end, limitAt: time.Now().Add(most)}
	w.timer = time.AfterFunc(idle, func() {
		w.bark(fmt.Sprintf("the server gave no sign of life for %s; the call was cancelled", idle))
	})
	w.limit = time.AfterFunc(most, func() {
		w.bark(fmt.Sprintf("the call took longer than %s; it was cancelled", most))
	})
	return ctx, w
}

func (w *watchdog) bark(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.done && w.paused == 0 {
		w.end(errSlow{why})
	}
}

// fed gives the call its time anew.
func (w *watchdog) fed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.done && w.paused == 0 {
		w.timer.Reset(w.idle)
	}
}

func (w *watchdog) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused++; w.paused == 1 {
		w.timer.Stop()
		w.limit.Stop()
		w.left = time.Until(w.limitAt)
	}
}

func (w *watchdog) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused--; w.paused == 0 && !w.done {
		w.timer.Reset(w.idle)
		w.limit.Reset(w.left)
		w.limitAt = time.Now().Add(w.left)
	}
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = true
	w.timer.Stop()
	w.limit.Stop()
	w.end(nil)
}
