//go:build unix

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// A safeBox is a Vault in memory.
type safeBox struct {
	mu   sync.Mutex
	text map[string]string
}

func (s *safeBox) Get(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.text[name]; ok {
		return t, nil
	}
	return "", errors.New("there is none")
}

func (s *safeBox) Set(name, t string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == nil {
		s.text = map[string]string{}
	}
	s.text[name] = t
	return "the safe", nil
}

func (s *safeBox) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.text, name)
	return nil
}

// An issuer is an authorization server, and the MCP server its tokens are for.
type issuer struct {
	*httptest.Server
	mcp *web

	mu       sync.Mutex
	given    int             // tokens
	valid    map[string]bool // access tokens
	lifetime int             // of them, in seconds
	iss      string          // sent back; empty: the right one
	refuse   bool            // renewing
	visits   []url.Values    // of the page to log in at
	forms    []url.Values    // of requests for tokens
	want     string          // the scope a call needs
	document bool            // it takes a client's document for its registration
	old      http.Handler    // the MCP server is one of 2024-11-05
}

func newIssuer(t *testing.T) *issuer {
	s := &issuer{valid: map[string]bool{}, lifetime: 3600}
	mux := http.NewServeMux()
	write := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, r *http.Request) {
		write(w, map[string]any{"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
			"registration_endpoint": s.URL + "/register", "response_types_supported": []string{"code"},
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
			"authorization_response_iss_parameter_supported": true, "client_id_metadata_document_supported": s.document})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var m map[string]any
		json.NewDecoder(r.Body).Decode(&m)
		m["client_id"], m["token_endpoint_auth_method"] = "client-1", "none"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(m)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		s.mu.Lock()
		s.visits = append(s.visits, q)
		iss := s.iss
		s.mu.Unlock()
		if iss == "" {
			iss = s.URL
		}
		back := url.Values{"code": {"the-code"}, "state": {q.Get("state")}, "iss": {iss}}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forms = append(s.forms, r.PostForm)
		if s.refuse {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":"invalid_grant"}`)
			return
		}
		s.given++
		access := fmt.Sprintf("access-%d", s.given)
		clear(s.valid)
		s.valid[access] = true
		write(w, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": s.lifetime, "refresh_token": fmt.Sprintf("refresh-%d", s.given)})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	s.mcp = newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		const at = "/.well-known/oauth-protected-resource"
		if strings.HasPrefix(r.URL.Path, at) {
			write(w, map[string]any{"resource": s.mcp.URL, "authorization_servers": []string{s.URL}, "scopes_supported": []string{"basic"}})
			return true
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.valid[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", s.mcp.URL+at))
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		if m.Method == "tools/call" && s.want != "" {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer error=\"insufficient_scope\", scope=%q", s.want))
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		if s.old != nil {
			s.mu.Unlock()
			s.old.ServeHTTP(w, r)
			s.mu.Lock()
			return true
		}
		return false
	})
	return s
}

// change sets what the server does from now on.
func (s *issuer) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// visit goes where a browser would, and is sent back.
func visit(address string) error {
	resp, err := http.Get(address)
	if err == nil {
		resp.Body.Close()
	}
	return err
}

func (s *issuer) config() ServerConfig { return ServerConfig{URL: s.mcp.URL} }

func TestLoginIsKeptAndRenewed(t *testing.T) {
	s, box := newIssuer(t), &safeBox{}
	o := Options{Servers: map[string]ServerConfig{"w": s.config()}, Login: Logins(box)}
	h := mount(t, o)
	if st := h.until("w", NeedsLogin); st.Reason != "run forge mcp login w" {
		t.Errorf("without a login: %+v", st)
	}
	var out strings.Builder
	if err := Login(t.Context(), LoginOptions{Vault: box, Out: &out, Open: visit}, "w", s.config()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), s.URL+"/authorize?") || !strings.HasSuffix(out.String(), "logged in to w; the login is kept in the safe\n") {
		t.Errorf("said %s", out.String())
	}
	v := s.visits[0]
	if v.Get("resource") != s.mcp.URL || v.Get("code_challenge_method") != "S256" || v.Get("scope") != "basic" || !strings.HasPrefix(v.Get("redirect_uri"), "http://localhost:") {
		t.Errorf("sent to log in with %v", v)
	}
	// The session that runs takes the login over.
	if err := h.m.Retry("w"); err != nil {
		t.Fatal(err)
	}
	h.until("w", Ready)
	// A token that is refused is renewed in the middle of a session.
	s.change(func() { clear(s.valid) })
	if r := h.call("mcp__w__t", ""); r.IsError || r.Text != "ok" {
		t.Fatalf("after the token ran out: %+v", r)
	}
	f := s.forms[len(s.forms)-1]
	if f.Get("grant_type") != "refresh_token" || f.Get("refresh_token") != "refresh-1" || f.Get("resource") != s.mcp.URL || f.Get("client_id") != "client-1" {
		t.Errorf("renewed with %v", f)
	}
	if k := readSaved(box, s.mcp.URL); k.Token == nil || k.Token.AccessToken != "access-2" || k.Token.RefreshToken != "refresh-2" {
		t.Errorf("kept %+v", k.Token)
	}
	// One that cannot be renewed: the person has to log in.
	s.change(func() { clear(s.valid); s.refuse = true })
	if r := h.call("mcp__w__t", ""); !r.IsError || !strings.Contains(r.Text, "run forge mcp login w") {
		t.Errorf("after the login was withdrawn: %+v", r)
	}
	h.until("w", NeedsLogin)
	if there, err := Logout(box, s.config()); !there || err != nil || len(box.text) != 0 {
		t.Errorf("logged out: %v, %v, %v", there, err, box.text)
	}
}

// A token that is about to run out when it is given is renewed before each use, and
// each time for the server it is for.
func TestLoginOfShortLife(t *testing.T) {
	s, box := newIssuer(t), &safeBox{}
	s.lifetime = 5
	if err := Login(t.Context(), LoginOptions{Vault: box, Out: io.Discard, Open: visit}, "w", s.config()); err != nil {
		t.Fatal(err)
	}
	if s.given != 1 {
		t.Errorf("%d tokens were taken for a login", s.given)
	}
	h := mount(t, Options{Servers: map[string]ServerConfig{"w": s.config()}, Login: Logins(box)})
	h.until("w", Ready)
	if r := h.call("mcp__w__t", ""); r.IsError || r.Text != "ok" {
		t.Errorf("got %+v", r)
	}
	s.change(func() {
		for i, f := range s.forms {
			if f.Get("resource") != s.mcp.URL || i > 0 && f.Get("refresh_token") != fmt.Sprintf("refresh-%d", i) {
				t.Errorf("request %d for a token: %v", i, f)
			}
		}
	})
}

// An authorization server that is away is no reason to log in anew.
func TestLoginWithoutItsIssuer(t *testing.T) {
	s, box := newIssuer(t), &safeBox{}
	s.lifetime = 5
	if err := Login(t.Context(), LoginOptions{Vault: box, Out: io.Discard, Open: visit}, "w", s.config()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	h := mount(t, Options{Servers: map[string]ServerConfig{"w": s.config()}, Login: Logins(box)})
	if st := h.until("w", Failed); !strings.Contains(st.Reason, "refused") || !strings.Contains(st.Reason, "trying again") {
		t.Errorf("status %+v", st)
	}
}

func TestLoginAsksForMoreRights(t *testing.T) {
	s, box := newIssuer(t), &safeBox{}
	lo := LoginOptions{Vault: box, Out: io.Discard, Open: visit}
	if err := Login(t.Context(), lo, "w", s.config()); err != nil {
		t.Fatal(err)
	}
	s.change(func() { s.want = "write" })
	h := mount(t, Options{Servers: map[string]ServerConfig{"w": s.config()}, Login: Logins(box)})
	h.until("w", Ready)
	if r := h.call("mcp__w__t", ""); !r.IsError || !strings.Contains(r.Text, "a login with more rights (HTTP 403); run forge mcp login w") {
		t.Errorf("got %+v", r)
	}
	if err := Login(t.Context(), lo, "w", s.config()); err != nil {
		t.Fatal(err)
	}
	// The order of scopes has no meaning.
	if got := slices.Sorted(slices.Values(strings.Fields(s.visits[1].Get("scope")))); !slices.Equal(got, []string{"basic", "write"}) {
		t.Errorf("asked for %q", got)
	}
}

func TestLoginThatFails(t *testing.T) {
	back := func(q url.Values) func(string) error {
		return func(address string) error {
			u, _ := url.Parse(address)
			q.Set("state", u.Query().Get("state"))
			return visit(u.Query().Get("redirect_uri") + "?" + q.Encode())
		}
	}
	for name, c := range map[string]struct {
		iss, want string
		open      func(string) error
	}{
		"issuer of another": {iss: "https://evil.example", want: "issuer", open: visit},
		"denied":            {want: "access_denied", open: back(url.Values{"error": {"access_denied"}, "error_description": {"call 555"}})},
		"odd error":         {want: "refused it", open: back(url.Values{"error": {"pay at evil.example"}})},
		"state of another": {want: "nobody logged in within", open: func(address string) error {
			u, _ := url.Parse(address)
			return visit(u.Query().Get("redirect_uri") + "?code=x&state=forged")
		}},
		"nobody comes": {want: "nobody logged in within", open: func(string) error { return errors.New("no browser") }},
	} {
		t.Run(name, func(t *testing.T) {
			s, box := newIssuer(t), &safeBox{}
			s.iss = c.iss
			o := LoginOptions{Vault: box, Out: io.Discard, Open: c.open}
			if strings.HasPrefix(c.want, "nobody") {
				o.Limit = 300 * time.Millisecond
			}
			err := Login(t.Context(), o, "w", s.config())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "evil.example/") || strings.Contains(err.Error(), "555") || strings.Contains(err.Error(), "pay at") {
				t.Errorf("got %v", err)
			}
			if len(box.text) != 0 || s.given != 0 {
				t.Errorf("kept %v after %d tokens", box.text, s.given)
			}
		})
	}
}

// In a shell on another machine the browser cannot come back: its address is pasted.
func TestLoginByPasting(t *testing.T) {
	s, box := newIssuer(t), &safeBox{}
	r, w := io.Pipe()
	defer w.Close()
	o := LoginOptions{Vault: box, Out: io.Discard, In: r, Open: func(address string) error {
		go func() {
			c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			resp, err := c.Get(address)
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			fmt.Fprintf(w, "what?\n%s\n", resp.Header.Get("Location"))
		}()
		return nil
	}}
	if err := Login(t.Context(), o, "w", s.config()); err != nil {
		t.Fatal(err)
	}
	if k := readSaved(box, s.mcp.URL); k.Token == nil || k.Token.AccessToken != "access-1" {
		t.Errorf("kept %+v", k)
	}
}

// A client whose document is configured is that document, and registers nowhere.
func TestLoginWithADocument(t *testing.T) {
	const document = "https://clients.example/forge.json"
	for _, takes := range []bool{true, false} {
		s, box := newIssuer(t), &safeBox{}
		s.document = takes
		c := s.config()
		c.OAuth = &OAuthConfig{Document: document}
		if err := Login(t.Context(), LoginOptions{Vault: box, Out: io.Discard, Open: visit}, "w", c); err != nil {
			t.Fatal(err)
		}
		want := "client-1" // one that knows no documents is registered with
		if takes {
			want = document
		}
		if got := s.visits[0].Get("client_id"); got != want {
			t.Errorf("introduced as %q, want %q", got, want)
		}
		// Renewing is done by the same client.
		s.change(func() { clear(s.valid) })
		h := mount(t, Options{Servers: map[string]ServerConfig{"w": c}, Login: Logins(box)})
		h.until("w", Ready)
		if got := s.forms[len(s.forms)-1].Get("client_id"); got != want {
			t.Errorf("renewed as %q, want %q", got, want)
		}
	}
	for _, bad := range []string{"http://clients.example/forge.json", "https://clients.example", "clients", "https://clients.example/a#b"} {
		if _, err := (ServerConfig{URL: "https://x", OAuth: &OAuthConfig{Document: bad}}).Expand(Getenv); err == nil || !strings.Contains(err.Error(), "clientMetadataUrl") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A client that was registered beforehand comes before a document, with its secret.
func TestLoginWithAClientOfOnesOwn(t *testing.T) {
	s, box := newIssuer(t), &safeBox{}
	s.document = true
	c := s.config()
	c.OAuth = &OAuthConfig{ClientID: "mine", ClientSecret: "${NO_SUCH_SECRET:-hush}", Document: "https://clients.example/forge.json", Scopes: []string{"extra"}}
	if err := Login(t.Context(), LoginOptions{Vault: box, Out: io.Discard, Open: visit}, "w", c); err != nil {
		t.Fatal(err)
	}
	if v := s.visits[0]; v.Get("client_id") != "mine" || !strings.Contains(v.Get("scope"), "extra") {
		t.Errorf("visited with %v", v)
	}
	if k := readSaved(box, s.mcp.URL); k.Client != "mine" || k.Secret != "hush" {
		t.Errorf("kept %+v", k)
	}
}

// A server of 2024-11-05 is logged in at, and its token renewed, like any other.
func TestLoginAtAServerOfBefore(t *testing.T) {
	for _, kind := range []string{"", "sse"} {
		t.Run("type "+kind, func(t *testing.T) {
			srv := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1"}, nil)
			sdk.AddTool(srv, &sdk.Tool{Name: "t"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "ok"}}}, nil, nil
			})
			s, box := newIssuer(t), &safeBox{}
			s.old = sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return srv }, nil)
			c := s.config()
			c.Type = kind
			h := mount(t, Options{Servers: map[string]ServerConfig{"w": c}, Login: Logins(box)})
			h.until("w", NeedsLogin)
			if err := Login(t.Context(), LoginOptions{Vault: box, Out: io.Discard, Open: visit}, "w", c); err != nil {
				t.Fatal(err)
			}
			if err := h.m.Retry("w"); err != nil {
				t.Fatal(err)
			}
			if st := h.until("w", Ready); st.About.Transport != "sse" {
				t.Errorf("about %+v", st.About)
			}
			s.change(func() { clear(s.valid) }) // a token that is refused is renewed
			if r := h.call("mcp__w__t", ""); r.Text != "ok" || s.given != 2 {
				t.Errorf("after %d tokens: %+v", s.given, r)
			}
			s.change(func() { clear(s.valid); s.refuse = true })
			if r := h.call("mcp__w__t", ""); !r.IsError || !strings.Contains(r.Text, "run forge mcp login w") {
				t.Errorf("after the login was withdrawn: %+v", r)
			}
			h.until("w", NeedsLogin)
		})
	}
}

// What a server says of its login is no way into this machine or its network.
func TestGuard(t *testing.T) {
	reached := errors.New("reached")
	for _, c := range []struct{ server, to, want string }{
		{"https://203.0.113.5", "https://203.0.113.5/x", "reached"},
		{"http://203.0.113.5", "http://203.0.113.5/x", "reached"}, // the person gave that address
		{"https://203.0.113.5", "http://203.0.113.5/x", "without encryption"},
		{"https://203.0.113.5", "https://203.0.113.9/x", "reached"},
		{"https://203.0.113.5", "http://203.0.113.9/x", "without encryption"},
		{"https://203.0.113.5", "http://localhost:8080/x", "this machine"},
		{"https://203.0.113.5", "https://127.0.0.1/x", "this machine"},
		{"https://203.0.113.5", "https://[::1]/x", "this machine"},
		{"http://127.0.0.1:1", "http://localhost:2/x", "reached"},
		{"http://localhost:1", "http://203.0.113.9/x", "without encryption"},
	} {
		server, err := url.Parse(c.server)
		if err != nil {
			t.Fatal(err)
		}
		g := guard{tripper(func(*http.Request) (*http.Response, error) { return nil, reached }), server}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.to, nil)
		if _, err := g.RoundTrip(req); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s → %s: %v, want %s", c.server, c.to, err, c.want)
		}
	}
	for address, refused := range map[string]bool{
		"10.1.2.3:443": true, "192.168.1.1:443": true, "169.254.169.254:80": true, "127.0.0.1:443": true, "[::1]:443": true, "[fd00::1]:443": true,
		"[::ffff:10.0.0.1]:443": true, "0.0.0.0:443": true, "8.8.8.8:443": false, "[2001:4860:4860::8888]:443": false,
	} {
		if err := outside(t.Context(), "tcp", address, nil); (err != nil) != refused {
			t.Errorf("%s: %v", address, err)
		}
		if err := outside(context.WithValue(t.Context(), anywhere{}, true), "tcp", address, nil); err != nil {
			t.Errorf("%s, where the server is, too: %v", address, err)
		}
	}
	for address, ok := range map[string]bool{"https://as.example/a": true, "http://localhost:1/a": true, "http://127.0.0.1:1/a": true, "http://as.example/a": false, "javascript:alert(1)": false, "file:///etc/passwd": false, "": false} {
		if _, err := webAddress(address); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestLoginWithoutNeed(t *testing.T) {
	s := newWeb(t, false, nil)
	var out strings.Builder
	if err := Login(t.Context(), LoginOptions{Vault: &safeBox{}, Out: &out, Open: visit}, "w", ServerConfig{URL: s.URL}); err != nil || out.String() != "w wants no login (HTTP 200)\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := Login(context.Background(), LoginOptions{Vault: &safeBox{}, Out: &out}, "w", ServerConfig{Command: "x"}); err == nil || !strings.Contains(err.Error(), "program of this machine") {
		t.Errorf("got %v", err)
	}
}

func TestBrowser(t *testing.T) {
	for want, c := range map[string]struct{ goos, env string }{
		"[xdg-open]":        {"linux", "DISPLAY=:0"},
		"[]":                {"linux", ""},
		"[my browser -n]":   {"linux", `BROWSER='my browser' -n %s`},
		"[open]":            {"darwin", ""},
		"[] over ssh":       {"darwin", "SSH_CONNECTION=1"},
		"[xdg-open] around": {"linux", "WAYLAND_DISPLAY=w"},
	} {
		getenv := func(k string) string {
			if n, v, _ := strings.Cut(c.env, "="); n == k {
				return v
			}
			return ""
		}
		got := fmt.Sprint(browser(c.goos, getenv, func(s string) (string, error) { return s, nil }))
		if !strings.HasPrefix(want, got) {
			t.Errorf("%s %s: %s", c.goos, c.env, got)
		}
	}
	if got := browser("linux", func(string) string { return "x" }, func(string) (string, error) { return "", errors.New("none") }); got != nil {
		t.Errorf("programs that are not there: %q", got)
	}
}

// A challenge that is out of shape does not stand in the way of a login.
func TestOddChallenges(t *testing.T) {
	for in, want := range map[string]string{
		`Bearer resource_metadata="http://a/b", scope="x y"`:                                       `Bearer resource_metadata="http://a/b", scope="x y"`,
		`Negotiate, Basic realm="x,y", BEARER  error=invalid_token ,resource_metadata="u", scope=`: `Bearer error="invalid_token", resource_metadata="u"`,
		`Bearer realm="open, scope=x`:                                                              `Bearer scope="x"`,
		`Bearer ===,,`:                                                                             `Bearer`,
		`"quoted"`:                                                                                 ``,
		``:                                                                                         ``,
	} {
		resp := &http.Response{Header: http.Header{}}
		if in != "" {
			resp.Header.Set("WWW-Authenticate", in)
		}
		legible(resp)
		if got := resp.Header.Get("WWW-Authenticate"); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
		if _, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate")); err != nil {
			t.Errorf("%s still cannot be read: %v", in, err)
		}
	}
}
