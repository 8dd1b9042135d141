package models

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"forge/agent/config"
	"forge/provider/catalog"
	"forge/tilde"
	"forge/ui/lang"
)

// At is the endpoint at an address that has no name in the catalogue, under the name it
// is shown by: its host, and its path where another one of that host is kept.
func (s *Source) At(base, wire string) (catalog.Endpoint, error) {
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

// Keep stores a key and, of an endpoint without a name in the catalogue, its address. It
// says where the key is.
func (s *Source) Keep(e catalog.Endpoint, key string) (where string, err error) {
	if key != "" {
		if where, err = s.dirs.Secrets().Set(e.KeyName(), key); err != nil {
			return "", fmt.Errorf(lang.T("the key works, but could not be kept: %w"), err)
		}
	}
	if Unnamed(e.Name) {
		err = s.dirs.KeepEndpoint(config.Endpoint{Name: e.Name, BaseURL: e.BaseURL, Wire: e.Wire})
	}
	return where, err
}

// forget removes what is kept of an endpoint, and reports whether there was anything.
func (s *Source) forget(e catalog.Endpoint) (there bool, err error) {
	keys := s.dirs.Secrets()
	there = keys.Where(e.KeyName()) != ""
	if err := keys.Delete(e.KeyName()); err != nil {
		return there, err
	}
	if !Unnamed(e.Name) {
		return there, nil
	}
	if last := s.dirs.LastUsed(); sameURL(last.BaseURL, e.BaseURL) {
		err = s.dirs.Remember(config.LastUsed{})
	}
	return true, errors.Join(err, s.dirs.ForgetEndpoint(e.BaseURL))
}

// Login is an endpoint that takes a key, and where its key is.
type Login struct {
	Endpoint catalog.Endpoint
	Env      string // the variable that holds a key; empty: none does
	Kept     string // config.Secrets.Where
	Own      bool   // the person logged in at its address
	Setting  bool   // the setting api_key says where its key is
}

// From says where the key comes from, to a person; empty: there is none.
func (l Login) From() string {
	switch {
	case l.Env != "":
		return lang.T("from the environment: %s", l.Env)
	case l.Setting:
		return lang.T("from the setting %s", KeySetting)
	case l.Kept == "keyring":
		return lang.T("kept in the system's keyring")
	case l.Kept != "":
		return lang.T("kept in %s", tilde.Short(l.Kept))
	case l.Own:
		return lang.T("without a key")
	}
	return ""
}

// Logins lists every endpoint that takes a key, those of the person's own addresses first.
// It asks no keyring and no server.
func (s *Source) Logins() []Login {
	var out []Login
	keys := s.dirs.Secrets()
	for _, o := range s.dirs.Endpoints() {
		if e, err := catalog.At(o.BaseURL, o.Wire); err == nil {
			e.Name, e.Title = o.Name, o.Name
			out = append(out, Login{Endpoint: e, Kept: keys.Where(e.KeyName()), Own: true, Setting: s.keyEnv() == KeySetting && sameURL(s.cfg.BaseURL, e.BaseURL)})
		}
	}
	for _, e := range catalog.Endpoints() {
		if e.Local || len(e.KeyEnv) == 0 {
			continue
		}
		e = e.WithEnv(os.Getenv)
		_, env := e.Key(os.Getenv)
		out = append(out, Login{Endpoint: e, Env: env, Kept: keys.Where(e.KeyName()), Setting: s.keyEnv() == KeySetting && s.keyIsOf(e)})
	}
	return out
}

// LoginOf finds the endpoint of a name, an alias or an address of the person's own.
func (s *Source) LoginOf(name string) (Login, error) {
	if e, ok := catalog.Find(name); ok {
		name = e.Name
	}
	for _, l := range s.Logins() {
		if l.Endpoint.Name == name || l.Own && sameURL(l.Endpoint.BaseURL, name) {
			return l, nil
		}
	}
	if e, ok := catalog.Find(name); ok {
		return Login{}, fmt.Errorf(lang.T("%s runs on this machine and takes no key"), e.Title)
	}
	if near := catalog.Near(name); near != "" {
		return Login{}, fmt.Errorf(lang.T("no provider %q: did you mean %s?"), name, near)
	}
	return Login{}, UnknownProvider(name)
}

// UnknownProvider is the error of a name that no provider has; what it says is said in a shell.
type UnknownProvider string

// Error implements error.
func (u UnknownProvider) Error() string {
	return lang.T("no provider %q: forge login --list names all; another endpoint goes with --base-url", string(u))
}

// Unnamed reports whether a provider is a server known by its address alone.
func Unnamed(name string) bool {
	_, known := catalog.Find(name)
	return !known
}

// KeyFor reads what was pasted as the key of an endpoint; one of the person's own
// addresses may want none.
func KeyFor(e catalog.Endpoint, pasted string) (string, error) {
	if pasted == "" && Unnamed(e.Name) {
		return "", nil
	}
	return config.CleanKey(pasted)
}

// KeptWords says what became of a key.
func KeptWords(e catalog.Endpoint, where, doubt string) []string {
	var said []string
	switch where {
	case "":
		said = append(said, lang.T("%s is kept, without a key", e.Name))
	case "keyring":
		said = append(said, lang.T("the key of %s is kept in the system's keyring", e.Title))
	default:
		said = append(said, lang.T("the key of %s is kept in %s, which only you can read", e.Title, tilde.Short(where)))
	}
	if doubt != "" {
		said = append(said, doubt)
	}
	if _, env := e.Key(os.Getenv); env != "" {
		said = append(said, lang.T("%s in the environment goes before it when forge starts: unset it", env))
	}
	return said
}

// LogOut removes what is kept of an endpoint and says so.
func (s *Source) LogOut(l Login) (said []string, err error) {
	there, err := s.forget(l.Endpoint)
	switch {
	case err != nil:
		return nil, err
	case there:
		said = append(said, lang.T("%s is forgotten", l.Endpoint.Title))
	case l.Env == "":
		return nil, fmt.Errorf(lang.T("forge keeps no key for %s"), l.Endpoint.Title)
	default:
		said = append(said, lang.T("forge keeps no key for %s", l.Endpoint.Title))
	}
	if l.Env != "" {
		said = append(said, lang.T("%s in the environment still gives one: unset it", l.Env))
	}
	return said, nil
}
