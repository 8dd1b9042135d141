package ide

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Times an editor has, so that nothing hangs.
const (
	dialTime    = 2 * time.Second        // to take a connection
	connectTime = 6 * time.Second        // to be ready, from the first byte on
	callTime    = 10 * time.Second       // to answer what needs no person
	leaveTime   = 300 * time.Millisecond // to hear that forge goes
)

// loopback makes connections to one port of this machine and to nothing else: no proxy
// is asked, no name is looked up, no redirect is followed.
func loopback(port int) *http.Client {
	to := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				ctx, cancel := context.WithTimeout(ctx, dialTime)
				defer cancel()
				return new(net.Dialer).DialContext(ctx, "tcp4", to)
			},
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
