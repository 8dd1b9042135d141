package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// A network is what connections over HTTP are made with.
type network struct {
	base http.RoundTripper // nil: the usual one, with the proxies of the environment
	// login gives the login of a server, nil where it needs none; nil: there are none.
	login func(server ServerConfig) (loginHandler, error)
}

// ErrLogin is a server that wants a login first.
type ErrLogin struct {
	Challenge Challenge
	Server    string // its name, where that is known
}

// Error implements error.
func (e *ErrLogin) Error() string {
	what := "a login"
	if e.Challenge.Status == http.StatusForbidden {
		what = "a login with more rights"
	}
	if e.Server != "" {
		return fmt.Sprintf("the server wants %s (HTTP %d); run forge mcp login %s", what, e.Challenge.Status, e.Server)
	}
	return fmt.Sprintf("the server wants %s (HTTP %d)", what, e.Challenge.Status)
}

// httpProbe is how long a server may take to answer server/discover over the
// network, where the way may be long.
const httpProbe = 10 * time.Second

// dialHTTP connects to a server at a URL: with server/discover, else with
// initialize, else in the way of 2024-11-05.
func (d *dialer) dialHTTP(ctx, life context.Context, era string) (Session, error) {
	if d.cfg.Type == "sse" {
		s, _, err := d.reach(ctx, life, true, "")
		return s, d.explain(err)
	}
	s, h, err := d.reach(ctx, life, false, era)
	if err != nil && era != "" && ctx.Err() == nil && h != nil && h.challenge() == nil {
		s, h, err = d.reach(ctx, life, false, "") // what was remembered holds no more
	}
	if err == nil || ctx.Err() != nil || h == nil || h.challenge() != nil {
		return s, d.explain(err)
	}
	switch h.initStatus() {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		s, _, oldErr := d.reach(ctx, life, true, "")
		if oldErr == nil {
			return s, nil
		}
	}
	return nil, d.explain(err)
}

func (d *dialer) reach(ctx, life context.Context, old bool, era string) (Session, *hub, error) {
	u, err := url.Parse(d.cfg.URL)
	if err != nil {
		return nil, nil, err
	}
	base := d.net.base
	if base == nil {
		base = http.DefaultTransport
	}
	w := newWire(d.trace, func(s string) { d.log.printf("forge: %s", s) })
	h := newHub(life, base, w, u, d.cfg.Headers, max(httpProbe, d.probe))
	h.old = old
	var login loginHandler
	if d.net.login != nil {
		if login, err = d.net.login(d.cfg); err != nil {
			return nil, nil, err
		}
	}
	if old { // for which the engine has no logins
		h.auth = login
	}
	h.login = login != nil
	e := ends{gone: h.why, lost: h.gone, end: h.stop}
	var s Session
	if old {
		s, err = connectSSE(ctx, h.life, engine(d.hooks, d.version), d.cfg.URL, h.client(), w, e)
	} else {
		s, err = connectHTTP(ctx, engine(d.hooks, d.version), d.cfg.URL, h.client(), w, login, era, e)
	}
	if err != nil {
		h.stop()
		if c := h.challenge(); c != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) && c.Status == http.StatusUnauthorized {
			err = &ErrLogin{Challenge: *c}
		}
	}
	return s, h, err
}
