package lsp

import (
	"context"
	"sync"
	"time"

	"forge/tools"
)

// An edit is a file that was changed. before is its text before that, if it is known.
type edit struct {
	path   string
	before string
	known  bool // before is known
	fresh  bool // there was no such file
}

// A waiter is a call that waits for what the server says.
type waiter struct {
	paths []string
	done  chan tools.Found // one slot
	mu    sync.Mutex
	gone  bool
}

// take gives the waiter its answer, and reports false where it does not wait any more.
func (w *waiter) take(f tools.Found) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return false
	}
	w.gone = true
	w.done <- f
	return true
}

// leave ends the waiting, and gives the answer where it has come just now.
func (w *waiter) leave() (f tools.Found, came bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone = true
	select {
	case f = <-w.done:
		return f, true
	default:
		return f, false
	}
}

// check shows edits to the server and waits for what it says, not for long.
func (i *instance) check(ctx context.Context, edits []edit) tools.Found {
	w := &waiter{done: make(chan tools.Found, 1)}
	i.mu.Lock()
	if i.m.life.Err() != nil {
		i.mu.Unlock()
		return tools.Found{}
	}
	switch i.state {
	case Stopped, Barred:
		i.mu.Unlock()
		return tools.Found{}
	case Failed:
		if i.givenUp() {
			i.mu.Unlock()
			return tools.Found{}
		}
	}
	limit, first := i.server.wait(), !i.waited
	if i.late >= mostLate || i.waited && !i.based {
		limit = min(limit, shortWait)
	}
	for _, e := range edits {
		if was, ok := i.edits[e.path]; ok { // not shown yet: what was before the first counts
			e.before, e.known, e.fresh = was.before, was.known, was.fresh
		}
		i.edits[e.path] = e
		w.paths = append(w.paths, e.path)
	}
	i.waiters = append(i.waiters, w)
	close(i.more)
	i.more = make(chan struct{})
	i.begin()
	i.mu.Unlock()

	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case f := <-w.done:
		return f
	case <-t.C:
	case <-ctx.Done():
	}
	if f, came := w.leave(); came || ctx.Err() != nil {
		return f
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	switch i.state {
	case Asking:
		i.waited = true
		if first {
			return tools.Found{Note: "waits for your answer; what it finds is told later"}
		}
	case Ready:
		if i.waited = !i.based; i.waited {
			if !first { // that was said
				return tools.Found{}
			}
			return tools.Found{Note: "is still reading the project; what it finds is told later"}
		}
		i.late++
		return tools.Found{Note: "has not answered yet; what it finds is told later"}
	case Starting:
		if i.waited = true; !first {
			return tools.Found{}
		}
		return tools.Found{Note: "is starting; what it finds is told later"}
	}
	return tools.Found{}
}
