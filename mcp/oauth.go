package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"forge/lazy"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// A loginWay is how a login at an authorization server is done: where it sends the
// person back to, and who takes them there.
type loginWay struct {
	Redirect string // http://localhost:PORT/callback
	// Visit takes the person to an address and returns what they were sent back with.
	Visit func(ctx context.Context, address string) (Returned, error)
	// Client is one that was registered beforehand. Without it forge introduces
	// itself with the document at Document, where the server takes that, else it
	// registers.
	Client, Secret string
	Document       string
	HTTP           *http.Client // for the authorization server; nil: the usual one
	// Scopes says what to ask for, of what the server tells; nil: that.
	Scopes func(told []string) []string
	// Got hears of the token, and of what it is renewed with; nil: nobody.
	Got func(c *oauth2.Config, t *oauth2.Token)
}

// Returned is what an authorization server sends a person back with.
type Returned struct{ Code, State, Issuer string }

// newLogin makes the login handler of one server: discovery, PKCE, registration,
// the check of the issuer, and more scopes when a server asks for them.
func newLogin(w loginWay) (loginHandler, error) {
	if w.Visit == nil {
		return nil, errors.New("nobody is there to log in")
	}
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: w.Redirect, RequestRefreshToken: true, Client: w.HTTP, ScopeFilter: w.Scopes,
		// An issuer that is sent is compared in any case; that it was not announced is
		// no reason to refuse it.
		AcceptUnadvertisedIss: true,
		AuthorizationCodeFetcher: func(ctx context.Context, a *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			r, err := w.Visit(ctx, a.URL)
			if err != nil {
				return nil, err
			}
			return &auth.AuthorizationResult{Code: r.Code, State: r.State, Iss: r.Issuer}, nil
		},
	}
	if w.Got != nil {
		c.NewTokenSource = func(_ context.Context, cfg *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			w.Got(cfg, t)
			// Whoever got it renews it: were it done here, too, a token that is about to run
			// out would be used up before it is kept.
			return oauth2.StaticTokenSource(t), nil
		}
	}
	if w.Client != "" { // one that was registered comes first
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: w.Client}
		if w.Secret != "" {
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: w.Secret}
		}
	} else {
		if w.Document != "" {
			c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: w.Document}
		}
		c.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: clientName, RedirectURIs: []string{w.Redirect}, GrantTypes: []string{"authorization_code", "refresh_token"}}}
	}
	h, err := auth.NewAuthorizationCodeHandler(c)
	if err != nil {
		return nil, fmt.Errorf("prepare a login: %w", err)
	}
	return h, nil
}

var bearerParam = lazy.Regexp{Expr: `(?i)\b(resource_metadata|scope|error)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))`}

// legible leaves of a server's challenges what can be read: the library gives up at
// the first part that is out of shape, such as the token of another scheme, and a
// login would fail for it.
func legible(resp *http.Response) {
	const name = "WWW-Authenticate"
	all := resp.Header.Values(name)
	if _, err := oauthex.ParseWWWAuthenticate(all); err == nil {
		return
	}
	text := strings.Join(all, ", ")
	resp.Header.Del(name)
	at := strings.Index(strings.ToLower(text), "bearer")
	if at < 0 {
		return
	}
	var params []string
	for _, m := range bearerParam.Get().FindAllStringSubmatch(text[at:], 8) {
		if m[2]+m[3] != "" {
			params = append(params, fmt.Sprintf(`%s="%s%s"`, strings.ToLower(m[1]), m[2], m[3]))
		}
	}
	resp.Header.Set(name, strings.TrimSpace("Bearer "+strings.Join(params, ", ")))
}

// demanded reads what a server's answer says of a login: the error and the scopes it
// names. Both are empty where it says nothing that can be read.
func demanded(resp *http.Response) (code string, scopes []string) {
	cs, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return "", nil
	}
	for _, c := range cs {
		if c.Scheme != "bearer" {
			continue
		}
		if code == "" {
			code = c.Params["error"]
		}
		if scopes == nil {
			scopes = strings.Fields(c.Params["scope"])
		}
	}
	return code, scopes
}
