package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"forge/agent/config"
	"forge/provider"
	"forge/provider/catalog"
	"forge/ui"
	"forge/ui/lang"
)

// logins joins the screen to the providers that take a key.
func (f *forge) logins() *ui.Logins {
	return &ui.Logins{
		List: func() []ui.Login {
			var out []ui.Login
			for _, l := range f.speech.logins() {
				out = append(out, ui.Login{Name: l.endpoint.Name, Title: l.endpoint.Title, Env: firstText(append(l.endpoint.KeyEnv, "")...), From: l.from(), Kept: l.kept != "" || l.own})
			}
			return out
		},
		Find: func(name string) (string, error) {
			l, err := f.speech.loginOf(name)
			var unknown unknownProvider
			if errors.As(err, &unknown) {
				err = errors.New(lang.T("no provider %q: /login alone lists all, and takes another endpoint", string(unknown)))
			}
			return l.endpoint.Name, err
		},
		In: func(ctx context.Context, name, key string) (ui.LoggedIn, error) {
			l, err := f.speech.loginOf(name)
			if err != nil {
				return ui.LoggedIn{}, err
			}
			return f.logIn(ctx, l.endpoint, "", key)
		},
		At: func(ctx context.Context, o ui.OtherEndpoint) (ui.LoggedIn, error) {
			e, err := f.speech.at(o.BaseURL, o.Wire)
			if err != nil {
				return ui.LoggedIn{}, err
			}
			return f.logIn(ctx, e, o.Model, o.Key)
		},
		Out: f.logOut,
	}
}

// logIn tries a key and keeps it; what it returns goes on with it.
func (f *forge) logIn(ctx context.Context, e catalog.Endpoint, model, pasted string) (ui.LoggedIn, error) {
	key, err := keyFor(e, pasted)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	if w, named := f.wanted(); model == "" && named && w.Name == e.Name {
		model = catalog.ResolveModel(firstText(f.flags.Model, f.cfg.Model), e.Name).ID
	}
	c, doubt, err := f.speech.try(ctx, e, model, key)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	where, err := f.speech.keep(c.Endpoint, key)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	f.crew.forget()
	said := keptWords(c.Endpoint, where, doubt)
	return ui.LoggedIn{Said: said, Take: func() (provider.Model, error) { return f.goOnWith(c) }}, nil
}

// keyFor reads what was pasted as the key of an endpoint; one of the person's own
// addresses may want none.
func keyFor(e catalog.Endpoint, pasted string) (string, error) {
	if pasted == "" && unnamed(e.Name) {
		return "", nil
	}
	return config.CleanKey(pasted)
}

// keptWords says what became of a key.
func keptWords(e catalog.Endpoint, where, doubt string) []string {
	var said []string
	switch where {
	case "":
		said = append(said, lang.T("%s is kept, without a key", e.Name))
	case "keyring":
		said = append(said, lang.T("the key of %s is kept in the system's keyring", e.Title))
	default:
		said = append(said, lang.T("the key of %s is kept in %s, which only you can read", e.Title, shorten(where)))
	}
	if doubt != "" {
		said = append(said, doubt)
	}
	if _, env := e.Key(os.Getenv); env != "" {
		said = append(said, lang.T("%s in the environment goes before it when forge starts: unset it", env))
	}
	return said
}

// goOnWith takes a key that was given now: for the model that answers, where it is of
// that provider, and for a first model.
func (f *forge) goOnWith(c catalog.Choice) (provider.Model, error) {
	now, m := f.answering()
	switch {
	case f.noModel != nil:
		return f.use(c)
	case m.Provider == c.Endpoint.Name && now.Endpoint.Name == c.Endpoint.Name:
		now.Key, now.KeyEnv = c.Key, ""
		return f.use(now)
	}
	return m, nil
}

// logOut removes what is kept of a provider, and says what still gives a key for it. The
// conversation goes on with that, or with none.
func (f *forge) logOut(name string) (ui.LoggedIn, error) {
	l, err := f.speech.loginOf(name)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	said, err := f.speech.logOut(l)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	f.crew.forget()
	return ui.LoggedIn{Said: said, Take: func() (provider.Model, error) {
		now, m := f.answering()
		if m.Provider != l.endpoint.Name || now.Endpoint.Name != l.endpoint.Name || now.KeyEnv != "" {
			return m, nil
		}
		if l.env != "" {
			now.Key, now.KeyEnv = l.endpoint.Key(os.Getenv)
			return f.use(now)
		}
		f.agent.SetModel(nowhere{errors.New(lang.T("there is no key for %s any more", l.endpoint.Title))}, m, effortOf(now))
		return m, nil
	}}, nil
}

// logOut removes what is kept of an endpoint and says so.
func (s *speech) logOut(l login) (said []string, err error) {
	there, err := s.forget(l.endpoint)
	switch {
	case err != nil:
		return nil, err
	case there:
		said = append(said, lang.T("%s is forgotten", l.endpoint.Title))
	case l.env == "":
		return nil, fmt.Errorf(lang.T("forge keeps no key for %s"), l.endpoint.Title)
	default:
		said = append(said, lang.T("forge keeps no key for %s", l.endpoint.Title))
	}
	if l.env != "" {
		said = append(said, lang.T("%s in the environment still gives one: unset it", l.env))
	}
	return said, nil
}
