package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A hub is what lies under the protocol engine where a server is reached over HTTP:
// it adds the configured headers, looks at every message in both directions, keeps
// the streams for the server's own messages open for as long as the session lasts,
// and turns what a server or a proxy in front of it may answer into the error of
// the one request it concerns.
type hub struct {
	base    http.RoundTripper
	wire    *wire
	origin  *url.URL
	headers map[string]string
	probe   time.Duration // for server/discover
	old     bool          // HTTP+SSE of 2024-11-05
	login   bool          // a login handler looks at 401 and 403
	auth    loginHandler  // where the engine has none of its own: HTTP+SSE; may be nil

	life context.Context // ends with the session
	stop context.CancelFunc

	mu     sync.Mutex
	lost   error
	gone   chan struct{} // closed with lost
	status int           // of the last answer to initialize
	wants  *Challenge
}

// Challenge is a server's demand for a login.
type Challenge struct {
	Status int
	Header string // WWW-Authenticate
}

func newHub(life context.Context, base http.RoundTripper, w *wire, origin *url.URL, headers map[string]string, probe time.Duration) *hub {
	h := &hub{base: base, wire: w, origin: origin, headers: headers, probe: probe, gone: make(chan struct{})}
	h.life, h.stop = context.WithCancel(life)
	return h
}

// client is an HTTP client over the hub. It follows no redirect to another host:
// headers and session would go to a stranger.
func (h *hub) client() *http.Client {
	return &http.Client{Transport: h, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if !sameHost(r.URL, h.origin) {
			return fmt.Errorf("it redirects to %s://%s; if that is right, use that address", r.URL.Scheme, r.URL.Host)
		}
		if len(via) > 5 {
			return errors.New("it redirects in circles")
		}
		return nil
	}}
}

// sameHost allows the same host and port, or the step from http to https.
func sameHost(a, b *url.URL) bool {
	return strings.EqualFold(a.Host, b.Host) && (a.Scheme == b.Scheme || a.Scheme == "https") ||
		a.Scheme == "https" && b.Scheme == "http" && strings.EqualFold(a.Hostname(), b.Hostname())
}

// lose gives the session up.
func (h *hub) lose(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost == nil {
		h.lost = err
		close(h.gone)
	}
}

// why tells why the session is gone; nil while it is not.
func (h *hub) why() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost
}

func (h *hub) challenge() *Challenge {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.wants
}

func (h *hub) initStatus() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.status
}

// RoundTrip implements http.RoundTripper.
func (h *hub) RoundTrip(r *http.Request) (*http.Response, error) {
	if !sameHost(r.URL, h.origin) {
		return nil, fmt.Errorf("the server points to another host, %s", r.URL.Host)
	}
	switch r.Method {
	case http.MethodPost:
		return h.post(r)
	case http.MethodGet:
		if h.old {
			return h.openOld(r)
		}
		if r.Header.Get("Last-Event-ID") != "" { // the rest of one call's stream
			resp, err := h.send(r, nil)
			if err == nil && resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream" {
				return h.stream(r, resp), nil
			}
			return resp, err
		}
		return h.forever(r, nil, head{}), nil
	}
	return h.send(r, nil)
}

// send sends a request with the configured headers. It ends with the session.
func (h *hub) send(r *http.Request, body []byte) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(h.life, cancel)
	done := func() { stop(); cancel() }
	r = r.Clone(ctx)
	if body != nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		r.GetBody = nil
	}
	for k, v := range h.headers {
		r.Header.Set(k, v)
	}
	resp, err := h.base.RoundTrip(r)
	if err != nil {
		done()
		return nil, unwrapNet(err)
	}
	resp.Body = &endingBody{resp.Body, done}
	return resp, nil
}

// endingBody ends a request's context when its body was read.
type endingBody struct {
	io.ReadCloser
	done func()
}

func (b *endingBody) Close() error {
	err := b.ReadCloser.Close()
	b.done()
	return err
}

// unwrapNet says what is behind a failed request in few words.
func unwrapNet(err error) error {
	var op *net.OpError
	var dns *net.DNSError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("the server closed the connection without an answer")
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("no host %s is found", dns.Name)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("nothing answers at %s (%w)", op.Addr, op.Err)
	}
	return err
}

// post sends a message and looks at what comes back.
func (h *hub) post(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	body = unnamed(body)
	m := h.wire.sent(r.Context(), body)
	defer h.wire.settled(m)
	h.route(r.Header, m)
	if m.Method == "subscriptions/listen" {
		return h.forever(r, body, m), nil
	}
	ctx := r.Context()
	if m.Method == "server/discover" && h.probe > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.probe)
		defer cancel() // its answer is read below, whole
	}
	resp, err := h.authorized(r.WithContext(ctx), body)
	if err == nil && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable) {
		resp, err = h.again(r.WithContext(ctx), body, m, resp)
	}
	if err != nil {
		h.wire.forget(m.id())
		if m.Method == "server/discover" && r.Context().Err() == nil && ctx.Err() != nil {
			return answer(r, failure(m.id(), -32601, "no answer to server/discover")), nil
		}
		return nil, err
	}
	if m.Method == "initialize" {
		h.mu.Lock()
		h.status = resp.StatusCode
		h.mu.Unlock()
	}
	if h.old {
		return h.postOld(resp, m)
	}
	return h.judge(r, resp, m), nil
}

// judge turns an answer into one the engine can use.
func (h *hub) judge(r *http.Request, resp *http.Response, m head) *http.Response {
	id := m.id()
	fail := func(code int, format string, args ...any) *http.Response {
		resp.Body.Close()
		if id == "" || m.Method == "" { // a notification or an answer of ours: nobody waits
			h.wire.warn(fmt.Sprintf(format, args...))
			return accepted(r)
		}
		return answer(r, h.wire.failed(id, m.Method, code, fmt.Sprintf(format, args...)))
	}
	code := resp.StatusCode
	if code == http.StatusUnauthorized || code == http.StatusForbidden {
		legible(resp)
		h.mu.Lock()
		h.wants = &Challenge{Status: code, Header: resp.Header.Get("WWW-Authenticate")}
		h.mu.Unlock()
		if h.login {
			h.wire.forget(id)
			return resp
		}
		if code == http.StatusUnauthorized {
			return fail(codeLogin, "%s", resp.Header.Get("WWW-Authenticate"))
		}
	}
	kind := mediaType(resp)
	switch {
	case code == http.StatusSeeOther && resp.Header.Get("Location") != "":
		return fail(codeBroken, "the server answered %s with a page to look at, %s, not with a protocol message", m.Method, clip(clean(resp.Header.Get("Location")), 200))
	case code >= 300 && code < 400 && resp.Header.Get("Location") != "":
		if code == http.StatusMovedPermanently || code == http.StatusFound {
			resp.StatusCode = http.StatusTemporaryRedirect // else the client would ask there for a page
		}
		h.wire.forget(id)
		return resp // the client above follows it, or does not
	case code == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != "":
		h.lose(errors.New("the server has forgotten the session"))
		return fail(codeLost, "the server has forgotten the session")
	case code == http.StatusOK && kind == "text/event-stream":
		return h.stream(r, resp)
	case code >= 200 && code < 300 && (id == "" || m.Method == ""):
		resp.Body.Close()
		ok := accepted(r)
		copySession(ok, resp)
		return ok
	case code == http.StatusAccepted, code == http.StatusNoContent:
		return fail(codeBroken, "the server accepted %s and does not answer it (HTTP %d)", m.Method, code)
	}
	body, over, err := readLimited(resp.Body)
	switch {
	case err != nil && r.Context().Err() != nil:
		return fail(codeBroken, "cancelled")
	case err != nil:
		return fail(codeBroken, "the server's answer broke off: %v", err)
	case over > 0:
		resp.Body.Close()
		return answer(r, h.wire.oversize(id, over, maxFrame)...)
	}
	if code == http.StatusBadRequest && r.Header.Get("Mcp-Session-Id") != "" && forgotten(body) {
		h.lose(errors.New("the server has forgotten the session"))
		return fail(codeLost, "the server has forgotten the session")
	}
	if kind == "application/json" || bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		if frames := h.wire.received(addressed(body, code, m)); len(frames) > 0 {
			resp.Body.Close()
			ok := answer(r, frames...)
			copySession(ok, resp)
			return ok
		}
	}
	what := fmt.Sprintf("HTTP %d %s: ", code, http.StatusText(code))
	if code == http.StatusOK {
		what = ""
	}
	if t := summary(body, kind); t != "" {
		return fail(codeBroken, "%sthe server answered %s with %s, not with a protocol message: %s", what, m.Method, orText(kind), t)
	}
	return fail(codeBroken, "%sthe server answered %s with nothing", what, m.Method)
}

// forgotten says whether an error is what servers that are made after the examples of
// the TypeScript SDK answer to a session they do not know, where the protocol wants
// a 404.
func forgotten(body []byte) bool {
	var e struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	return json.Unmarshal(body, &e) == nil && strings.Contains(strings.ToLower(e.Error.Message), "session")
}

// addressed gives an error the id of the request it answers, which some servers do
// not repeat.
func addressed(body []byte, code int, m head) []byte {
	var e head
	if code < 400 || json.Unmarshal(body, &e) != nil || e.Version != "2.0" || e.Error == nil || e.id() == m.id() {
		return body
	}
	e.ID = m.ID
	return encode(e)
}

func orText(kind string) string {
	if kind == "" {
		return "text"
	}
	return kind
}

// summary is the first words of a page or a text.
func summary(body []byte, kind string) string {
	s := string(body[:min(len(body), 64<<10)])
	if strings.Contains(kind, "html") {
		lower := strings.ToLower(s)
		if i, j := strings.Index(lower, "<title>"), strings.Index(lower, "</title>"); i >= 0 && j > i {
			s = s[i+len("<title>") : j]
		}
	}
	return clip(strings.Join(strings.Fields(clean(s)), " "), 200)
}

func mediaType(resp *http.Response) string {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// readLimited reads a body whole. One over the limit is read to its end without
// being kept; over is its size.
func readLimited(r io.ReadCloser) (body []byte, over int64, err error) {
	defer r.Close()
	body, err = io.ReadAll(io.LimitReader(r, maxFrame+1))
	if err != nil || len(body) <= maxFrame {
		return body, 0, err
	}
	n := int64(len(body))
	rest, err := io.Copy(io.Discard, io.LimitReader(r, 4*maxFrame)) // so that the connection can be used again
	return nil, n + rest, err
}

// again sends a request once more that a busy server put off, where that does no
// harm and the wait is short.
func (h *hub) again(r *http.Request, body []byte, m head, resp *http.Response) (*http.Response, error) {
	wait, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || wait < 0 || wait > 5 || m.Method == "tools/call" || m.Method == "" {
		return resp, nil
	}
	resp.Body.Close()
	t := time.NewTimer(time.Duration(wait) * time.Second)
	defer t.Stop()
	select {
	case <-t.C:
		return h.send(r, body)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}
