package mcp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"forge/tools"
)

// How long things may take where the configuration does not say.
const (
	startLimit = 30 * time.Second // npx fetches a package in 8 s over a good line
	listLimit  = 15 * time.Second
	callIdle   = 60 * time.Second
	callLimit  = 10 * time.Minute
)

// How a server that ended or did not start is tried again.
const (
	firstWait = 500 * time.Millisecond
	mostWait  = 30 * time.Second
	mostTries = 5
	steady    = time.Minute // after which the count begins anew
)

// A server is one configured server and its life.
type server struct {
	m        *Manager
	name     string
	key      string
	cfg      ServerConfig // as configured
	trace    *trace
	log      *ring
	commands chan string
	wake     chan struct{} // one slot: a call wants the server
	stale    chan string   // one slot: a list has changed
	ended    chan struct{}
	stop     context.CancelFunc // ends its life
	wanted   bool               // though its configuration disables it; live's own

	mu       sync.Mutex
	state    State
	reason   string
	since    time.Time
	starts   int
	session  Session
	about    About
	offered  []RemoteTool // as listed last
	usable   []RemoteTool // of these, what is not withheld
	changes  []Change
	notes    []string
	off      map[string]bool // switched off by hand
	names    map[string]string
	refused  map[string]string // by tool: why it cannot be used
	want     []tools.Tool      // what of it is offered to the model
	cost     int               // of that, in tokens
	dirty    bool              // want is another than the registry has
	sent     bool              // the model has been sent some of it
	deferred bool
	fresh    Fresh // of the list of tools
	manifest *manifest
	path     string                      // of the manifest
	watched  map[string]*watchedResource // by URI
	calls    map[*watchdog]bool
	dialogs  int
}

func newServer(m *Manager, name, key string, cfg ServerConfig) *server {
	s := &server{m: m, name: name, key: key, cfg: cfg, trace: &trace{}, log: newRing(64 << 10), commands: make(chan string),
		wake: make(chan struct{}, 1), stale: make(chan string, 1), ended: make(chan struct{}), off: map[string]bool{}, watched: map[string]*watchedResource{}, calls: map[*watchdog]bool{},
		state: Starting, since: time.Now()}
	id := cfg.Identity()
	s.path = manifestFile(m.manifestDir(), key, id)
	var err error
	if s.manifest, err = loadManifest(s.path, id); err != nil {
		s.notes = append(s.notes, err.Error())
	}
	for _, name := range s.manifest.Off {
		s.off[name] = true
	}
	return s
}

// set changes the state. It is the only place where that happens.
func (s *server) set(state State, reason string) {
	reason = strings.Join(strings.Fields(clean(reason)), " ") // much of it is the server's own words
	s.mu.Lock()
	s.state, s.reason, s.since = state, reason, time.Now()
	s.mu.Unlock()
	s.m.told(s)
}

// busy says whether a server is on its way to being ready.
func (s *server) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == Starting
}

// live runs the server's whole life.
func (s *server) live(ctx context.Context) {
	defer close(s.ended)
	defer recovered("run the MCP server " + s.name)
	defer s.log.close()
	defer s.set(Stopped, "")
	s.openLog()
	for ctx.Err() == nil {
		cfg, ok := s.mayStart(ctx)
		if !ok {
			if !s.await(ctx, false) {
				return
			}
			continue
		}
		if known, holds := s.known(cfg); cfg.Lazy && len(known) > 0 && s.starts == 0 {
			s.publish(known)
			if holds { // else it is started to be asked again; until then this is better than nothing
				s.set(Idle, "")
				if !s.await(ctx, true) {
					return
				}
			}
		}
		if !s.keep(ctx, cfg) {
			return
		}
	}
}

// mayStart says whether the server may run now, and with which configuration; if
// not, the state tells why.
func (s *server) mayStart(ctx context.Context) (ServerConfig, bool) {
	switch {
	case s.cfg.Problem != "":
		s.set(Failed, s.cfg.Problem)
		return s.cfg, false
	case s.cfg.Disabled && !s.wanted:
		s.wanted = true // a retry by hand is a yes
		s.set(Disabled, "by its configuration")
		return s.cfg, false
	case s.cfg.Source.Scope == "project":
		if why := s.m.permit(ctx, s); why != "" {
			s.set(Unapproved, why)
			return s.cfg, false
		}
	}
	cfg, err := s.cfg.Expand(Getenv)
	if err != nil {
		s.set(Failed, err.Error())
		return cfg, false
	}
	return cfg, true
}

// await waits for a command to start, or, if calls count, for a call. False: the
// server's life is over.
func (s *server) await(ctx context.Context, calls bool) bool {
	wake := s.wake
	if !calls {
		wake = nil
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-wake:
			return true
		case c := <-s.commands:
			if c == "retry" {
				return true
			}
			s.withdraw()
			s.set(Disabled, "by you")
			wake = nil
		}
	}
}

// keep starts the server and keeps it running, until a command wants otherwise
// (true) or its life is over (false).
func (s *server) keep(ctx context.Context, cfg ServerConfig) bool {
	wait, tries := firstWait, 0
	for {
		s.mu.Lock()
		s.starts++
		s.mu.Unlock()
		s.set(Starting, "")
		session, next, err := s.startUnless(ctx, cfg)
		began := time.Now()
		if err == nil && next == "" {
			next, err = s.serve(ctx, session, cfg)
			s.drop(session)
		}
		switch {
		case ctx.Err() != nil:
			return false
		case next == "retry":
			return true
		case next == "disable":
			s.withdraw()
			s.set(Disabled, "by you")
			return s.await(ctx, false)
		}
		if session != nil && time.Since(began) > steady {
			wait, tries = firstWait, 0
		}
		var login *ErrLogin
		tries++
		switch {
		case errors.As(err, &login):
			s.withdraw()
			s.set(NeedsLogin, "run forge mcp login "+s.name)
			return s.await(ctx, false)
		case tries >= mostTries || hopeless(err):
			s.withdraw()
			s.set(Failed, err.Error())
			return s.await(ctx, false)
		}
		pause := wait + rand.N(wait/4)
		s.set(Failed, fmt.Sprintf("%v; trying again in %s", err, pause.Round(100*time.Millisecond)))
		wait = min(2*wait, mostWait)
		t := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			t.Stop()
			return false
		case <-t.C:
		case <-s.wake: // a call wants it now
			t.Stop()
		case c := <-s.commands:
			t.Stop()
			if c == "retry" {
				return true
			}
			s.withdraw()
			s.set(Disabled, "by you")
			return s.await(ctx, false)
		}
	}
}

// hopeless says whether another try would end the same way.
func hopeless(err error) bool {
	return unsupported(err) || strings.Contains(err.Error(), "is found") || strings.Contains(err.Error(), "redirects to")
}

// list asks for the tools and takes over those that may be used.
func (s *server) list(ctx context.Context, session Session, cfg ServerConfig) error {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	ts, fresh, err := session.Tools(ctx)
	if err != nil {
		s.aged(Fresh{Until: time.Now().Add(usedOn)})
		return err
	}
	s.aged(fresh)
	s.mu.Lock()
	s.about = session.About()
	s.offered = ts
	s.manifest.Era, s.manifest.Until, s.manifest.Private, s.manifest.For = s.about.Version, fresh.Until, fresh.Private, s.manifest.holder(cfg)
	s.judge()
	usable := s.usable
	s.mu.Unlock()
	s.publish(usable)
	s.remember()
	return nil
}

// whole leaves the broken tools out.
func whole(ts []RemoteTool) []RemoteTool {
	var out []RemoteTool
	for _, t := range ts {
		if t.Broken == "" {
			out = append(out, t)
		}
	}
	return out
}

func (s *server) remember() {
	s.mu.Lock()
	err := s.manifest.save(s.path)
	s.mu.Unlock()
	if err != nil {
		s.log.printf("forge: what is known of this server is not kept: %v", err)
	}
}

// serve runs while the session lasts. It returns a command, or why the session is
// over.
func (s *server) serve(ctx context.Context, session Session, cfg ServerConfig) (string, error) {
	s.mu.Lock()
	s.session = session
	s.mu.Unlock()
	if session.About().HasResources {
		s.m.offerReader()
	}
	s.watchAgain(session)
	s.set(Ready, "")
	var pace pace
	var again <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case c := <-s.commands:
			return c, nil
		case <-session.Done():
			return "", session.Err()
		case <-s.wake: // somebody's call was sooner
		case <-s.stale:
			if again == nil {
				again = time.After(pace.next(time.Now()))
			}
		case <-again:
			again = nil
			if err := s.list(ctx, session, cfg); err != nil {
				s.log.printf("forge: the list of tools has changed, but could not be read: %v", err)
			}
			s.m.told(s)
		}
	}
}

func (s *server) listChanged(what string) {
	if what != "tools" {
		s.m.told(s) // those are asked for when they are wanted
		return
	}
	select {
	case s.stale <- what:
	default: // one is on its way
	}
}

// drop ends a session and all that runs in it.
func (s *server) drop(session Session) {
	s.mu.Lock()
	s.session = nil
	s.mu.Unlock()
	session.Close()
}
