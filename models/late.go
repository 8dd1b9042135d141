package models

import (
	"context"
	"errors"
	"iter"
	"sync"

	"forge/provider"
	"forge/provider/catalog"
)

// late is a provider whose key or headers a command gives: it runs with the first request,
// and anew once a server has refused what it gave.
type late struct {
	s    *Source
	c    catalog.Choice
	open func(catalog.Choice) provider.Provider

	mu sync.Mutex
	p  provider.Provider // nil: not known yet
}

// Stream implements provider.Provider.
func (l *late) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		p, err := l.made(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for ev, err := range p.Stream(ctx, req) {
			var pe *provider.Error
			if errors.As(err, &pe) && pe.Kind == provider.KindAuth {
				l.forget()
			}
			if !yield(ev, err) {
				return
			}
		}
	}
}

func (l *late) made(ctx context.Context) (provider.Provider, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.p != nil {
		return l.p, nil
	}
	c := l.c
	var err error
	if c.Key, err = l.s.resolved(ctx, c.Key); err != nil {
		return nil, err
	}
	if c.Endpoint, err = l.s.lateHeaded(ctx, c.Endpoint, l.s.borrows(c.Endpoint)); err != nil {
		return nil, err
	}
	l.p = l.open(c)
	return l.p, nil
}

func (l *late) forget() {
	l.s.keyed.forget()
	l.mu.Lock()
	l.p = nil
	l.mu.Unlock()
}
