package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// connected returns a session, starting the server if it waits for a reason to.
func (s *server) connected(ctx context.Context) (Session, error) {
	for {
		s.m.mu.Lock()
		changed := s.m.changed
		s.m.mu.Unlock()
		s.mu.Lock()
		session, state, reason := s.session, s.state, s.reason
		s.mu.Unlock()
		switch state {
		case Ready:
			if session != nil {
				return session, nil
			}
		case Disabled, Unapproved, NeedsLogin, Stopped:
			return nil, fmt.Errorf("the server is %s: %s", state, reason)
		case Failed:
			if !strings.Contains(reason, "trying again") {
				return nil, fmt.Errorf("the server is not there: %s", reason)
			}
			s.rouse()
		case Idle:
			s.rouse()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *server) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// call calls a tool: on the running server, or on one that is started for it. It is
// tried a second time only where the first cannot have had an effect.
func (s *server) call(ctx context.Context, t RemoteTool, args json.RawMessage, progress func(Progress)) (RemoteResult, error) {
	rounds := 0 // of pages the person was to open first
	for try := 1; ; try++ {
		began, cancel := context.WithTimeout(ctx, orDuration(s.cfg.StartupTimeout, startLimit)+5*time.Second)
		session, err := s.connected(began)
		cancel()
		if err != nil {
			if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
				err = errors.New("the server did not become ready in time")
			}
			return RemoteResult{}, err
		}
		res, err := s.attempt(ctx, session, t, args, progress)
		var login *ErrLogin
		if errors.Is(err, errLost) {
			s.over(session)
		} else if errors.As(err, &login) { // its login has run out: connecting anew says so
			s.over(session)
			session.Close()
		}
		if rounds++; err != nil && rounds <= maxAsked && s.visited(ctx, err) {
			try--
			continue
		}
		again := errors.Is(err, errForgotten) || errors.Is(err, errLost) && s.cfg.Trust && (t.Hints.ReadOnly || t.Hints.Idempotent)
		if err == nil || try == 2 || !again || ctx.Err() != nil {
			return res, err
		}
	}
}

// over forgets a session that is lost, so that nobody is given it again before serve
// has heard of its end.
func (s *server) over(session Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == session {
		s.session = nil
	}
}

func (s *server) attempt(ctx context.Context, session Session, t RemoteTool, args json.RawMessage, progress func(Progress)) (RemoteResult, error) {
	ctx, w := newWatchdog(ctx, orDuration(s.cfg.Timeout, callIdle), orDuration(s.cfg.MaxTime, max(callLimit, orDuration(s.cfg.Timeout, 0))))
	defer w.stop()
	s.mu.Lock()
	s.calls[w] = true
	if s.dialogs > 0 {
		w.pause()
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.calls, w)
		s.mu.Unlock()
	}()
	began := time.Now()
	res, err := session.Call(ctx, t.Name, args, func(p Progress) {
		w.fed()
		progress(p)
	})
	var slow errSlow
	if err != nil && errors.As(context.Cause(ctx), &slow) {
		err = slow
	}
	// What was called, for a later look; arguments may hold secrets, so a hash of them.
	slog.Info("mcp call", "server", s.name, "tool", t.Name, "arguments", digest(string(args)), "ms", time.Since(began).Milliseconds(),
		"parts", len(res.Content), "failed", res.IsError, "error", err)
	return res, err
}

// dialog stops the clock of the server's calls while a dialog of its is open.
func (s *server) dialog() (closed func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dialogs++; s.dialogs == 1 {
		for w := range s.calls {
			w.pause()
		}
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.dialogs--; s.dialogs == 0 {
			for w := range s.calls {
				w.resume()
			}
		}
	}
}
