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
	"slices"
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

// listWait bounds a question about models: somebody waits for the list.
const listWait = 10 * time.Second

func (s *speech) list(ctx context.Context, e catalog.Endpoint, key string) ([]provider.Model, error) {
	return s.listBy(ctx, s.asking, e, key)
}

// listBy asks an endpoint for its models, with the headers and the key that the settings
// have for it. What a command is waited for is not the server's time.
func (s *speech) listBy(ctx context.Context, client *http.Client, e catalog.Endpoint, key string) ([]provider.Model, error) {
	key, err := s.resolved(ctx, key)
	if err != nil {
		return nil, err
	}
	e = s.wired(e)
	if e, err = s.lateHeaded(ctx, e, s.listsWith(e)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, listWait, fmt.Errorf(lang.T("no list of models from %s within %s"), provider.Address(e.BaseURL), listWait))
	defer cancel()
	models, err := catalog.ListRemote(ctx, client, e, key)
	var pe *provider.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = context.Cause(ctx)
	case errors.As(err, &pe) && pe.Kind == provider.KindAuth:
		s.keyed.forget()
	}
	return models, err
}

// custom is the server whose address somebody wrote down, now or before, without a
// name the catalogue knows.
func (s *speech) custom(ctx context.Context) (catalog.Choice, bool) {
	w := catalog.Wish{BaseURL: s.flags.BaseURL, KeyEnv: s.flags.KeyEnv}
	if w.BaseURL == "" && s.cfg.Provider == "" {
		w = catalog.Wish{BaseURL: s.cfg.BaseURL, KeyEnv: s.keyEnv()}
	}
	if last := s.last(); w.BaseURL == "" && s.cfg.Provider == "" && last.Provider == "" {
		w = catalog.Wish{BaseURL: last.BaseURL, KeyEnv: firstText(s.flags.KeyEnv, last.KeyEnv)}
	}
	if w.BaseURL == "" || s.flags.Provider != "" {
		return catalog.Choice{}, false
	}
	w.Model = "any" // the server is not asked which
	c, err := catalog.Choose(ctx, catalog.Inputs{Flag: w, Getenv: s.getenv, Stored: s.stored})
	c.Endpoint = s.wired(c.Endpoint)
	return c, err == nil
}

// usable lists the endpoints that can be used now, with their key.
func (s *speech) usable(ctx context.Context) []catalog.Choice {
	var out []catalog.Choice
	if c, ok := s.custom(ctx); ok {
		out = append(out, c)
	}
	for _, o := range s.dirs.Endpoints() {
		e, err := catalog.At(o.BaseURL, o.Wire)
		if err != nil || len(out) > 0 && sameURL(out[0].Endpoint.BaseURL, e.BaseURL) {
			continue
		}
		e.Name, e.Title = o.Name, o.Name
		out = append(out, catalog.Choice{Endpoint: e, Key: s.stored(e.KeyName())})
	}
	for _, e := range catalog.Endpoints() {
		if e.Local {
			continue
		}
		e = e.WithEnv(os.Getenv)
		key, env := e.Key(os.Getenv)
		if key == "" && s.keyIsOf(e) {
			key, env = strings.TrimSpace(s.getenv(s.keyEnv())), s.keyEnv()
		}
		if key == "" {
			key = s.stored(e.Name)
		}
		if key != "" {
			out = append(out, catalog.Choice{Endpoint: e, Key: key, KeyEnv: env})
		}
	}
	for _, f := range s.local(ctx) {
		out = append(out, catalog.Choice{Endpoint: f.Endpoint})
	}
	return out
}

// endpoint finds a usable endpoint by name.
func (s *speech) endpoint(ctx context.Context, name string) (catalog.Choice, bool) {
	for _, c := range s.usable(ctx) {
		if c.Endpoint.Name == name {
			return c, true
		}
	}
	return catalog.Choice{}, false
}

// offers lists models for `forge models`: of one provider, or of all.
func (s *speech) offers(ctx context.Context, name string) ([]cli.Offer, error) {
	own := slices.ContainsFunc(s.dirs.Endpoints(), func(o config.Endpoint) bool { return o.Name == name })
	if name != "" && name != cli.Custom && !own {
		e, ok := catalog.Find(name)
		if !ok {
			return nil, fmt.Errorf(lang.T("provider %q is unknown; forge models --all lists what there is"), name)
		}
		name = e.Name
	}
	ready := map[string]catalog.Choice{}
	endpoints := catalog.Endpoints()
	for _, c := range s.usable(ctx) {
		ready[c.Endpoint.Name] = c
		if unnamed(c.Endpoint.Name) {
			endpoints = append([]catalog.Endpoint{c.Endpoint}, endpoints...)
		}
	}
	var out []cli.Offer
	for _, e := range endpoints {
		if name != "" && e.Name != name && (name != cli.Custom || !unnamed(e.Name)) {
			continue
		}
		c, usable := ready[e.Name]
		if usable {
			e = c.Endpoint
		}
		models := e.Models
		if usable && (len(models) == 0 || e.Overridden) {
			listed, err := s.list(ctx, e, c.Key)
			switch {
			case err == nil:
				models = listed
			case name != "":
				return nil, err
			default: // one of many: the others are worth seeing
				slog.Warn("models not listed", "provider", e.Name, "err", err)
			}
		}
		env := ""
		if len(e.KeyEnv) > 0 {
			env = e.KeyEnv[0]
		}
		for _, m := range models {
			out = append(out, cli.Offer{Model: m, Wire: e.Wire, Ready: usable, KeyEnv: env, Default: m.ID == e.DefaultModel})
		}
	}
	return out, nil
}
