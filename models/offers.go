package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"forge/agent/config"
	"forge/provider"
	"forge/provider/catalog"
	"forge/ui/lang"
)

// Offer is a model that somebody may choose.
type Offer struct {
	Model   provider.Model
	Wire    string
	Ready   bool   // a key is there, or the server answers
	KeyEnv  string // the variable its key is usually in; empty: none is
	Default bool   // the one its provider begins with
}

// listWait bounds a question about models: somebody waits for the list.
const listWait = 10 * time.Second

func (s *Source) list(ctx context.Context, e catalog.Endpoint, key string) ([]provider.Model, error) {
	return s.ListBy(ctx, s.asking, e, key)
}

// ListBy asks an endpoint for its models, with the headers and the key that the settings
// have for it. What a command is waited for is not the server's time.
func (s *Source) ListBy(ctx context.Context, client *http.Client, e catalog.Endpoint, key string) ([]provider.Model, error) {
	late := key == lateKey
	key, err := s.resolved(ctx, key)
	if err != nil {
		return nil, err
	}
	e = s.Wired(e)
	borrows := s.listsWith(e)
	if e, err = s.lateHeaded(ctx, e, borrows); err != nil {
		return nil, err
	}
	models, err := s.asks(ctx, client, e, key)
	var pe *provider.Error
	if errors.As(err, &pe) && pe.Kind == provider.KindAuth && (late || borrows) { // another provider's refusal says nothing of them
		s.keyed.forget()
	}
	return models, err
}

// peek is list where nobody is to wait for what is only good to know: no command runs for
// it, and what one gave goes along only where it is there.
func (s *Source) peek(ctx context.Context, e catalog.Endpoint, key string) ([]provider.Model, error) {
	s.keyed.mu.Lock()
	known, headers := s.keyed.key, maps.Clone(s.keyed.headers)
	s.keyed.mu.Unlock()
	if key == lateKey {
		key = known
	}
	e = s.Wired(e)
	borrows := s.listsWith(e)
	if e = s.headed(e, borrows); borrows {
		maps.Copy(e.Header, headers)
	}
	return s.asks(ctx, s.asking, e, key)
}

// asks asks for a list, with just this key and the headers of the endpoint.
func (s *Source) asks(ctx context.Context, client *http.Client, e catalog.Endpoint, key string) ([]provider.Model, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, listWait, fmt.Errorf(lang.T("no list of models from %s within %s"), provider.Address(e.BaseURL), listWait))
	defer cancel()
	models, err := catalog.ListRemote(ctx, client, e, key)
	if errors.Is(err, context.DeadlineExceeded) {
		err = context.Cause(ctx)
	}
	return models, err
}

// custom is the server whose address somebody wrote down, now or before, without a
// name the catalogue knows.
func (s *Source) custom(ctx context.Context) (catalog.Choice, bool) {
	w := catalog.Wish{BaseURL: s.o.Flag.BaseURL, KeyEnv: s.o.Flag.KeyEnv}
	if w.BaseURL == "" && s.cfg.Provider == "" {
		w = catalog.Wish{BaseURL: s.cfg.BaseURL, KeyEnv: s.keyEnv()}
	}
	if last := s.last(); w.BaseURL == "" && s.cfg.Provider == "" && last.Provider == "" {
		w = catalog.Wish{BaseURL: last.BaseURL, KeyEnv: cmp.Or(s.o.Flag.KeyEnv, last.KeyEnv)}
	}
	if w.BaseURL == "" || s.o.Flag.Provider != "" {
		return catalog.Choice{}, false
	}
	w.Model = "any" // the server is not asked which
	c, err := catalog.Choose(ctx, catalog.Inputs{Flag: w, Getenv: s.getenv, Stored: s.stored})
	c.Endpoint = s.Wired(c.Endpoint)
	return c, err == nil
}

// Usable lists the endpoints that can be used now, with their key.
func (s *Source) Usable(ctx context.Context) []catalog.Choice {
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

// Endpoint finds a usable endpoint by name.
func (s *Source) Endpoint(ctx context.Context, name string) (catalog.Choice, bool) {
	for _, c := range s.Usable(ctx) {
		if c.Endpoint.Name == name {
			return c, true
		}
	}
	return catalog.Choice{}, false
}

// Offers lists models for `forge models`: of one provider, or of all.
func (s *Source) Offers(ctx context.Context, name string) ([]Offer, error) {
	own := slices.ContainsFunc(s.dirs.Endpoints(), func(o config.Endpoint) bool { return o.Name == name })
	if name != "" && name != catalog.Custom && !own {
		e, ok := catalog.Find(name)
		if !ok {
			return nil, fmt.Errorf(lang.T("provider %q is unknown; forge models --all lists what there is"), name)
		}
		name = e.Name
	}
	ready := map[string]catalog.Choice{}
	endpoints := catalog.Endpoints()
	for _, c := range s.Usable(ctx) {
		ready[c.Endpoint.Name] = c
		if Unnamed(c.Endpoint.Name) {
			endpoints = append([]catalog.Endpoint{c.Endpoint}, endpoints...)
		}
	}
	var out []Offer
	for _, e := range endpoints {
		if name != "" && e.Name != name && (name != catalog.Custom || !Unnamed(e.Name)) {
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
			out = append(out, Offer{Model: m, Wire: e.Wire, Ready: usable, KeyEnv: env, Default: m.ID == e.DefaultModel})
		}
	}
	return out, nil
}
