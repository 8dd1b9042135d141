package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"forge/programs"
)

// A forge without a C library asks DNS and /etc/hosts for a host's addresses, and no
// more. A machine may know others: a server in the next room by mDNS (nas.local), what
// the organisation's directory has. getent, which the C library comes with, asks them
// all. macOS and Windows ask their own systems either way.

// reachByName has every connection over HTTP ask the machine for the names that DNS
// does not know.
func reachByName(t *http.Transport) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return
	}
	t.DialContext = dialer{dial: t.DialContext, ask: getent}.DialContext
}

// dialer connects by dial, and asks for the addresses of a host that dial does not find.
type dialer struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	ask  func(ctx context.Context, host string) []netip.Addr
}

// DialContext is what [http.Transport] has under that name. A name of mDNS is never
// asked of DNS first (RFC 6762, 3), which would wait for a server that must not answer.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return d.dial(ctx, network, address)
	}
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(host), "."), ".local") {
		if as := d.ask(ctx, host); len(as) > 0 {
			return d.first(ctx, network, as, port)
		}
	}
	conn, err := d.dial(ctx, network, address)
	var unknown *net.DNSError
	if err == nil || !errors.As(err, &unknown) {
		return conn, err
	}
	if as := d.ask(ctx, host); len(as) > 0 {
		return d.first(ctx, network, as, port)
	}
	return nil, err
}

// first connects to the first address that takes it; the error is that of the last.
func (d dialer) first(ctx context.Context, network string, as []netip.Addr, port string) (conn net.Conn, err error) {
	for _, a := range as {
		if conn, err = d.dial(ctx, network, net.JoinHostPort(a.String(), port)); err == nil {
			break
		}
	}
	return conn, err
}

// getent asks the system's name service; nothing where it does not know the host, or
// where there is no such program.
func getent(ctx context.Context, host string) (found []netip.Addr) {
	here, _ := os.Getwd()
	program, err := programs.Find("getent", append(works.all(), here)...) // none that a project brings
	if err != nil || host == "" || host[0] == '-' {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	c := exec.CommandContext(ctx, program, "ahosts", host)
	c.Env = []string{"LC_ALL=C"} // it has no use for the keys in ours
	out, err := c.Output()
	if err != nil {
		return nil
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); { // "192.168.1.7   STREAM nas.local"
		first, _, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if a, err := netip.ParseAddr(first); err == nil && !slices.Contains(found, a) {
			found = append(found, a)
		}
	}
	return found
}
