package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"forge/provider"
)

// DefaultBaseURL is the vendor's own endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

// maxTries bounds the tries of one request. Each is corrected by what the last
// refusal named, and no server was seen to have more than three objections.
const maxTries = 4

// Options describe one endpoint.
type Options struct {
	Name    string        // the endpoint's name in the catalogue; may be empty
	BaseURL string        // usually ends in /v1; empty: DefaultBaseURL
	Key     string        // empty: none is sent
	KeyEnv  string        // the variable the key came from, for hints
	Header  http.Header   // sent with every request, before ours of the same name
	Client  *http.Client  // nil: http.DefaultClient
	Idle    time.Duration // as in provider.Call
	Payload time.Duration // as in provider.Call

	// Window returns the context of model in tokens, 0 where that is not known. It
	// may be nil. Servers that must be told how much to reserve are told.
	Window func(model string) int
}

// New returns the provider of an endpoint. What it learns of the endpoint's models
// from refusals lives as long as it.
func New(o Options) provider.Provider {
	w := &endpoint{Options: o, srv: serverFor(o.Name, o.BaseURL), models: map[string]*state{}}
	w.url = chatURL(o.BaseURL)
	if u, err := url.Parse(strings.TrimSpace(o.BaseURL)); err == nil && u.Host != "" && strings.Trim(u.Path, "/") == "" {
		w.other = chatURL(u.JoinPath("v1").String())
	}
	return w
}

type endpoint struct {
	Options
	srv server

	mu     sync.Mutex
	url    string // where requests go
	other  string // where they go if nothing is there: people leave the /v1 out; empty: nowhere
	models map[string]*state
}

// state is what an endpoint taught about one of its models. It is safe for
// goroutines.
type state struct {
	quirks provider.Quirks

	mu       sync.Mutex
	noImages bool
	told     bool // that the model does not think beside tools here
	fewer    bool // told that tools are left out
}

func (s *state) blind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.noImages
}

// once sets a flag and reports whether that is new.
func (s *state) once(flag *bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := *flag
	*flag = true
	return !was
}

// chatURL is where requests are posted, however much of the address the person
// gave. A query stays behind it (Azure's api-version).
func chatURL(base string) string {
	base = strings.TrimSpace(base)
	if base == "" {
		base = DefaultBaseURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return base // the call says what is wrong with it
	}
	path := strings.TrimRight(u.Path, "/")
	if !strings.HasSuffix(path, "/chat/completions") {
		path += "/chat/completions"
	}
	u.Path, u.RawPath = path, ""
	return u.String()
}

// move turns to the other address where nothing is at this one. It returns a line
// for a person, "" where there is no other.
func (w *endpoint) move(err error) string {
	var e *provider.Error
	if !errors.As(err, &e) || !e.WrongAddress() {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.other == "" {
		return ""
	}
	w.url, w.other = w.other, ""
	return "nothing answers at the base URL: forge calls it with /v1 from now on"
}

func (w *endpoint) address() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.url
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

// Stream implements provider.Provider. A refusal that names its cause leads to a
// corrected try, told by a Notice and remembered for the model.
func (w *endpoint) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		s := w.state(req.Model)
		e := &encoder{req: req, srv: w.srv, state: s, quirks: &s.quirks}
		if w.Window != nil {
			e.window = w.Window(req.Model)
		}
		body := e.encode()
		for try := 1; ; try++ {
			began, err := w.try(ctx, e, body, yield)
			if err == nil {
				return
			}
			note, moved := "", false
			if !began && ctx.Err() == nil && try < maxTries {
				if note = w.move(err); note != "" {
					moved = true
				} else {
					note = s.correct(err, e.pixels > 0)
				}
			}
			if note != "" && !moved {
				refused := body
				e.out = nil // the connection may still be reading the old one
				if body = e.encode(); bytes.Equal(refused, body) {
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

// correct learns from a refusal. It returns what will be done about it, in one
// line for a person; "" says that another try would fail the same way. images says
// that the request holds some that could be left out.
func (s *state) correct(err error, images bool) string {
	var refusal *provider.Error
	if !errors.As(err, &refusal) || refusal.Kind != provider.KindInvalid {
		return ""
	}
	if images && refusal.AboutImages() && s.once(&s.noImages) {
		return "the model does not accept images: forge leaves them out from now on"
	}
	if changed, note := s.quirks.Learn(refusal); changed {
		return note
	}
	return ""
}

// try makes one call. began says that the reply said something, after which
// nothing can be corrected any more; a consumer that left is no error.
func (w *endpoint) try(ctx context.Context, e *encoder, body []byte, yield func(provider.Event, error) bool) (began bool, err error) {
	if e.silenced && e.state.once(&e.state.told) {
		if !yield(provider.Notice{Text: e.req.Model + " does not think while it has tools on this endpoint: the effort is not sent (OpenRouter has it with both)"}, nil) {
			return true, nil
		}
	}
	if e.dropped > 0 && e.state.once(&e.state.fewer) {
		if !yield(provider.Notice{Text: fmt.Sprintf("this server takes %d tools: %d are left out", e.srv.tools, e.dropped)}, nil) {
			return true, nil
		}
	}
	if !yield(provider.Phase{Waiting: provider.WaitConnect}, nil) {
		return true, nil
	}
	reply, err := provider.Post(ctx, provider.Call{
		Client: w.Client, URL: w.address(), Header: w.header(), Body: body, Idle: w.Idle, Payload: w.Payload, KeyEnv: w.KeyEnv,
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
	opts := DecodeOptions{Origin: e.serverOrigin() + e.req.Model, Grace: DefaultGrace}
	for ev, err := range Decode(reply, opts) {
		if err != nil {
			return began, err
		}
		if !began {
			switch ev := ev.(type) {
			case provider.Start:
				start = ev
				continue
			case provider.Stop:
				if ev.Reason == provider.StopError {
					continue
				}
			}
			began = true
			if !yield(provider.Phase{Waiting: provider.WaitStream}, nil) || start != nil && !yield(start, nil) {
				return true, nil
			}
		}
		if stop, ok := ev.(provider.Stop); ok && e.srv.local && truncated(e.req, stop.Usage) {
			if !yield(provider.Notice{Text: truncationNote}, nil) {
				return true, nil
			}
		}
		if !yield(ev, nil) {
			return true, nil
		}
	}
	return true, nil
}

func (w *endpoint) header() http.Header {
	h := http.Header{}
	h.Set("Accept", "text/event-stream")
	if w.Key != "" {
		if w.srv.apiKey {
			h.Set("Api-Key", w.Key)
		} else {
			h.Set("Authorization", "Bearer "+w.Key)
		}
	}
	for k, v := range w.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	return h
}
