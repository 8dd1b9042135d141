// Package models is where forge's models come from: which providers can be used and with
// which key, which model a start takes by flag, setting and what worked last, and the
// way to it over the wire it speaks. It owns the table of wires, the HTTP client of
// model calls, the keys and headers that commands of the settings give, and what logging
// in keeps. It knows no conversation and no face.
package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"forge/agent/config"
	"forge/provider"
	"forge/provider/catalog"
	"forge/tools/sandbox"
	"forge/ui/lang"
)

// Options are what a Source is made of.
type Options struct {
	Flag     catalog.Wish // of the command line
	Wire     string       // of the command line; empty: the endpoint's own
	Headless bool         // what it remembers is no choice made on a screen
	Config   *config.Config
	Dirs     config.Dirs
	Work     string // the folder of the work, absolute: no program of it is run for a setting

	Record io.Writer                                 // takes every byte of model calls; nil: nothing does
	Around func(http.RoundTripper) http.RoundTripper // stands before every request; nil: nothing does
}

// Source finds models and opens the way to them. Its methods may be called from any
// goroutine, but for Guard.
type Source struct {
	o      Options
	cfg    *config.Config
	dirs   config.Dirs
	client *http.Client // of model calls; recorded
	asking *http.Client // of questions about models
	mu     sync.Mutex
	found  []catalog.Found // servers on this machine
	looked bool
	keyed  keyed // the key that the setting api_key leads to

	guardian *sandbox.Guardian // ends commands of the settings with forge; nil: nothing does
}

// New makes a Source. It reads nothing and asks nobody yet.
func New(o Options) *Source {
	// The transport has no timeout over a whole reply: a model may think for
	// minutes. provider.Post has the two that matter.
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSHandshakeTimeout = 20 * time.Second
	t.IdleConnTimeout = 90 * time.Second
	var rt, asking http.RoundTripper = t, t
	if o.Record != nil {
		rt = provider.Record(o.Record, t, o.Config.Borrowed...)
	}
	if o.Around != nil {
		rt, asking = o.Around(rt), o.Around(asking)
	}
	return &Source{o: o, cfg: o.Config, dirs: o.Dirs, client: &http.Client{Transport: rt}, asking: &http.Client{Transport: asking}}
}

// Guard has g end the commands of the settings with forge. It is called before any runs.
func (s *Source) Guard(g *sandbox.Guardian) { s.guardian = g }

// Transport is what questions about models travel over.
func (s *Source) Transport() http.RoundTripper { return s.asking.Transport }

// local is the servers on this machine, as they were when last looked for.
func (s *Source) local(ctx context.Context) []catalog.Found {
	s.mu.Lock()
	found, looked := s.found, s.looked
	s.mu.Unlock()
	if looked {
		return found
	}
	return s.Look(ctx)
}

// Look looks for the servers on this machine: somebody may have started one.
func (s *Source) Look(ctx context.Context) []catalog.Found {
	found := catalog.Discover(ctx, os.Getenv)
	if ctx.Err() != nil { // it did not look everywhere
		return found
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found, s.looked = found, true
	return found
}

func (s *Source) stored(endpoint string) string {
	key, err := s.dirs.Secrets().Get(endpoint)
	if err != nil && !errors.Is(err, config.ErrNoKey) {
		slog.Warn("stored key not read", "provider", endpoint, "err", err)
	}
	return key
}

// Settle puts what the person says of a model over what the catalogue knows.
func (s *Source) Settle(c catalog.Choice) catalog.Choice {
	was := c.Endpoint.Name
	c.Endpoint = s.Wired(c.Endpoint)
	if c.Model.Provider == was {
		c.Model.Provider = c.Endpoint.Name
	}
	c.Model.Local = c.Endpoint.Local
	if s.cfg.ContextWindow > 0 {
		c.Model.Window = s.cfg.ContextWindow
	}
	if p := s.cfg.Prices; p != nil {
		c.Model.Price = provider.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, Known: true}
	}
	c.Endpoint = s.headed(c.Endpoint, s.borrows(c.Endpoint))
	return c
}

// Wired gives an endpoint the wire somebody said it speaks: the flag, else
// whoever named its address. One that a person logged in at has a name, too.
func (s *Source) Wired(e catalog.Endpoint) catalog.Endpoint {
	last := s.last()
	if Unnamed(e.Name) {
		for _, o := range s.dirs.Endpoints() {
			if sameURL(o.BaseURL, e.BaseURL) {
				e.Name, e.Title, e.Wire = o.Name, o.Name, o.Wire
			}
		}
	}
	switch {
	case s.o.Wire != "":
		e.Wire = s.o.Wire
	case s.o.Flag.BaseURL != "":
	case s.cfg.Wire != "" && sameURL(e.BaseURL, s.cfg.BaseURL):
		e.Wire = s.cfg.Wire
	case last.Wire != "" && sameURL(e.BaseURL, last.BaseURL):
		e.Wire = last.Wire
	}
	return e
}

func sameURL(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// Open makes the provider of a choice.
func (s *Source) Open(c catalog.Choice) (provider.Provider, error) {
	p, err := s.once(c)
	if err != nil {
		return nil, err
	}
	return provider.WithRetry(p, provider.DefaultAttempts), nil
}

// once is Open without second attempts: a trial fails while somebody looks on.
func (s *Source) once(c catalog.Choice) (provider.Provider, error) {
	wire, ok := wires.Get()[c.Endpoint.Wire]
	if !ok {
		return nil, fmt.Errorf(lang.T("provider %s speaks %q, which forge does not"), c.Endpoint.Name, c.Endpoint.Wire)
	}
	if c.Key == lateKey || len(s.cfg.LateHeaders) > 0 && s.borrows(c.Endpoint) {
		return &late{s: s, c: c, open: func(c catalog.Choice) provider.Provider { return wire(c, s.client) }}, nil
	}
	return wire(c, s.client), nil
}

// Effort is how hard the model of a choice thinks: as was chosen, else its own default.
func Effort(c catalog.Choice) provider.Effort {
	if c.Effort != "" {
		return c.Effort
	}
	return c.Model.Default
}
