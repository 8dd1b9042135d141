// Package anthropic speaks the messages wire: Anthropic's own and that of the many
// servers that copy it (DeepSeek, Kimi, Z.ai, MiniMax, OpenRouter, llama.cpp, vLLM).
//
// It owns the translation and nothing else: a provider.Request becomes a body
// (filter and turns shape the history; encode writes it, with think, schema, cache
// and ids), a reply becomes provider.Events (decode, with blocks, opaque, usage and
// stop; plain for what is no stream), and a refusal that names its cause becomes
// one corrected try (correct). What a model is known to need stands in family. The HTTP call, error
// kinds, retries and assembly are provider's. main makes one Provider per
// endpoint; the agent calls it from any goroutine.
package anthropic

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"forge/lazy"
	"forge/provider"
)

// DefaultBaseURL is the vendor's own endpoint.
const DefaultBaseURL = "https://api.anthropic.com"

// version is the wire's, a date that has not moved since the wire exists.
const version = "2023-06-01"

// Options describe one endpoint.
type Options struct {
	BaseURL string      // with or without /v1; empty: DefaultBaseURL
	Key     string      // empty: none is sent
	KeyEnv  string      // the variable the key came from, for hints
	Bearer  bool        // the key goes into Authorization: Bearer instead of x-api-key
	Header  http.Header // sent with every request; anthropic-beta is added to, others replace
	Client  *http.Client
	Idle    time.Duration // as in provider.Call
	Payload time.Duration // as in provider.Call
	NoCache bool          // set no cache marks

	// MaxOutput returns the most tokens model can write, 0 where that is not known.
	// It may be nil.
	MaxOutput func(model string) int
}

// New returns the provider of an endpoint. What it learns of the endpoint's models
// from refusals lives as long as it.
func New(o Options) provider.Provider {
	w := &endpoint{Options: o, models: map[string]*state{}}
	w.url, w.official = messagesURL(o.BaseURL)
	return w
}

type endpoint struct {
	Options
	url      string
	official bool

	mu     sync.Mutex
	models map[string]*state
}

var versioned = lazy.Regexp{Expr: `/v\d+[a-z0-9]*$`}

// messagesURL is where messages are posted, however much of the address the
// person gave. official says that it is the vendor's own host.
func messagesURL(base string) (address string, official bool) {
	base = strings.TrimSpace(base)
	if base == "" {
		base = DefaultBaseURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return base, false // the call says what is wrong with it
	}
	path := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, "/messages"):
	case versioned.Get().MatchString(path):
		path += "/messages"
	default:
		path += "/v1/messages"
	}
	u.Path, u.RawPath = path, ""
	return u.String(), strings.EqualFold(u.Hostname(), "api.anthropic.com")
}

func (w *endpoint) state(model string) *state {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.models[model]
	if s == nil {
		s = &state{}
		w.models[model] = s
	}
	return s
}

// Stream implements provider.Provider.
func (w *endpoint) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		e := w.encoder(req)
		body, err := e.encode()
		if err != nil {
			yield(nil, err)
			return
		}
		for range maxTries {
			began, err := w.try(ctx, e, body, yield)
			if err == nil {
				return
			}
			note := ""
			if !began && ctx.Err() == nil {
				note = e.correct(err)
			}
			if note != "" {
				refused := body
				if body, _ = e.encode(); bytes.Equal(refused, body) { // what was encoded once is again
					note = "" // what was learned is no part of this request: it would be refused again
				}
			}
			if note == "" {
				yield(nil, err)
				return
			}
			if !yield(provider.Notice{Text: note}, nil) {
				return
			}
		}
	}
}

// maxTries bounds the tries of one request: every correction is made once, and no
// server was seen to have more than two objections.
const maxTries = 5

func (w *endpoint) encoder(req provider.Request) *encoder {
	s := w.state(req.Model)
	e := &encoder{
		req: req, family: familyOf(req.Model), state: s, quirks: &s.quirks, official: w.official, noCache: w.NoCache,
	}
	if w.MaxOutput != nil {
		e.maxOutput = w.MaxOutput(req.Model)
	}
	return e
}

// try makes one call. began says that the reply said something, after which no
// correction is possible; an error is for the caller to yield. A caller that left
// the range is no error.
func (w *endpoint) try(ctx context.Context, e *encoder, body []byte, yield func(provider.Event, error) bool) (began bool, err error) {
	if !yield(provider.Phase{Waiting: provider.WaitConnect}, nil) {
		return true, nil
	}
	reply, err := provider.Post(ctx, provider.Call{
		Client: w.Client, URL: w.url, Header: w.header(e), Body: body, Idle: w.Idle, Payload: w.Payload, KeyEnv: w.KeyEnv,
	})
	if err != nil {
		return false, err
	}
	defer reply.Close()
	if !yield(provider.Phase{Waiting: provider.WaitFirstByte}, nil) {
		return true, nil
	}
	// Start waits for the next event: an error right behind it may be corrected, and
	// then nothing of this reply was ever there.
	var start provider.Event
	for ev, err := range Decode(reply, Origin(e.req.Model)) {
		if err != nil {
			return began, err
		}
		if !began {
			if _, ok := ev.(provider.Start); ok {
				start = ev
				continue
			}
			if stop, ok := ev.(provider.Stop); ok && stop.Reason == provider.StopError {
				continue
			}
			began = true
			if !yield(provider.Phase{Waiting: provider.WaitStream}, nil) || start != nil && !yield(start, nil) {
				return true, nil
			}
		}
		if !yield(ev, nil) {
			return true, nil
		}
	}
	return true, nil
}

// header is sent with every call. Betas are asked for at the vendor's own host
// only: others refuse what they do not know.
func (w *endpoint) header(e *encoder) http.Header {
	h := http.Header{}
	h.Set("Anthropic-Version", version)
	h.Set("Accept", "text/event-stream")
	if w.Key != "" {
		if w.Bearer {
			h.Set("Authorization", "Bearer "+w.Key)
		} else {
			h.Set("X-Api-Key", w.Key)
		}
	}
	var betas []string
	for k, v := range w.Header {
		if k = http.CanonicalHeaderKey(k); k == "Anthropic-Beta" {
			betas = append(betas, v...)
			continue
		}
		h[k] = v
	}
	if w.official {
		if e.family.think == manual {
			betas = append(betas, "interleaved-thinking-2025-05-14")
		}
		if _, ok := e.blockBinding(); ok {
			betas = append(betas, "thinking-binding-controls-2026-08-01")
		}
	}
	if len(betas) > 0 {
		h.Set("Anthropic-Beta", strings.Join(betas, ","))
	}
	return h
}
