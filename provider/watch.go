package provider

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"
)

// Silence is a wait that a call is in just now, and that ends the call when it lasts for
// Limit. A zero For says that it is over.
type Silence struct {
	For   Wait // WaitFirstByte or WaitBytes
	Since time.Time
	Limit time.Duration
}

// quietAfter is how long no byte may come before that is a wait somebody is told of.
const quietAfter = 5 * time.Second

type watchKey struct{}

// Watch lets f hear of the silences of the calls made with the context it returns. It
// is called from other goroutines than the call's, one at a time for one call, and not
// after that has ended; it may block, and must not end the call itself.
func Watch(ctx context.Context, f func(Silence)) context.Context {
	return context.WithValue(ctx, watchKey{}, f)
}

// watcher tells of the silences of one call. A nil one tells nobody.
type watcher struct {
	f     func(Silence)
	timer *time.Timer // runs while a Read blocks

	mu    sync.Mutex
	now   Silence // what would be told when the timer fires
	armed bool
	told  bool
	over  bool
}

func watcherOf(ctx context.Context) *watcher {
	f, ok := ctx.Value(watchKey{}).(func(Silence))
	if !ok {
		return nil
	}
	w := &watcher{f: f}
	w.timer = time.AfterFunc(time.Hour, w.fire)
	w.timer.Stop()
	return w
}

// traced hears when a request is on its way, so that a server which accepts it and says
// nothing is not taken for one that cannot be reached.
func (w *watcher) traced(ctx context.Context, limit time.Duration) context.Context {
	if w == nil {
		return ctx
	}
	began := time.Now()
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if !w.over && !w.told {
				w.told = true
				w.f(Silence{WaitFirstByte, began, limit})
			}
		},
	})
}

// begin says that a Read blocks from now on, for at most limit.
func (w *watcher) begin(limit time.Duration) {
	if w == nil {
		return
	}
	w.mu.Lock()
	w.now, w.armed = Silence{WaitBytes, time.Now(), limit}, true
	w.mu.Unlock()
	w.timer.Reset(quietAfter)
}

func (w *watcher) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.armed && !w.over {
		w.told = true
		w.f(w.now)
	}
}

// heard says that bytes came.
func (w *watcher) heard() {
	if w == nil {
		return
	}
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	w.clear()
}

func (w *watcher) clear() {
	if w.told && !w.over {
		w.told = false
		w.f(Silence{})
	}
}

// end says that the call is over.
func (w *watcher) end() {
	if w == nil {
		return
	}
	w.timer.Stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clear()
	w.over = true
}
