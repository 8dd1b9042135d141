package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Path is where a Service answers over HTTP.
const Path = "/mcp"

const (
	bodyTime    = 30 * time.Second // in which a request must have come in whole
	sessionIdle = 30 * time.Minute // after which a session of the older era is forgotten
	minToken    = 16               // characters of a token that guards more than this machine
	shutTime    = time.Second      // in which calls may end when serving does
)

// NewToken returns a token nobody can guess.
func NewToken() string { return rand.Text() }

// Listen opens the address to serve HTTP on: HOST:PORT, or a port alone, which is
// one of this machine only. An address that others can reach needs a token of the
// person's own: one that was made up and printed is too easily shared.
func Listen(addr, token string) (net.Listener, error) {
	if !strings.Contains(addr, ":") {
		addr = ":" + addr
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("serve on %s: %w; give HOST:PORT or a port", addr, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	at, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("serve on %s: %w", addr, err)
	}
	if !at.IP.IsLoopback() && len(token) < minToken {
		return nil, fmt.Errorf("serve on %s: other machines can reach it; set FORGE_MCP_TOKEN to a secret of %d characters or more, or serve on 127.0.0.1", addr, minToken)
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("serve on %s: %w", addr, err)
	}
	return l, nil
}

// ServeHTTP answers clients on l until ctx ends; it closes l. token is what they
// must show as a bearer token.
func (s *Service) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	if token == "" {
		l.Close()
		return errors.New("serve over HTTP: a token is needed")
	}
	at, _ := l.Addr().(*net.TCPAddr)
	// Calls outlive neither their request nor ctx.
	srv := &http.Server{
		Handler:           s.guarded(token, at == nil || !at.IP.IsLoopback()),
		ReadHeaderTimeout: bodyTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				ended <- fmt.Errorf("serving crashed: %v", v)
			}
		}()
		ended <- srv.Serve(l)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutTime)
	defer cancel()
	if srv.Shutdown(last) != nil { // a stream is open as long as its client likes
		srv.Close()
	}
	<-ended
	return nil
}

// guarded is the way to the engine: who does not come from here, or does not show
// the token, is not heard. open says that other machines can reach us.
func (s *Service) guarded(token string, open bool) http.Handler {
	next := s.engine.handler(sessionIdle)
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deny := func(code int, why string) {
			s.log.Warn("request refused", "from", r.RemoteAddr, "status", code, "why", why)
			http.Error(w, why, code)
		}
		if why := foreign(r, open); why != "" {
			deny(http.StatusForbidden, why)
			return
		}
		if token != "" {
			scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			got := sha256.Sum256([]byte(strings.TrimSpace(shown)))
			if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
				w.Header().Set("WWW-Authenticate", `Bearer realm="forge"`)
				deny(http.StatusUnauthorized, "show the token forge mcp serve printed: Authorization: Bearer …")
				return
			}
		}
		if r.URL.Path != Path {
			deny(http.StatusNotFound, "tools are served at "+Path)
			return
		}
		// The engine reads a body without a limit of time.
		rc := http.NewResponseController(w)
		_ = rc.SetReadDeadline(time.Now().Add(bodyTime)) // where it cannot be set, there is none
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			deny(http.StatusRequestEntityTooLarge, fmt.Sprintf("a message may have %d bytes", maxRequest))
			return
		case err != nil:
			deny(http.StatusBadRequest, "the request did not come in whole")
			return
		}
		_ = rc.SetReadDeadline(time.Time{})
		if !plainIDs(body) { // the engine would cut a fraction off
			deny(http.StatusBadRequest, "the id of a request is a text or a whole number")
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// plainIDs says whether all requests of a body have ids that can be answered to.
func plainIDs(body []byte) bool {
	type request struct {
		Method json.RawMessage `json:"method"`
		ID     json.RawMessage `json:"id"`
	}
	var all []request
	var one request
	if json.Unmarshal(body, &one) == nil {
		all = []request{one}
	} else if json.Unmarshal(body, &all) != nil {
		return true // the engine says what is wrong with it
	}
	for _, r := range all {
		if r.Method != nil && r.ID != nil && plainID(r.ID) == "" {
			return false
		}
	}
	return true
}

// foreign says why a request must not be heard for where it comes from: a page in a
// browser may ask anything of this machine, under a name of its own for it.
func foreign(r *http.Request, open bool) string {
	if !open && !thisMachine(r.Host) {
		return fmt.Sprintf("the Host header %q is not this machine", clip(r.Host, 100))
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) && (open || !thisMachine(u.Host)) {
			return fmt.Sprintf("the Origin header %q is another site's", clip(origin, 100))
		}
	}
	return ""
}

// thisMachine says whether a host, with or without a port, names this machine alone.
func thisMachine(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
