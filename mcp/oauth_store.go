package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/oauth2"
)

// Vault keeps secret texts by name: agent/config's Secrets does, in the keyring or
// in a file of the person's alone. Get's error is that there is none to be had.
type Vault interface {
	Get(name string) (string, error)
	Set(name, secret string) (where string, err error)
	Delete(name string) error
}

// vaultName is what a server's login is kept under. It is bound to the address: when
// a name is given to another server, that one is not sent the first one's token.
func vaultName(server string) string { return "mcp:" + server }

// A saved is a login as it is kept, with all it takes to renew it at the
// authorization server that gave it, and nowhere else.
type saved struct {
	Token    *oauth2.Token    `json:"token,omitempty"`
	TokenURL string           `json:"tokenUrl,omitempty"`
	Style    oauth2.AuthStyle `json:"style,omitempty"`
	Client   string           `json:"client,omitempty"`
	Secret   string           `json:"secret,omitempty"`
	Resource string           `json:"resource,omitempty"`
	Scopes   []string         `json:"scopes,omitempty"`
	// Wanted are scopes the server asked for since; the next login asks for them, too.
	Wanted []string `json:"wanted,omitempty"`
}

func readSaved(v Vault, server string) saved {
	var s saved
	if text, err := v.Get(vaultName(server)); err == nil && json.Unmarshal([]byte(text), &s) != nil {
		return saved{}
	}
	return s
}

func (s saved) write(v Vault, server string) (where string, err error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	return v.Set(vaultName(server), string(b))
}

// Logins gives HTTP servers the logins that are kept, and keeps them renewed. Nobody
// is taken anywhere: a server that wants another one needs Login. It is for
// Options.Login.
func Logins(v Vault) func(server string, c ServerConfig) (loginHandler, error) {
	return func(server string, c ServerConfig) (loginHandler, error) {
		if hasAuthorization(c) {
			return nil, nil
		}
		return &keeper{vault: v, name: server, server: c.URL, http: loginClient(c.URL), saved: readSaved(v, c.URL)}, nil
	}
}

// LoggedIn says whether a login at a server is kept.
func LoggedIn(v Vault, c ServerConfig) bool {
	c, err := c.Expand(Getenv)
	return err == nil && !c.Local() && readSaved(v, c.URL).Token != nil
}

// hasAuthorization says whether a server is configured with a key of its own.
func hasAuthorization(c ServerConfig) bool {
	for k := range c.Headers {
		if strings.EqualFold(k, "Authorization") {
			return true
		}
	}
	return false
}

// A keeper is the login of one server in a session.
type keeper struct {
	vault        Vault
	name, server string
	http         *http.Client

	mu    sync.Mutex
	saved saved
}

// TokenSource gives the token to send, renewed if it is over; none where there is no
// login or it is refused to be renewed, so that the server says what it wants.
func (k *keeper) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.saved.Token == nil && !k.reread() {
		return nil, nil
	}
	if !k.saved.Token.Valid() {
		var refused *oauth2.RetrieveError
		switch err := k.renew(ctx); {
		case errors.Is(err, errFinal), errors.As(err, &refused) && refused.Response.StatusCode < 500:
			return nil, nil
		case err != nil: // it may be better in a while, and a login would not help
			return nil, fmt.Errorf("renew the login: %w", err)
		}
	}
	return oauth2.StaticTokenSource(k.saved.Token), nil
}

// errFinal is a login that cannot be renewed.
var errFinal = errors.New("there is nothing to renew the login with")

// renew gets another token: one that somebody else put into the vault meanwhile, else
// one from the authorization server.
func (k *keeper) renew(ctx context.Context) error {
	if k.reread() {
		return nil
	}
	s := k.saved
	if s.Token == nil || s.Token.RefreshToken == "" {
		return errFinal
	}
	c := oauth2.Config{ClientID: s.Client, ClientSecret: s.Secret, Endpoint: oauth2.Endpoint{TokenURL: s.TokenURL, AuthStyle: s.Style}}
	client := *k.http
	client.Transport = withResource{client.Transport, s.Resource}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &client)
	t, err := c.TokenSource(ctx, &oauth2.Token{RefreshToken: s.Token.RefreshToken}).Token()
	if err != nil {
		if k.reread() { // another forge was first, and the old one is used up
			return nil
		}
		return err
	}
	k.saved.Token = t
	// A token that cannot be kept is good for this session all the same.
	_, _ = k.saved.write(k.vault, k.server)
	return nil
}

// reread takes over a login from the vault if it is another one, and valid.
func (k *keeper) reread() bool {
	s := readSaved(k.vault, k.server)
	if s.Token == nil || !s.Token.Valid() || k.saved.Token != nil && s.Token.AccessToken == k.saved.Token.AccessToken {
		return false
	}
	k.saved = s
	return true
}

// Authorize is called when a server refused: nil says that another try is worth it.
func (k *keeper) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	resp.Body.Close()
	code, scopes := demanded(resp)
	if resp.StatusCode == http.StatusForbidden && code != "insufficient_scope" {
		return nil // no login helps; the answer to the same again is shown
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	refused := &ErrLogin{Challenge: Challenge{Status: resp.StatusCode, Header: resp.Header.Get("WWW-Authenticate")}, Server: k.name}
	sent := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	if t := k.saved.Token; t != nil && t.Valid() && t.AccessToken != sent {
		return nil // another request has renewed it
	}
	if resp.StatusCode == http.StatusForbidden {
		if k.reread() {
			return nil
		}
		if more := union(k.saved.Wanted, scopes); len(more) > len(k.saved.Wanted) && k.saved.Token != nil {
			k.saved.Wanted = more
			_, _ = k.saved.write(k.vault, k.server) // the login asks for less then, and the server says so again
		}
		return refused
	}
	if k.renew(ctx) != nil {
		return refused
	}
	return nil
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// withResource says for which server a token is renewed, as the protocol demands and
// the library for it does not.
type withResource struct {
	base     http.RoundTripper
	resource string
}

// RoundTrip implements http.RoundTripper.
func (w withResource) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || w.resource == "" {
		return w.base.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fmt.Errorf("renew a login: %w", err)
	}
	form.Set("resource", w.resource)
	text := []byte(form.Encode())
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	r.GetBody = nil
	return w.base.RoundTrip(r)
}
