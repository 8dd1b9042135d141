package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// untilForced is how long after an interrupt another one changes nothing. A command
// that ignores every signal but KILL is gone by then.
const untilForced = 2 * time.Second

// signals ends a context when forge is told to end. Whoever interrupts again wants out
// at once, but not before the commands that run had their time to end: they would live
// on. A face whose ctrl+c is a signal may take the interrupts for itself.
type signals struct {
	ch     chan os.Signal
	cancel context.CancelFunc

	mu   sync.Mutex
	face chan os.Signal // takes interrupts; nil: they end forge
}

// listen begins to take the signals; stop ends that.
func listen() (ctx context.Context, s *signals, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	s = &signals{ch: make(chan os.Signal, 4), cancel: cancel}
	signal.Notify(s.ch, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // whoever started forge so wants it to outlive the terminal (nohup)
		signal.Notify(s.ch, syscall.SIGHUP)
	}
	go func() {
		defer func() { _ = recover() }()
		for {
			select {
			case sig := <-s.ch:
				s.take(sig)
			case <-ctx.Done():
				time.AfterFunc(untilForced, func() { signal.Stop(s.ch) })
				return
			}
		}
	}()
	return ctx, s, func() { signal.Stop(s.ch); cancel() }
}

func (s *signals) take(sig os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sig != os.Interrupt || s.face == nil {
		s.cancel()
		return
	}
	select {
	case s.face <- sig:
	default: // it has not heard the one before
	}
}

// interrupts are handed to a face from now on.
func (s *signals) interrupts() <-chan os.Signal {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.face = make(chan os.Signal, 1)
	return s.face
}

type signalsKey struct{}
