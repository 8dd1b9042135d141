package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"forge/agent/config"
	"forge/provider"
	"forge/provider/catalog"
	"forge/ui/lang"
)

// ErrRemembered is the error of a way that nobody asked for now: it was remembered.
// The screen offers others then.
var ErrRemembered = errors.New("what was used last cannot be used")

// Choose decides which model to use: flag, config, last used, first key, a
// local server. What is only remembered never stands in the way of what there is: note
// says which way that was and why it is not taken; empty: there is nothing to say.
func (s *Source) Choose(ctx context.Context) (c catalog.Choice, note string, err error) {
	if f := s.o.Flag; s.cfg.Unset != nil && f.Provider == "" && f.BaseURL == "" && f.Model == "" {
		return c, "", s.cfg.Unset
	}
	last := s.last()
	in := catalog.Inputs{
		Flag: s.o.Flag,
		Config: []catalog.Wish{{Provider: s.cfg.Provider, Model: s.cfg.Model, BaseURL: s.cfg.BaseURL,
			KeyEnv: s.keyEnv(), Effort: provider.Effort(s.cfg.Effort)}},
		Last: catalog.Wish{Provider: last.Provider, Model: last.Model, BaseURL: last.BaseURL, KeyEnv: last.KeyEnv,
			Effort: provider.Effort(last.Effort)},
		Getenv:   s.getenv,
		Stored:   s.stored,
		Discover: s.local,
		List:     s.list,
		Peek:     s.peek,
	}
	c, err = catalog.Choose(ctx, in)
	if err != nil && !s.keyNamed(err) && (last.Provider != "" || last.BaseURL != "") {
		c, note, err = s.without(ctx, in, last, err)
	}
	if err != nil {
		if errors.Is(err, catalog.ErrKeyEmpty) && s.o.Flag.KeyEnv == "" && s.cfg.APIKeyEnv != "" {
			err = fmt.Errorf(lang.T("the setting api_key_env names %s, which is empty: set it, or take the setting out"), s.cfg.APIKeyEnv)
		}
		return c, note, err
	}
	return s.Settle(c), note, nil
}

// keyNamed reports whether an error is of the variable that a person named for the key.
func (s *Source) keyNamed(err error) bool {
	return errors.Is(err, catalog.ErrKeyEmpty) && (s.o.Flag.KeyEnv != "" || s.cfg.APIKeyEnv != "")
}

// without chooses as if nothing were remembered, where what is remembered failed with
// err: its key is gone, say.
func (s *Source) without(ctx context.Context, in catalog.Inputs, last config.LastUsed, err error) (catalog.Choice, string, error) {
	in.Last = catalog.Wish{}
	keyless := errors.Is(err, catalog.ErrKeyEmpty) || errors.Is(err, catalog.ErrNoKey)
	if e, _ := catalog.Find(last.Provider); !keyless && e.Local {
		// Another provider is as good, but never in the place of a server on this machine
		// that does not answer: what it was told stayed here.
		if in.Flag == in.Last && in.Config[0] == in.Last {
			err = fmt.Errorf("%w: %w", ErrRemembered, err)
		}
		return catalog.Choice{}, "", err
	}
	c, otherErr := catalog.Choose(ctx, in)
	if otherErr != nil && (otherErr.Error() == err.Error() || errors.Is(err, catalog.ErrNoKey)) {
		return c, "", err // it is not of what is remembered; or the face can ask for the key
	}
	where := cmp.Or(provider.Address(last.BaseURL), last.Provider)
	why := lang.Said(err.Error())
	if errors.Is(err, catalog.ErrKeyEmpty) {
		why = lang.T("%s, where its key is to come from, is empty", last.KeyEnv)
	}
	return c, lang.T("%s was used last and is left out now: %s", where, why), otherErr
}
