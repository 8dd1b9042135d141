package main

import (
	"context"
	"errors"
	"os"

	"forge/models"
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
			for _, l := range f.source.Logins() {
				out = append(out, ui.Login{Name: l.Endpoint.Name, Title: l.Endpoint.Title, Env: firstText(append(l.Endpoint.KeyEnv, "")...), From: l.From(), Kept: l.Kept != "" || l.Own})
			}
			return out
		},
		Find: func(name string) (string, error) {
			l, err := f.source.LoginOf(name)
			var unknown models.UnknownProvider
			if errors.As(err, &unknown) {
				err = errors.New(lang.T("no provider %q: /login alone lists all, and takes another endpoint", string(unknown)))
			}
			return l.Endpoint.Name, err
		},
		In: func(ctx context.Context, name, key string) (ui.LoggedIn, error) {
			l, err := f.source.LoginOf(name)
			if err != nil {
				return ui.LoggedIn{}, err
			}
			return f.logIn(ctx, l.Endpoint, "", key)
		},
		At: func(ctx context.Context, o ui.OtherEndpoint) (ui.LoggedIn, error) {
			e, err := f.source.At(o.BaseURL, o.Wire)
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
	key, err := models.KeyFor(e, pasted)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	if w, named := f.wanted(); model == "" && named && w.Name == e.Name {
		model = catalog.ResolveModel(firstText(f.flags.Model, f.cfg.Model), e.Name).ID
	}
	c, doubt, err := f.source.Try(ctx, e, model, key)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	where, err := f.source.Keep(c.Endpoint, key)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	f.crew.forget()
	said := models.KeptWords(c.Endpoint, where, doubt)
	return ui.LoggedIn{Said: said, Take: func() (provider.Model, error) { return f.goOnWith(c) }}, nil
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
	l, err := f.source.LoginOf(name)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	said, err := f.source.LogOut(l)
	if err != nil {
		return ui.LoggedIn{}, err
	}
	f.crew.forget()
	return ui.LoggedIn{Said: said, Take: func() (provider.Model, error) {
		now, m := f.answering()
		if m.Provider != l.Endpoint.Name || now.Endpoint.Name != l.Endpoint.Name || now.KeyEnv != "" {
			return m, nil
		}
		if l.Env != "" {
			now.Key, now.KeyEnv = l.Endpoint.Key(os.Getenv)
			return f.use(now)
		}
		f.agent.SetModel(nowhere{errors.New(lang.T("there is no key for %s any more", l.Endpoint.Title))}, m, models.Effort(now))
		return m, nil
	}}, nil
}
