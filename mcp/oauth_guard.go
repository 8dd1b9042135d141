package mcp

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// A guard stands before what a server says about its login: the addresses it names are
// fetched by forge, and must not be a way into this machine or the network it is in. It
// looks at each request, those of redirects too.
type guard struct {
	base   http.RoundTripper
	server *url.URL // whose login it is: the person gave that address
}

// loginLimit is how long an authorization server may take to answer one request.
const loginLimit = 30 * time.Second

// loginClient is what a server's authorization server is spoken to with.
func loginClient(server string) *http.Client {
	u, err := url.Parse(server)
	if err != nil {
		u = &url.URL{}
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DialContext = (&net.Dialer{Timeout: loginLimit, ControlContext: outside}).DialContext
	return &http.Client{Transport: guard{base, u}, Timeout: loginLimit}
}

// RoundTrip implements http.RoundTripper.
func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	own := strings.EqualFold(r.URL.Host, g.server.Host) && r.URL.Scheme == g.server.Scheme
	near := nearHost(r.Context(), g.server.Hostname())
	switch {
	case own:
	case loopback(r.URL.Hostname()) && !loopback(g.server.Hostname()):
		return nil, fmt.Errorf("its login leads to %s, which is this machine", r.URL.Host)
	case r.URL.Scheme != "https" && !loopback(r.URL.Hostname()):
		return nil, fmt.Errorf("its login leads to %s://%s, without encryption", r.URL.Scheme, r.URL.Host)
	}
	if proxy, err := http.ProxyFromEnvironment(r); own || near || err == nil && proxy != nil { // a proxy is where it was put, and looks for itself
		r = r.WithContext(context.WithValue(r.Context(), anywhere{}, true))
	}
	return g.base.RoundTrip(r)
}

// anywhere marks the context of a connection that may lead into the own network.
type anywhere struct{}

// outside refuses connections to this machine and the network it is in.
func outside(ctx context.Context, _, address string, _ syscall.RawConn) error {
	if ctx.Value(anywhere{}) != nil {
		return nil
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if near(at.Addr()) {
		return fmt.Errorf("its login leads to %s, which is in your own network", at.Addr())
	}
	return nil
}

func near(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast() || a.IsInterfaceLocalMulticast()
}

// nearHost says whether a host is in the own network: a server there may have its
// logins there, too.
func nearHost(ctx context.Context, host string) bool {
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for _, a := range addrs {
		if near(a) {
			return true
		}
	}
	return err == nil && loopback(host)
}

// loopback says whether a host is this machine by its name.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

// webAddress reads an address a person may be sent to: encrypted, or of this machine.
func webAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("the authorization server gives no web address to log in at")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, fmt.Errorf("the authorization server wants the login at %s, without encryption", clip(u.Host, 100))
	}
	return u, nil
}
