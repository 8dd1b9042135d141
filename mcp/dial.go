package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"forge/tools/child"
)

// A dialer makes connections to one server.
type dialer struct {
	cfg     ServerConfig // expanded
	dir     string       // where a local server runs
	version string       // of forge
	trace   *trace
	log     *ring // the server's error stream, and the warnings about it
	probe   time.Duration
	hooks   hooks
	net     network
	mark    func() string // of its process; nil: a random one
}

// defaultProbe is how long a server may take to answer server/discover before it
// counts as one of before.
const defaultProbe = 3 * time.Second

// dial connects. era is the protocol version to begin with where it is known;
// empty: find out. life is the context of what outlives the dialing.
func (d *dialer) dial(ctx, life context.Context, era string) (Session, error) {
	if !d.cfg.Local() {
		return d.dialHTTP(ctx, life, era)
	}
	return d.dialStdio(ctx, era)
}

// dialStdio starts the server and finds out which era it speaks. Some servers leave
// when their first message is not initialize: those are started once more and
// spoken to in the old way at once. Others start so slowly that their answer to
// server/discover comes when it was given up: those are started once more, with
// patience.
func (d *dialer) dialStdio(ctx context.Context, era string) (Session, error) {
	s, w, err := d.start(ctx, era, d.probe)
	if err == nil || ctx.Err() != nil {
		return s, d.explain(err)
	}
	var rpc *RPCError
	switch {
	case w == nil: // it could not be started at all
	case era == lastLegacy: // what was remembered holds no more
		s, _, err = d.start(ctx, "", d.probe)
	case w.answeredLate():
		s, _, err = d.start(ctx, "", time.Hour)
	case errors.Is(err, errLost) && !errors.As(err, &rpc) && w.silent():
		d.log.printf("forge: the server ended when it was asked for its version; starting it again as one of before")
		s, _, err = d.start(ctx, lastLegacy, 0)
	}
	return s, d.explain(err)
}

func (d *dialer) start(ctx context.Context, era string, probe time.Duration) (Session, *wire, error) {
	argv := append([]string{d.cfg.Command}, d.cfg.Args...)
	if strings.HasPrefix(argv[0], "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			argv[0] = home + argv[0][1:]
		}
	}
	p, err := child.Start(argv, d.dir, child.Environ(d.cfg.Env, os.Environ()), d.log, d.mark)
	if err != nil {
		return nil, nil, err
	}
	w := newWire(d.trace, func(s string) { d.log.printf("forge: %s", s) })
	s := newStdio(p, w, probe)
	session, err := connectStdio(ctx, engine(d.hooks, d.version), s, era)
	return session, w, err
}

// explain adds what the server wrote last to an error, since that mostly says why.
func (d *dialer) explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("it did not answer in time")
	}
	if tail := lastLines(d.log.String(), 3); tail != "" {
		return fmt.Errorf("%w; it said: %s", err, tail)
	}
	return err
}

// lastLines gives the last n lines that are the server's own, joined.
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(clean(s)), "\n")
	var out []string
	for i := len(lines) - 1; i >= 0 && len(out) < n; i-- {
		if l := strings.TrimSpace(lines[i]); l != "" && !strings.HasPrefix(l, "forge: ") {
			out = append([]string{clip(l, 200)}, out...)
		}
	}
	return strings.Join(out, " | ")
}
