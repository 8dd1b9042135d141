package models

import (
	"context"
	"iter"
	"log/slog"
	"os"
	"sync"

	"forge/agent/config"
	"forge/provider"
	"forge/provider/catalog"
)

// Heard is p, which tells of its first whole answer: a choice is
// remembered once it has worked, so that a mistyped address is not.
func Heard(p provider.Provider, tell func()) provider.Provider {
	return &heard{Provider: p, tell: tell}
}

type heard struct {
	provider.Provider
	tell func()
	once sync.Once
}

// Stream implements provider.Provider.
func (h *heard) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		for ev, err := range h.Provider.Stream(ctx, req) {
			if _, whole := ev.(provider.Stop); whole && err == nil {
				h.once.Do(h.tell)
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

// last is the choice that worked last. An address in the environment is newer
// than one remembered.
func (s *Source) last() config.LastUsed {
	last := s.dirs.LastUsed()
	if e, ok := catalog.Find(last.Provider); ok && e.WithEnv(os.Getenv).BaseURL != e.BaseURL {
		last.BaseURL = ""
	}
	return last
}

// Remember keeps a choice for the next start: the address only where it is not
// the endpoint's own, and of a nameless server nothing but the address. A run without a
// screen takes nothing from what was chosen on one.
func (s *Source) Remember(c catalog.Choice) {
	if s.o.Headless && s.dirs.LastUsed().Screen {
		return
	}
	last := config.LastUsed{Provider: c.Endpoint.Name, Model: c.Model.ID, Effort: string(c.Effort), Screen: !s.o.Headless}
	own, known := catalog.Find(c.Endpoint.Name)
	if !known {
		last.Provider = ""
	}
	if !known || own.WithEnv(os.Getenv).BaseURL != c.Endpoint.BaseURL {
		last.BaseURL, last.Wire = c.Endpoint.BaseURL, c.Endpoint.Wire
	}
	if s.o.Flag.KeyEnv != "" {
		last.KeyEnv = c.KeyEnv
	}
	if err := s.dirs.Remember(last); err != nil {
		slog.Warn("last used model not remembered", "err", err)
	}
}
