package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"forge/agent/config"
	"forge/provider"
	"forge/provider/catalog"
	"forge/ui/lang"
)

// trialWait bounds the one request that a key is tried with.
const trialWait = time.Minute

// try makes one small request with a key. What comes back is the way it would be used,
// and a doubt that is left, for a person; the error says why the key is not to be kept.
func (s *speech) try(ctx context.Context, e catalog.Endpoint, model, key string) (c catalog.Choice, doubt string, err error) {
	m, err := s.trialModel(ctx, e, model, key)
	if err != nil {
		return c, "", untaken(e, err)
	}
	wire := e.Wire // the person's word for it now goes before what was said of another address
	c = s.settle(catalog.Choice{Endpoint: e, Model: m, Key: key})
	c.Endpoint.Wire = wire
	p, err := s.once(c)
	if err != nil {
		return c, "", err
	}
	ctx, cancel := context.WithTimeout(ctx, trialWait)
	defer cancel()
	_, err = provider.Collect(p.Stream(ctx, provider.Request{Model: m.ID, Messages: []provider.Message{provider.UserText("Reply with: ok")}, MaxTokens: 512}), nil)
	var pe *provider.Error
	switch {
	case err == nil:
		return c, "", nil
	case !errors.As(err, &pe):
	case pe.ModelMissing():
		return c, lang.T("the key is taken, but %s has no model %s: choose another", e.Title, m.ID), nil
	case pe.Kind == provider.KindRate, pe.Kind == provider.KindQuota:
		return c, lang.T("the key is taken, but %s does not answer now: %s", e.Title, lang.Said(pe.Error())), nil
	}
	return c, "", untaken(e, err)
}

// untaken says in plain words why a key was not taken.
func untaken(e catalog.Endpoint, err error) error {
	var pe *provider.Error
	switch {
	case errors.As(err, &pe) && pe.Kind == provider.KindAuth:
		return fmt.Errorf(lang.T("%s refuses this key: %w"), e.Title, err)
	case errors.As(err, &pe) && pe.Kind != provider.KindNetwork:
		return err
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf(lang.T("%s cannot be reached, so the key could not be tried: %w"), e.Title, err)
}

// trialModel is the model a key is tried with, which is the one it begins with too.
func (s *speech) trialModel(ctx context.Context, e catalog.Endpoint, id, key string) (provider.Model, error) {
	if id == "" && !e.Overridden {
		id = firstText(e.DefaultModel, catalog.First(e.Models))
	}
	if id == "" {
		models, err := s.list(ctx, e, key)
		var pe *provider.Error
		if errors.As(err, &pe) && pe.Kind == provider.KindAuth {
			return provider.Model{}, err
		}
		if err != nil {
			return provider.Model{}, fmt.Errorf(lang.T("which model at %s? asking it failed (%w): name one"), provider.Address(e.BaseURL), err)
		}
		e.Models = models
		id = catalog.First(models)
	}
	if id == "" {
		return provider.Model{}, fmt.Errorf(lang.T("%s has no default model: name one"), e.Title)
	}
	if m, ok := e.Model(id); ok {
		return m, nil
	}
	return provider.Model{Provider: e.Name, ID: id, Name: id}, nil
}

// at is the endpoint at an address that has no name in the catalogue, under the name it
// is shown by: its host, and its path where another one of that host is kept.
func (s *speech) at(base, wire string) (catalog.Endpoint, error) {
	e, err := catalog.At(base, wire)
	if err != nil {
		return e, err
	}
	u, err := url.Parse(e.BaseURL)
	if err != nil {
		return e, err
	}
	e.Name, e.Title = u.Host, u.Host
	for _, o := range s.dirs.Endpoints() {
		if o.Name == e.Name && o.BaseURL != e.BaseURL {
			e.Name = u.Host + strings.TrimSuffix(u.Path, "/")
			e.Title = e.Name
		}
	}
	return e, nil
}

// keep stores a key and, of an endpoint without a name in the catalogue, its address. It
// says where the key is.
func (s *speech) keep(e catalog.Endpoint, key string) (where string, err error) {
	if key != "" {
		if where, err = s.dirs.Secrets().Set(e.KeyName(), key); err != nil {
			return "", fmt.Errorf(lang.T("the key works, but could not be kept: %w"), err)
		}
	}
	if unnamed(e.Name) {
		err = s.dirs.KeepEndpoint(config.Endpoint{Name: e.Name, BaseURL: e.BaseURL, Wire: e.Wire})
	}
	return where, err
}

// forget removes what is kept of an endpoint, and reports whether there was anything.
func (s *speech) forget(e catalog.Endpoint) (there bool, err error) {
	keys := s.dirs.Secrets()
	there = keys.Where(e.KeyName()) != ""
	if err := keys.Delete(e.KeyName()); err != nil {
		return there, err
	}
	if !unnamed(e.Name) {
		return there, nil
	}
	if last := s.dirs.LastUsed(); sameURL(last.BaseURL, e.BaseURL) {
		err = s.dirs.Remember(config.LastUsed{})
	}
	return true, errors.Join(err, s.dirs.ForgetEndpoint(e.BaseURL))
}

// login is an endpoint that takes a key, and where its key is.
type login struct {
	endpoint catalog.Endpoint
	env      string // the variable that holds a key; empty: none does
	kept     string // config.Secrets.Where
	own      bool   // the person logged in at its address
	setting  bool   // the setting api_key says where its key is
}

// from says where the key comes from; empty: there is none.
func (l login) from() string {
	switch {
	case l.env != "":
		return lang.T("from the environment: %s", l.env)
	case l.setting:
		return lang.T("from the setting %s", keySetting)
	case l.kept == "keyring":
		return lang.T("kept in the system's keyring")
	case l.kept != "":
		return lang.T("kept in %s", shorten(l.kept))
	case l.own:
		return lang.T("without a key")
	}
	return ""
}

// logins lists every endpoint that takes a key, those of the person's own addresses first.
// It asks no keyring and no server.
func (s *speech) logins() []login {
	var out []login
	keys := s.dirs.Secrets()
	for _, o := range s.dirs.Endpoints() {
		if e, err := catalog.At(o.BaseURL, o.Wire); err == nil {
			e.Name, e.Title = o.Name, o.Name
			out = append(out, login{endpoint: e, kept: keys.Where(e.KeyName()), own: true, setting: s.keyEnv() == keySetting && sameURL(s.cfg.BaseURL, e.BaseURL)})
		}
	}
	for _, e := range catalog.Endpoints() {
		if e.Local || len(e.KeyEnv) == 0 {
			continue
		}
		e = e.WithEnv(os.Getenv)
		_, env := e.Key(os.Getenv)
		out = append(out, login{endpoint: e, env: env, kept: keys.Where(e.KeyName()), setting: s.keyEnv() == keySetting && s.keyIsOf(e)})
	}
	return out
}

// loginOf finds the endpoint of a name, an alias or an address of the person's own.
func (s *speech) loginOf(name string) (login, error) {
	if e, ok := catalog.Find(name); ok {
		name = e.Name
	}
	for _, l := range s.logins() {
		if l.endpoint.Name == name || l.own && sameURL(l.endpoint.BaseURL, name) {
			return l, nil
		}
	}
	if e, ok := catalog.Find(name); ok {
		return login{}, fmt.Errorf(lang.T("%s runs on this machine and takes no key"), e.Title)
	}
	if near := catalog.Near(name); near != "" {
		return login{}, fmt.Errorf(lang.T("no provider %q: did you mean %s?"), name, near)
	}
	return login{}, unknownProvider(name)
}

// unknownProvider is a name that no provider has; what it says is said in a shell.
type unknownProvider string

func (u unknownProvider) Error() string {
	return lang.T("no provider %q: forge login --list names all; another endpoint goes with --base-url", string(u))
}

// unnamed reports whether a provider is a server known by its address alone.
func unnamed(name string) bool {
	_, known := catalog.Find(name)
	return !known
}
