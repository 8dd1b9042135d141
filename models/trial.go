package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"forge/provider"
	"forge/provider/catalog"
	"forge/ui/lang"
)

// trialWait bounds the one request that a key is tried with.
const trialWait = time.Minute

// Try makes one small request with a key. What comes back is the way it would be used,
// and a doubt that is left, for a person; the error says why the key is not to be kept.
func (s *Source) Try(ctx context.Context, e catalog.Endpoint, model, key string) (c catalog.Choice, doubt string, err error) {
	m, err := s.trialModel(ctx, e, model, key)
	if err != nil {
		return c, "", untaken(e, err)
	}
	wire := e.Wire // the person's word for it now goes before what was said of another address
	c = s.Settle(catalog.Choice{Endpoint: e, Model: m, Key: key})
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
func (s *Source) trialModel(ctx context.Context, e catalog.Endpoint, id, key string) (provider.Model, error) {
	if id == "" && !e.Overridden {
		id = cmp.Or(e.DefaultModel, catalog.First(e.Models))
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
