package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"forge/tools"
)

// State is how a server stands.
type State string

// The states.
const (
	Idle     State = "not started" // until a file of its kind is changed
	Asking   State = "waiting for your answer"
	Starting State = "starting"
	Ready    State = "ready"
	Failed   State = "failed"
	Stopped  State = "stopped" // by the person
	Barred   State = "not allowed"
)

// An instance is one server in one folder: its life, and the edits it is shown. One
// goroutine at a time works on those; none is there while there is nothing to do.
type instance struct {
	m      *Manager
	server Server
	root   string

	mu      sync.Mutex
	state   State
	reason  string
	since   time.Time
	session *session
	edits   map[string]edit // to be shown
	waiters []*waiter
	more    chan struct{} // closed when there is another edit
	working bool
	behind  bool // files may have changed in another way than by an edit
	deaths  int
	late    int  // edits in a row that waited for nothing
	waited  bool // an edit has waited in vain while it read the project
	used    time.Time
	idle    *time.Timer

	// What was told of each file; kept by whoever works, read by news.
	told  map[string][]finding
	based bool // what was wrong before the first edit is known
	asked map[string]shownAs
}

// shownAs is which version of a file the server was shown last, after which word.
type shownAs struct{ version, since int }

// set changes the state, with the lock held, and tells of it.
func (i *instance) set(s State, reason string) {
	if i.state == s && i.reason == reason {
		return
	}
	i.state, i.reason, i.since = s, reason, time.Now()
	if i.m.o.Notify != nil {
		st := i.status()
		i.m.telling.Go(func() { // whoever is told may be slow
			defer recovered("tell of a language server")
			i.m.o.Notify(st)
		})
	}
}

// begin has somebody work on what there is, with the lock held; nobody does after the end.
func (i *instance) begin() {
	if i.working || i.m.life.Err() != nil {
		return
	}
	i.working = true
	i.m.work.Go(i.work)
}

// work shows edits until there are none.
func (i *instance) work() {
	defer recovered("work with a language server")
	for {
		i.mu.Lock()
		edits, waiters, more, s := i.edits, i.waiters, i.more, i.session
		behind := i.behind && s != nil
		if len(edits) == 0 && !behind || i.m.life.Err() != nil || i.givenUp() {
			i.edits, i.waiters, i.working = map[string]edit{}, nil, false
			i.mu.Unlock()
			for _, w := range waiters {
				w.take(tools.Found{})
			}
			if s != nil && s.conn.over() { // follow left it to this one
				i.fail(s, s.conn.lost())
			}
			return
		}
		i.edits, i.waiters, i.behind = map[string]edit{}, nil, false
		i.used = time.Now()
		i.mu.Unlock()

		s, found, again, err := i.attempt(edits, waiters, more)
		if err != nil {
			found = tools.Found{Note: i.fail(s, err)}
		}
		if again { // what comes next is for them, too
			i.mu.Lock()
			i.waiters = append(waiters, i.waiters...)
			i.mu.Unlock()
			continue
		}
		for _, w := range waiters {
			w.take(found)
		}
		if err == nil {
			i.weigh(s)
		}
	}
}

// attempt shows edits to the server, started where it is not there. A crash over what it
// says is its end, and not that of the work on other edits.
func (i *instance) attempt(edits map[string]edit, waiters []*waiter, more <-chan struct{}) (s *session, found tools.Found, again bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			slog.Error("panic", "where", "work with a language server", "value", v, "stack", string(debug.Stack()))
			found, again, err = tools.Found{}, false, fmt.Errorf("forge crashed: %v", v)
		}
	}()
	if s, err = i.running(waiters); err != nil {
		return s, found, false, err
	}
	ctx, cancel := context.WithTimeout(i.m.life, lateWait)
	defer cancel()
	found, again, err = i.show(ctx, s, edits, waiters, more)
	return s, found, again, err
}

// fail notes why the server is of no use, and says it; one that died is started again
// with the next edit, not for ever.
func (i *instance) fail(s *session, err error) (note string) {
	if s != nil {
		s.close()
		if last := s.said.last(); last != "" && !strings.Contains(err.Error(), last) {
			err = fmt.Errorf("%w; it said: %s", err, last)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	var no *refusal
	switch {
	case i.state == Stopped || i.m.life.Err() != nil, i.session != s:
		return "" // it was ended, or that is known
	case errors.As(err, &no) && no.open:
		i.set(Idle, no.why)
		return ""
	case errors.As(err, &no):
		i.set(Barred, no.why)
		return ""
	}
	i.session = nil
	i.forget()
	said := i.deaths > 0
	if i.deaths++; s == nil {
		i.deaths = mostDeaths + 1 // it would not start the next time, either; there may be another one
	}
	i.set(Failed, err.Error())
	switch {
	case said: // not again and again
		return ""
	case s == nil:
		return "does not start: " + err.Error()
	}
	return "is gone: " + err.Error()
}

// useless says whether the server was given up.
func (i *instance) useless() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.givenUp()
}

// givenUp is that with the lock held.
func (i *instance) givenUp() bool { return i.state == Failed && i.deaths > mostDeaths }

// forget drops what was known of files, with the lock held: another server begins anew.
func (i *instance) forget() {
	i.told, i.based, i.waited, i.asked, i.late = map[string][]finding{}, false, false, map[string]shownAs{}, 0
	if i.idle != nil {
		i.idle.Stop()
		i.idle = nil
	}
}

// A refusal is why a server may not start; open: it was not answered, and is asked about
// with the next edit.
type refusal struct {
	why  string
	open bool
}

func (r *refusal) Error() string { return r.why }

// running is the server, started where it is not there. Those who wait are told where
// somebody is to be asked first: that may take long.
func (i *instance) running(waiters []*waiter) (*session, error) {
	i.mu.Lock()
	s := i.session
	i.mu.Unlock()
	if s != nil {
		if s.conn.over() { // between two edits
			return s, s.conn.lost()
		}
		return s, nil
	}
	err := i.m.allowed(i.server, i.root, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.set(Asking, "")
		i.waited = true
		for _, w := range waiters {
			w.take(tools.Found{Note: "waits for your answer; what it finds is told later"})
		}
	})
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	if i.state == Stopped {
		i.mu.Unlock()
		return nil, errGone
	}
	i.set(Starting, "")
	i.mu.Unlock()
	i.m.makeRoom(i)
	ctx, cancel := context.WithTimeout(i.m.life, startLimit)
	defer cancel()
	s, err = open(ctx, i.server, i.root, i.m.o.Version, i.m.o.Mark)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.state == Stopped || i.m.life.Err() != nil { // meanwhile
		i.m.work.Go(s.close)
		return nil, errGone
	}
	i.session = s
	i.forget()
	i.set(Ready, "")
	go i.follow(s)
	return s, nil
}

// follow notes the end of a server that nobody ended.
func (i *instance) follow(s *session) {
	defer recovered("follow a language server")
	<-s.conn.gone
	i.mu.Lock()
	ours := i.session == s && !i.working && i.state == Ready
	i.mu.Unlock()
	if ours {
		i.fail(s, s.conn.lost())
	}
}

// rest ends a server that was not used for long.
func (i *instance) rest(s *session) {
	defer recovered("end a language server")
	i.mu.Lock()
	if i.session != s || i.working || i.state != Ready {
		i.mu.Unlock()
		return
	}
	i.session = nil
	i.forget()
	i.set(Idle, "ended, since nothing was changed for a while")
	i.mu.Unlock()
	s.close()
}

// stop ends the server, with a state to be in from then on.
func (i *instance) stop(state State, reason string) {
	i.mu.Lock()
	s := i.session
	i.session = nil
	i.forget()
	i.set(state, reason)
	i.mu.Unlock()
	if s != nil {
		s.close()
	}
}

// weigh ends a server that takes too much, and lets one that is not used go later.
func (i *instance) weigh(s *session) {
	size := s.conn.proc.Memory()
	if most := i.server.memory(); size > most {
		i.mu.Lock()
		i.deaths = mostDeaths + 1 // the next one would grow as large
		i.mu.Unlock()
		i.stop(Failed, fmt.Sprintf("it took %d MB, more than the %d MB it may (memory_mb)", size>>20, most>>20))
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.session != s {
		return
	}
	if i.idle == nil {
		i.idle = time.AfterFunc(idleLimit, func() { i.rest(s) })
	} else {
		i.idle.Reset(idleLimit)
	}
}
