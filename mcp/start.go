package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// startUnless starts the server, unless a command comes meanwhile: a person who has
// seen enough of a slow start need not see its end.
func (s *server) startUnless(ctx context.Context, cfg ServerConfig) (session Session, next string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer recovered("start the MCP server " + s.name)
		err = errors.New("forge crashed here; its log has more") // unless it comes back
		session, err = s.start(ctx, cfg)
	}()
	select {
	case <-done:
		return session, "", err
	case next = <-s.commands:
	}
	cancel()
	<-done
	if session != nil {
		session.Close()
	}
	return nil, next, nil
}

// start connects and lists the tools.
func (s *server) start(ctx context.Context, cfg ServerConfig) (Session, error) {
	limit := orDuration(cfg.StartupTimeout, startLimit)
	began, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	d := &dialer{cfg: cfg, dir: cfg.dir(s.m.o.Workspace), version: s.m.o.Version, trace: s.trace, log: s.log, probe: defaultProbe, mark: s.m.o.Mark,
		hooks: hooks{changed: s.listChanged, updated: s.resourceChanged}}
	if s.m.o.Asker != nil {
		d.hooks.elicit = s.elicit
	}
	if s.m.o.Login != nil {
		d.net.login = func(c ServerConfig) (loginHandler, error) { return s.m.o.Login(s.name, c) }
	}
	era := ""
	if s.manifest.Era != "" && s.manifest.Era < firstModern {
		era = lastLegacy
	}
	// What outlives the dialing ends with the session, not with forge: a server is
	// told good-bye.
	session, err := d.dial(began, context.WithoutCancel(ctx), era)
	if err != nil {
		if began.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("it was not ready within %s; startupTimeout gives it longer (%w)", limit, err)
		}
		return nil, err
	}
	if err := s.list(ctx, session, cfg); err != nil {
		session.Close()
		return nil, fmt.Errorf("its tools could not be listed: %w", err)
	}
	return session, nil
}

func orDuration(d Duration, otherwise time.Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return otherwise
}
