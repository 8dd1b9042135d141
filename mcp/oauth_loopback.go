package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// LoginOptions is what Login needs of main.
type LoginOptions struct {
	Vault Vault
	// Out is where the address to visit is printed. In, if it is not nil, is where the
	// address the browser ended at may be pasted, for who sits at another machine.
	Out io.Writer
	In  io.Reader
	// Open takes the person to an address; nil: the browser, where there is one, and none
	// that lies in one of the folders Not.
	Open  func(address string) error
	Not   []string
	Limit time.Duration // for the person; 0: 5 minutes
	Quiet bool          // Open shows the address, and what to do with it: Out need not
}

// loginWait is how long a person may take.
const loginWait = 5 * time.Minute

// Login logs in at a server and keeps the login. It says on Out how it went; the
// error is that it did not.
func Login(ctx context.Context, o LoginOptions, name string, c ServerConfig) error {
	c, err := c.Expand(os.LookupEnv)
	switch {
	case err != nil:
		return err
	case c.Local():
		return fmt.Errorf("%s is a program of this machine; a login is for servers at a URL, its keys go into its env", name)
	case hasAuthorization(c):
		return fmt.Errorf("%s is configured with an Authorization header; take that out to log in instead", name)
	}
	limit := o.Limit
	if limit <= 0 {
		limit = loginWait
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("nobody logged in within %s", limit))
	defer cancel()
	old := readSaved(o.Vault, c.URL)
	var conf OAuthConfig
	if c.OAuth != nil {
		conf = *c.OAuth
	}
	l, err := listenLoopback(conf.CallbackPort)
	if err != nil {
		return err
	}
	defer l.Close()
	got := saved{}
	h, err := newLogin(loginWay{
		Redirect: l.redirect(), Client: conf.ClientID, Secret: conf.ClientSecret, Document: conf.Document, HTTP: loginClient(c.URL),
		Visit: func(ctx context.Context, address string) (Returned, error) {
			u, err := webAddress(address)
			if err != nil {
				return Returned{}, err
			}
			got.Resource = u.Query().Get("resource")
			return l.visit(ctx, o, name, u)
		},
		Scopes: func(told []string) []string {
			if len(conf.Scopes) > 0 {
				told = conf.Scopes
			}
			if len(old.Wanted) > 0 { // what was granted stays so
				told = union(told, union(old.Scopes, old.Wanted))
			}
			return told
		},
		Got: func(c *oauth2.Config, t *oauth2.Token) {
			got.Token, got.TokenURL, got.Style = t, c.Endpoint.TokenURL, c.Endpoint.AuthStyle
			got.Client, got.Secret, got.Scopes = c.ClientID, c.ClientSecret, c.Scopes
			if c.ClientSecret == "" { // a public client names itself in the form
				got.Style = oauth2.AuthStyleInParams
			}
		},
	})
	if err != nil {
		return err
	}
	fail := func(err error) error {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("log in to %s: %w", name, err)
	}
	req, resp, err := knock(ctx, c, "")
	if err != nil {
		return fail(err)
	}
	if resp.StatusCode != http.StatusUnauthorized {
		resp.Body.Close()
		if resp.StatusCode >= 500 || resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusForbidden {
			return fail(fmt.Errorf("the server answers HTTP %d", resp.StatusCode))
		}
		_, err := fmt.Fprintf(o.Out, "%s wants no login (HTTP %d)\n", name, resp.StatusCode)
		return err
	}
	if err := h.Authorize(ctx, req, resp); err != nil {
		return fail(err)
	}
	if got.Token == nil {
		return fail(errors.New("the authorization server gave no token"))
	}
	if _, resp, err = knock(ctx, c, got.Token.AccessToken); err != nil {
		return fail(err)
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		return fail(errors.New("the server refuses the token its authorization server gave"))
	}
	where, err := got.write(o.Vault, c.URL)
	if err != nil {
		return fail(err)
	}
	_, err = fmt.Fprintf(o.Out, "logged in to %s; the login is kept in %s\n", name, where)
	return err
}

// Logout forgets a server's login, and says whether there was one.
func Logout(v Vault, c ServerConfig) (bool, error) {
	c, err := c.Expand(os.LookupEnv)
	if err != nil {
		return false, err
	}
	if c.Local() {
		return false, nil
	}
	_, err = v.Get(vaultName(c.URL))
	return err == nil, v.Delete(vaultName(c.URL))
}

// knock asks a server something harmless, to be told what login it wants. One of
// 2024-11-05 is asked for its stream, since it takes no message without.
func knock(ctx context.Context, c ServerConfig, token string) (*http.Request, *http.Response, error) {
	if c.Type == "sse" {
		return knockWith(ctx, c, token, http.MethodGet)
	}
	req, resp, err := knockWith(ctx, c, token, http.MethodPost)
	if err != nil || resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed {
		return req, resp, err
	}
	old, oldResp, oldErr := knockWith(ctx, c, token, http.MethodGet)
	if oldErr != nil {
		return req, resp, nil
	}
	resp.Body.Close()
	return old, oldResp, nil
}

func knockWith(ctx context.Context, c ServerConfig, token, method string) (*http.Request, *http.Response, error) {
	body := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if method == http.MethodGet {
		body = ""
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for k, v := range c.Headers {
		req.Header.Set(k, v)
	}
	if req.Header.Set("Accept", "text/event-stream"); body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := loginClient(c.URL)
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	return req, resp, err
}

// A callback is where a browser is sent back to.
type callback struct{ net.Listener }

func listenLoopback(port int) (callback, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return callback{}, fmt.Errorf("listen for the browser: %w; callbackPort is the port", err)
	}
	return callback{l}, nil
}

// redirect has the name localhost, since that is the only one of this machine every
// authorization server takes.
func (l callback) redirect() string {
	return fmt.Sprintf("http://localhost:%d/callback", l.Addr().(*net.TCPAddr).Port)
}

type visited struct {
	r   Returned
	err error
}

// visit takes the person to an address and waits until they are back, here or with
// the address their browser ended at.
func (l callback) visit(ctx context.Context, o LoginOptions, name string, at *url.URL) (Returned, error) {
	state := at.Query().Get("state")
	back := make(chan visited, 1)
	tell := func(q url.Values) bool {
		if state == "" || q.Get("state") != state {
			return false // anybody can send a browser here: only who was sent away may come back
		}
		select {
		case back <- judgeReturn(q):
		default:
		}
		return true
	}
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		switch {
		case r.URL.Path != "/callback":
			http.NotFound(w, r)
		case !tell(r.URL.Query()):
			http.Error(w, "This does not belong to the login that is waited for.", http.StatusBadRequest)
		case r.URL.Query().Get("code") == "":
			io.WriteString(w, "The login was not completed. You may close this page; the terminal says more.\n")
		default:
			io.WriteString(w, "You are back. You may close this page; the terminal says how it went.\n")
		}
	})}
	go func() {
		defer recovered("wait for the browser")
		_ = srv.Serve(l.Listener) // it ends with Shutdown
	}()
	defer func() {
		done, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = srv.Shutdown(done) // the page that was asked for last is still sent
	}()
	if !o.Quiet {
		fmt.Fprintf(o.Out, "log in to %s here:\n\n  %s\n\n", name, at)
	}
	open := o.Open
	if open == nil {
		open = withheld(o.Not).open
	}
	if err := open(at.String()); err != nil {
		fmt.Fprintf(o.Out, "no browser was opened (%v)\n", err)
	}
	if o.In != nil {
		if !o.Quiet {
			fmt.Fprintf(o.Out, "if your browser runs on another machine, paste the address it ends at (%s?…)\n", l.redirect())
		}
		go func() {
			defer recovered("read a pasted address")
			lines := bufio.NewScanner(o.In)
			for lines.Scan() {
				u, err := url.Parse(strings.TrimSpace(lines.Text()))
				if err == nil && tell(u.Query()) {
					return
				}
				if strings.TrimSpace(lines.Text()) != "" {
					fmt.Fprintln(o.Out, "that is not the address of this login")
				}
			}
		}()
	}
	select {
	case v := <-back:
		return v.r, v.err
	case <-ctx.Done():
		return Returned{}, context.Cause(ctx)
	}
}

// judgeReturn reads what a person was sent back with. Of an error only what the
// standard knows is repeated: its sender is not proven.
func judgeReturn(q url.Values) visited {
	switch code := q.Get("error"); {
	case code == "access_denied":
		return visited{err: errors.New("it was denied (access_denied)")}
	case slices.Contains([]string{"invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "server_error", "temporarily_unavailable", "invalid_target"}, code):
		return visited{err: fmt.Errorf("the authorization server refused it (%s)", code)}
	case code != "" || q.Get("code") == "":
		return visited{err: errors.New("the authorization server refused it")}
	}
	return visited{r: Returned{Code: q.Get("code"), State: q.Get("state"), Issuer: q.Get("iss")}}
}

// Browser is what opens an address, without a shell; nil: there is none here, and why
// says so in a few words. No program that lies in one of the folders not is taken.
func Browser(not ...string) (open func(address string) error, why string) {
	o := withheld(not)
	switch {
	case browser(runtime.GOOS, os.Getenv, o.look) != nil:
		return o.open, ""
	case os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "":
		return nil, "forge runs over ssh"
	}
	return nil, "$BROWSER names none, and there is no display"
}

// open starts the browser, without a shell, where somebody would see it.
func (o withheld) open(address string) error {
	argv := browser(runtime.GOOS, os.Getenv, o.look)
	if argv == nil {
		return errors.New("there is none here; $BROWSER names one")
	}
	program, err := o.look(argv[0])
	if err != nil {
		return err
	}
	cmd := exec.Command(program, append(argv[1:], address)...)
	cmd.Env = o.environ()
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		defer recovered("wait for a browser's starter")
		_ = cmd.Wait() // what it says of itself helps nobody here
	}()
	return nil
}

// browser is the command an address is appended to; nil: there is none, or no
// display it would show on.
func browser(goos string, getenv func(string) string, look func(string) (string, error)) []string {
	first, _, _ := strings.Cut(getenv("BROWSER"), ":")
	if words, err := splitWords(first); err == nil && len(words) > 0 {
		if words[len(words)-1] == "%s" {
			words = words[:len(words)-1]
		}
		if _, err := look(words[0]); err == nil {
			return words
		}
	}
	display := getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
	var words []string
	switch {
	case goos == "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case goos == "darwin" && getenv("SSH_CONNECTION") == "":
		words = []string{"open"}
	case goos != "darwin" && display:
		words = []string{"xdg-open"}
	default:
		return nil
	}
	if _, err := look(words[0]); err != nil {
		return nil
	}
	return words
}
