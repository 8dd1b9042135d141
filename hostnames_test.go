package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A name that DNS does not know is asked of the machine; the connection goes to the
// first of its addresses that answers.
func TestNamesOfTheMachineAreReached(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) }))
	defer server.Close()
	port := server.URL[strings.LastIndexByte(server.URL, ':')+1:]

	for _, host := range []string{"nas.local", "NAS.Local.", "printer"} {
		var asked, tried []string
		d := dialer{
			dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				tried = append(tried, address)
				switch h, _, _ := net.SplitHostPort(address); {
				case h == "127.0.0.2": // which not every system has
					return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
				case net.ParseIP(h) == nil:
					return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: h, IsNotFound: true}}
				}
				return new(net.Dialer).DialContext(ctx, network, address)
			},
			ask: func(_ context.Context, host string) []netip.Addr {
				asked = append(asked, host)
				return []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1")}
			},
		}
		client := &http.Client{Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}
		resp, err := client.Get("http://" + host + ":" + port)
		if err != nil {
			t.Errorf("%s: %v", host, err)
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != host+":"+port {
			t.Errorf("%s: the server was asked for %q", host, body)
		}
		want := []string{"127.0.0.2:" + port, "127.0.0.1:" + port}
		if host == "printer" {
			want = append([]string{"printer:" + port}, want...)
		}
		if !slices.Equal(tried, want) || len(asked) != 1 {
			t.Errorf("%s: tried %q, asked %q; a name of mDNS is not asked of DNS, another is first", host, tried, asked)
		}
	}
}

// What is wrong with a host that DNS knows, or that nobody knows, is said as it was.
func TestErrorsOfDialingStay(t *testing.T) {
	refused := errors.New("connection refused")
	unknown := &net.DNSError{Err: "no such host", Name: "nobody.local", IsNotFound: true}
	for _, c := range []struct {
		address string
		err     error
	}{{"host:1", refused}, {"nobody.local:1", unknown}, {"nobody:1", unknown}, {"127.0.0.1:1", refused}, {"no port", refused}} {
		d := dialer{
			dial: func(context.Context, string, string) (net.Conn, error) { return nil, c.err },
			ask:  func(context.Context, string) []netip.Addr { return nil },
		}
		if _, err := d.DialContext(context.Background(), "tcp", c.address); !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.address, err, c.err)
		}
	}
}

func TestGetent(t *testing.T) {
	if _, err := exec.LookPath("getent"); err != nil {
		t.Skip("no getent, which comes with a C library")
	}
	loopback := func(a netip.Addr) bool { return a.IsLoopback() }
	if as := getent(t.Context(), "localhost"); len(as) == 0 || !slices.ContainsFunc(as, loopback) {
		t.Errorf("localhost is at %v", as)
	}
	for _, host := range []string{"", "-V", "--version"} {
		if as := getent(t.Context(), host); as != nil {
			t.Errorf("%q is at %v", host, as)
		}
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	if as := getent(over, "localhost"); as != nil {
		t.Errorf("asked behind the end: %v", as)
	}
}
