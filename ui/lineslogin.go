package ui

import (
	"context"
	"errors"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// login asks for the key of a provider, which is not shown while it is typed.
func (l *lines) login(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	if keyBehind(arg) {
		return nil, errors.New(lang.T("no key belongs behind /login: it is asked for, and hidden"))
	}
	all := l.now().Logins.List()
	if arg != "" {
		name, err := l.now().Logins.Find(arg)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			if one.Name == name {
				return nil, l.giveKey(ctx, one, held, say)
			}
		}
	}
	c := &linear.Choice{Title: lang.T("A key for which provider?")}
	for _, one := range all {
		c.Entries = append(c.Entries, loginLine(one))
	}
	c.Entries = append(c.Entries, lang.T("Another endpoint"))
	c.Pick = func(ctx context.Context, i int, say func(string)) error {
		if i < len(all) {
			return l.giveKey(ctx, all[i], l.hold, say)
		}
		r, err := l.now().Feed.AskQuestion(ctx, endpointQuestion(OtherEndpoint{}))
		if err != nil || r.Values["base_url"] == "" {
			return err
		}
		in, err := l.now().Logins.At(ctx, OtherEndpoint{r.Values["base_url"], r.Values["wire"], r.Values["key"], r.Values["model"]})
		return l.took(ctx, in, err, l.hold, say)
	}
	return c, nil
}

// held does something where nothing else uses the agent already.
func held(_ context.Context, f func() error) error { return f() }

// holder is lines.hold, or held.
type holder func(context.Context, func() error) error

func loginLine(one Login) string {
	if one.From == "" {
		return one.Title
	}
	return one.Title + lang.T(", ") + one.From
}

// giveKey asks for a key and tries it.
func (l *lines) giveKey(ctx context.Context, one Login, hold holder, say func(string)) error {
	r, err := l.now().Feed.AskQuestion(ctx, keyQuestion(one.Title))
	if err != nil || r.Values["key"] == "" {
		return err
	}
	in, err := l.now().Logins.In(ctx, one.Name, r.Values["key"])
	return l.took(ctx, in, err, hold, say)
}

// took goes on with a key, and says where it is kept.
func (l *lines) took(ctx context.Context, in LoggedIn, err error, hold holder, say func(string)) error {
	if err != nil {
		return err
	}
	for _, s := range in.Said {
		say(safe.Line(s))
	}
	return hold(ctx, func() error {
		m, err := in.Take()
		if err == nil && m.ID != "" && (m.ID != l.now().Model.ID || m.Provider != l.now().Model.Provider) {
			l.now().Model = m
			say(lang.T("now with %s", safe.Line(m.ID)))
		}
		return err
	})
}

// logout forgets the key of a provider.
func (l *lines) logout(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	if keyBehind(arg) {
		return nil, errors.New(lang.T("no key belongs behind /login: it is asked for, and hidden"))
	}
	kept := keptLogins(l.now().Logins.List())
	if arg != "" {
		name, err := l.now().Logins.Find(arg)
		if err != nil {
			return nil, err
		}
		out, err := l.now().Logins.Out(name)
		return nil, l.took(ctx, out, err, held, say)
	}
	if len(kept) == 0 {
		return nil, errors.New(lang.T("forge keeps no key"))
	}
	c := &linear.Choice{Title: lang.T("Forget which key?")}
	for _, one := range kept {
		c.Entries = append(c.Entries, loginLine(one))
	}
	c.Pick = func(ctx context.Context, i int, say func(string)) error {
		in, err := l.now().Logins.Out(kept[i].Name)
		return l.took(ctx, in, err, l.hold, say)
	}
	return c, nil
}
