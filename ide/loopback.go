package ide

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Times an editor has, so that nothing hangs.
const (
	dialTime    = 2 * time.Second        // to take a connection
	connectTime = 6 * time.Second        // to be ready, from the first byte on
	callTime    = 10 * time.Second       // to answer what needs no person
	openTime    = 5 * time.Second        // to open a diff, while the person waits for it
	closeTime   = 2 * time.Second        // to close one, before another is opened for its file
	leaveTime   = 300 * time.Millisecond // to hear that forge goes
)

// stranger is for tests, which say by it that a port is another's; nil: mine says whose it
// is. Connections that are still being made look at it after a test has ended.
var stranger atomic.Pointer[func(port int) error]

// whose reports whose a port is: nil, ErrStranger, or why it is not known.
func whose(port int) error {
	if f := stranger.Load(); f != nil {
		return (*f)(port)
	}
	return mine(port)
}

// loopback makes connections to one port of this machine and to nothing else: no proxy
// is asked, no name is looked up, no redirect is followed. Each of them is looked at
// before anything is sent: the editor may be gone since it was found, and its port in
// the hands of a stranger, whom a request would tell the token and whose answers would
// be taken for the editor's.
func loopback(port int) *http.Client {
	to := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				ctx, cancel := context.WithTimeout(ctx, dialTime)
				defer cancel()
				conn, err := new(net.Dialer).DialContext(ctx, "tcp4", to)
				if err != nil {
					return nil, err
				}
				if err := whose(port); err != nil {
					conn.Close()
					return nil, err
				}
				return conn, nil
			},
			DisableCompression:     true,
			ResponseHeaderTimeout:  callTime,
			MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
