package ide

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// An editor ends, and its port gets into other hands, while forge is connected: whoever
// has it now is told no token, and nothing of theirs is an answer.
func TestPortThatChangesHands(t *testing.T) {
	e, dir, m, news := connected(t)
	var theirs atomic.Bool
	whose := func(port int) error {
		if theirs.Load() {
			return ErrStranger
		}
		return mine(port)
	}
	stranger.Store(&whose)
	t.Cleanup(func() { m.Close(); stranger.Store(nil) })
	path := filepath.Join(dir, "a.go")
	opened := make(chan struct{})
	e.open = func(string, string) { close(opened) }
	over := make(chan error, 1)
	go func() { _, err := m.Diff(t.Context(), path, "x"); over <- err }()
	<-opened
	theirs.Store(true)
	e.mu.Lock()
	told := len(e.auth)
	e.mu.Unlock()
	e.server.CloseClientConnections()
	until(t, m, news, func(s State) bool { return !s.Connected && errors.Is(s.Why, ErrStranger) })
	if err := <-over; !errors.Is(err, ErrStranger) && !errors.Is(err, ErrGone) { // by what was noticed first
		t.Error(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.auth) != told {
		t.Errorf("a stranger was told %q", e.auth[told:])
	}
}

// What answers with the way to another host gets no further.
func TestRedirectIsNotFollowed(t *testing.T) {
	other := newEditor(t)
	e := newEditor(t)
	e.elsewhere = fmt.Sprintf("http://127.0.0.1:%d/mcp", other.port)
	dir, temp, m, _ := here(t)
	e.offer(temp, dir)
	if _, err := m.Connect(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "answered 307") {
		t.Error(err)
	}
	if len(other.auth) != 0 {
		t.Errorf("another host was told %q", other.auth)
	}
}

// A companion tells the outcome of a diff to everyone, with the file's name alone. What
// is not the text that was sent is not taken for the person's edit of it.
func TestOutcomeOfAnothersDiff(t *testing.T) {
	e, dir, m, _ := connected(t)
	path := filepath.Join(dir, "a.go")
	for text, loose := range map[string]bool{"mine\n": false, "theirs\n": true, "": true} {
		e.open = func(p, _ string) {
			e.tell("ide/diffAccepted", map[string]string{"filePath": p, "content": text})
		}
		if o, err := m.Diff(t.Context(), path, "mine\n"); err != nil || !o.Accepted || o.Text != text || o.Loose != loose {
			t.Errorf("%q: %+v %v", text, o, err)
		}
	}
}

// However many requests an editor sends, a handful is answered at a time.
func TestFloodOfRequests(t *testing.T) {
	p := newPeer(nil)
	slow := &slowPipe{go_: make(chan struct{}), began: make(chan struct{}, 1000)}
	p.pipe = slow
	for i := range 1000 {
		p.take([]byte(fmt.Sprintf(`{"id":%d,"method":"ping"}`, i)))
	}
	for range maxAsked {
		<-slow.began
	}
	if n := slow.running.Load(); n != maxAsked {
		t.Errorf("%d at a time", n)
	}
	close(slow.go_)
}

// slowPipe takes messages when it is let.
type slowPipe struct {
	go_     chan struct{}
	began   chan struct{}
	running atomic.Int64
}

func (*slowPipe) close() {}

func (s *slowPipe) send(context.Context, []byte) (bool, error) {
	s.running.Add(1)
	s.began <- struct{}{}
	<-s.go_
	return true, nil
}
