package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"forge/agent/config"
	"forge/lazy"
	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/catalog"
	"forge/provider/openai"
	"forge/tools/sandbox"
	"forge/ui/cli"
	"forge/ui/lang"
)

// wires is the table of wires: a new one is a folder, and a line here.
var wires = lazy.Value[map[string]func(c catalog.Choice, h *http.Client) provider.Provider]{Of: func() map[string]func(c catalog.Choice, h *http.Client) provider.Provider {
	return map[string]func(c catalog.Choice, h *http.Client) provider.Provider{
		catalog.OpenAI: func(c catalog.Choice, h *http.Client) provider.Provider {
			return openai.New(openai.Options{Name: c.Endpoint.Name, BaseURL: c.Endpoint.BaseURL, Key: c.Key, KeyEnv: c.KeyEnv,
				Header: header(c), Client: h, Window: func(id string) int { return limits(c, id).Window }})
		},
		catalog.Anthropic: func(c catalog.Choice, h *http.Client) provider.Provider {
			return anthropic.New(anthropic.Options{BaseURL: c.Endpoint.BaseURL, Key: c.Key, KeyEnv: c.KeyEnv, Bearer: c.Endpoint.BearerAuth,
				Header: header(c), Client: h, MaxOutput: func(id string) int { return limits(c, id).MaxOutput }})
		},
	}
}}

// decoders is the same table for `forge debug decode`.
var decoders = lazy.Value[map[string]func(io.Reader) iter.Seq2[provider.Event, error]]{Of: func() map[string]func(io.Reader) iter.Seq2[provider.Event, error] {
	return map[string]func(io.Reader) iter.Seq2[provider.Event, error]{
		catalog.OpenAI: func(r io.Reader) iter.Seq2[provider.Event, error] {
			return openai.Decode(r, openai.DecodeOptions{})
		},
		catalog.Anthropic: func(r io.Reader) iter.Seq2[provider.Event, error] { return anthropic.Decode(r, "") },
	}
}}

func header(c catalog.Choice) http.Header {
	h := http.Header{}
	for k, v := range c.Endpoint.Header {
		h.Set(k, v)
	}
	return h
}

func limits(c catalog.Choice, id string) provider.Model {
	if id == c.Model.ID {
		return c.Model
	}
	m, _ := c.Endpoint.Model(id)
	return m
}

// attempts is how often a model call is tried in all.
const attempts = provider.DefaultAttempts

// speech finds models and opens the way to them.
type speech struct {
	flags  cli.Flags
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

func newSpeech(f cli.Flags, cfg *config.Config, dirs config.Dirs, record io.Writer) *speech {
	// The transport has no timeout over a whole reply: a model may think for
	// minutes. provider.Post has the two that matter.
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSHandshakeTimeout = 20 * time.Second
	t.IdleConnTimeout = 90 * time.Second
	var rt, asking http.RoundTripper = t, t
	if record != nil {
		rt = provider.Record(record, t, cfg.Borrowed...)
	}
	if logsAll() {
		rt, asking = timed{rt}, timed{asking}
	}
	return &speech{flags: f, cfg: cfg, dirs: dirs, client: &http.Client{Transport: rt}, asking: &http.Client{Transport: asking}}
}

// local is the servers on this machine, as they were when last looked for.
func (s *speech) local(ctx context.Context) []catalog.Found {
	s.mu.Lock()
	found, looked := s.found, s.looked
	s.mu.Unlock()
	if looked {
		return found
	}
	return s.look(ctx)
}

// look looks for the servers on this machine: somebody may have started one.
func (s *speech) look(ctx context.Context) []catalog.Found {
	found := catalog.Discover(ctx, os.Getenv)
	if ctx.Err() != nil { // it did not look everywhere
		return found
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found, s.looked = found, true
	return found
}

func (s *speech) stored(endpoint string) string {
	key, err := s.dirs.Secrets().Get(endpoint)
	if err != nil && !errors.Is(err, config.ErrNoKey) {
		slog.Warn("stored key not read", "provider", endpoint, "err", err)
	}
	return key
}

// settle puts what the person says of a model over what the catalogue knows.
func (s *speech) settle(c catalog.Choice) catalog.Choice {
	was := c.Endpoint.Name
	c.Endpoint = s.wired(c.Endpoint)
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

// wired gives an endpoint the wire somebody said it speaks: the flag, else
// whoever named its address. One that a person logged in at has a name, too.
func (s *speech) wired(e catalog.Endpoint) catalog.Endpoint {
	last := s.last()
	if unnamed(e.Name) {
		for _, o := range s.dirs.Endpoints() {
			if sameURL(o.BaseURL, e.BaseURL) {
				e.Name, e.Title, e.Wire = o.Name, o.Name, o.Wire
			}
		}
	}
	switch {
	case s.flags.Wire != "":
		e.Wire = s.flags.Wire
	case s.flags.BaseURL != "":
	case s.cfg.Wire != "" && sameURL(e.BaseURL, s.cfg.BaseURL):
		e.Wire = s.cfg.Wire
	case last.Wire != "" && sameURL(e.BaseURL, last.BaseURL):
		e.Wire = last.Wire
	}
	return e
}

func sameURL(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// open makes the provider of a choice.
func (s *speech) open(c catalog.Choice) (provider.Provider, error) {
	p, err := s.once(c)
	if err != nil {
		return nil, err
	}
	return provider.WithRetry(p, attempts), nil
}

// once is open without second attempts: a trial fails while somebody looks on.
func (s *speech) once(c catalog.Choice) (provider.Provider, error) {
	wire, ok := wires.Get()[c.Endpoint.Wire]
	if !ok {
		return nil, fmt.Errorf(lang.T("provider %s speaks %q, which forge does not"), c.Endpoint.Name, c.Endpoint.Wire)
	}
	if c.Key == lateKey || len(s.cfg.LateHeaders) > 0 && s.borrows(c.Endpoint) {
		return &late{s: s, c: c, open: func(c catalog.Choice) provider.Provider { return wire(c, s.client) }}, nil
	}
	return wire(c, s.client), nil
}

func effortOf(c catalog.Choice) provider.Effort {
	if c.Effort != "" {
		return c.Effort
	}
	return c.Model.Default
}

// heard is a provider that tells of the first whole answer: a choice is
// remembered once it has worked, so that a mistyped address is not.
type heard struct {
	provider.Provider
	tell func()
	once sync.Once
}

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
func (s *speech) last() config.LastUsed {
	last := s.dirs.LastUsed()
	if e, ok := catalog.Find(last.Provider); ok && e.WithEnv(os.Getenv).BaseURL != e.BaseURL {
		last.BaseURL = ""
	}
	return last
}

// remember keeps a choice for the next start: the address only where it is not
// the endpoint's own, and of a nameless server nothing but the address. A run without a
// screen takes nothing from what was chosen on one.
func (s *speech) remember(c catalog.Choice) {
	if s.flags.Headless && s.dirs.LastUsed().Screen {
		return
	}
	last := config.LastUsed{Provider: c.Endpoint.Name, Model: c.Model.ID, Effort: string(c.Effort), Screen: !s.flags.Headless}
	own, known := catalog.Find(c.Endpoint.Name)
	if !known {
		last.Provider = ""
	}
	if !known || own.WithEnv(os.Getenv).BaseURL != c.Endpoint.BaseURL {
		last.BaseURL, last.Wire = c.Endpoint.BaseURL, c.Endpoint.Wire
	}
	if s.flags.KeyEnv != "" {
		last.KeyEnv = c.KeyEnv
	}
	if err := s.dirs.Remember(last); err != nil {
		slog.Warn("last used model not remembered", "err", err)
	}
}
