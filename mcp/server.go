package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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
	wanted   bool // though its configuration disables it; live's own

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
	deferred bool
	manifest *manifest
	path     string // of the manifest
	calls    map[*watchdog]bool
	dialogs  int
}

func newServer(m *Manager, name, key string, cfg ServerConfig) *server {
	s := &server{m: m, name: name, key: key, cfg: cfg, trace: &trace{}, log: newRing(64 << 10), commands: make(chan string),
		wake: make(chan struct{}, 1), stale: make(chan string, 1), ended: make(chan struct{}), off: map[string]bool{}, calls: map[*watchdog]bool{},
		state: Starting, since: time.Now()}
	id := cfg.Identity()
	s.path = manifestFile(m.manifestDir(), key, id)
	var err error
	if s.manifest, err = loadManifest(s.path, id); err != nil {
		s.notes = append(s.notes, err.Error())
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
		if known := s.known(); cfg.Lazy && len(known) > 0 && s.starts == 0 {
			s.publish(known)
			s.set(Idle, "")
			if !s.await(ctx, true) {
				return
			}
		}
		if !s.keep(ctx, cfg) {
			return
		}
	}
}

// known are the tools the server offered when it ran last.
func (s *server) known() []RemoteTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.manifest.remembered()
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
		session, err := s.start(ctx, cfg)
		began := time.Now()
		if err == nil {
			var next string
			next, err = s.serve(ctx, session)
			s.drop(session)
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
			if time.Since(began) > steady {
				wait, tries = firstWait, 0
			}
		}
		if ctx.Err() != nil {
			return false
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

// start connects and lists the tools.
func (s *server) start(ctx context.Context, cfg ServerConfig) (Session, error) {
	limit := orDuration(cfg.StartupTimeout, startLimit)
	began, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	d := &dialer{cfg: cfg, dir: cfg.dir(s.m.o.Workspace), version: s.m.o.Version, trace: s.trace, log: s.log, probe: defaultProbe,
		hooks: hooks{changed: s.listChanged}}
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
	if err := s.list(ctx, session); err != nil {
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

// list asks for the tools and takes over those that may be used.
func (s *server) list(ctx context.Context, session Session) error {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	ts, err := session.Tools(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.about = session.About()
	s.offered = ts
	s.manifest.Era, s.manifest.Instructions = s.about.Version, s.about.Instructions
	s.usable, s.changes = s.manifest.judge(whole(ts), s.cfg.Strict)
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
func (s *server) serve(ctx context.Context, session Session) (string, error) {
	s.mu.Lock()
	s.session = session
	s.mu.Unlock()
	if session.About().HasResources {
		s.m.offerReader()
	}
	s.set(Ready, "")
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
			if err := s.list(ctx, session); err != nil {
				s.log.printf("forge: the list of tools has changed, but could not be read: %v", err)
			}
			s.m.told(s)
		}
	}
}

func (s *server) listChanged(what string) {
	if what != "tools" {
		return // those are asked for when they are wanted
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

// withdraw takes the tools away: a server that is not there has none.
func (s *server) withdraw() { s.publish(nil) }

// publish puts the tools into the registry, where they take effect with the next
// turn.
func (s *server) publish(ts []RemoteTool) {
	s.mu.Lock()
	var theirs []string
	refused := map[string]string{}
	var list []RemoteTool
	schemas := map[string]json.RawMessage{}
	for _, t := range ts {
		theirs = append(theirs, t.Name)
		schema, err := usableSchema(t.Input)
		switch {
		case !s.cfg.allowed(t.Name):
			refused[t.Name] = "by allow and deny of its configuration"
		case s.off[t.Name]:
			refused[t.Name] = "by you"
		case err != nil:
			refused[t.Name] = err.Error()
		default:
			schemas[t.Name] = schema
			list = append(list, t)
		}
	}
	names, problems := toolNames(s.name, s.key, theirs, s.cfg.Aliases)
	s.notes = problems
	if ts != nil {
		s.notes = append(s.notes, scanAll(ts)...)
	}
	slices.SortFunc(list, func(a, b RemoteTool) int { return strings.Compare(names[a.Name], names[b.Name]) })
	var out []tools.Tool
	cost := 0
	for _, t := range list {
		spec := tools.Spec{Name: names[t.Name], Description: describe(s.name, t), Schema: schemas[t.Name]}
		cost += tokens(spec.Name, spec.Description, spec.Schema)
		out = append(out, &remote{server: s, def: t, spec: spec})
	}
	s.names, s.refused = names, refused
	s.mu.Unlock()

	deferred := false
	if s.cfg.Defer != nil {
		deferred = *s.cfg.Defer
	} else {
		deferred = len(out) > 0 && s.m.load(s)+cost > s.m.budget()
	}
	s.mu.Lock()
	s.deferred = deferred
	s.mu.Unlock()
	if s.m.o.Registry == nil {
		return
	}
	s.m.o.Registry.SetSoon("mcp:"+s.name, out, deferred, func(err error) {
		s.mu.Lock()
		s.notes = append(s.notes, err.Error())
		s.mu.Unlock()
		s.log.printf("forge: %v", err)
	})
	if deferred {
		s.m.offerFinder()
	}
}

// cost is what the server's tools cost each request; 0 if they are deferred.
func (s *server) cost() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deferred {
		return 0
	}
	n := 0
	for _, t := range s.usable {
		if _, off := s.refused[t.Name]; !off {
			n += tokens(s.names[t.Name], describe(s.name, t), t.Input)
		}
	}
	return n
}

// approve takes over what has changed.
func (s *server) approve(tool string) {
	s.mu.Lock()
	s.manifest.approve(s.offered, func(name string) bool {
		return slices.ContainsFunc(s.changes, func(c Change) bool { return c.Tool == name }) && (tool == "" || tool == name)
	})
	s.usable, s.changes = s.manifest.judge(whole(s.offered), s.cfg.Strict)
	usable := s.usable
	s.mu.Unlock()
	s.publish(usable)
	s.remember()
	s.m.told(s)
}

func (s *server) turn(tool string, on bool) error {
	s.mu.Lock()
	if !slices.ContainsFunc(s.offered, func(t RemoteTool) bool { return t.Name == tool }) {
		s.mu.Unlock()
		return fmt.Errorf("%s has no tool %q", s.name, tool)
	}
	if on {
		delete(s.off, tool)
	} else {
		s.off[tool] = true
	}
	usable := s.usable
	s.mu.Unlock()
	s.publish(usable)
	s.m.told(s)
	return nil
}

// connected returns a session, starting the server if it waits for a reason to.
func (s *server) connected(ctx context.Context) (Session, error) {
	for {
		s.m.mu.Lock()
		changed := s.m.changed
		s.m.mu.Unlock()
		s.mu.Lock()
		session, state, reason := s.session, s.state, s.reason
		s.mu.Unlock()
		switch state {
		case Ready:
			if session != nil {
				return session, nil
			}
		case Disabled, Unapproved, NeedsLogin, Stopped:
			return nil, fmt.Errorf("the server is %s: %s", state, reason)
		case Failed:
			if !strings.Contains(reason, "trying again") {
				return nil, fmt.Errorf("the server is not there: %s", reason)
			}
			s.rouse()
		case Idle:
			s.rouse()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *server) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// call calls a tool: on the running server, or on one that is started for it. It is
// tried a second time only where the first cannot have had an effect.
func (s *server) call(ctx context.Context, t RemoteTool, args json.RawMessage, progress func(Progress)) (RemoteResult, error) {
	for try := 1; ; try++ {
		began, cancel := context.WithTimeout(ctx, orDuration(s.cfg.StartupTimeout, startLimit)+5*time.Second)
		session, err := s.connected(began)
		cancel()
		if err != nil {
			if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
				err = errors.New("the server did not become ready in time")
			}
			return RemoteResult{}, err
		}
		res, err := s.attempt(ctx, session, t, args, progress)
		var login *ErrLogin
		if errors.Is(err, errLost) {
			s.over(session)
		} else if errors.As(err, &login) { // its login has run out: connecting anew says so
			s.over(session)
			session.Close()
		}
		again := errors.Is(err, errForgotten) || errors.Is(err, errLost) && s.cfg.Trust && (t.Hints.ReadOnly || t.Hints.Idempotent)
		if err == nil || try == 2 || !again || ctx.Err() != nil {
			return res, err
		}
	}
}

// over forgets a session that is lost, so that nobody is given it again before serve
// has heard of its end.
func (s *server) over(session Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == session {
		s.session = nil
	}
}

func (s *server) attempt(ctx context.Context, session Session, t RemoteTool, args json.RawMessage, progress func(Progress)) (RemoteResult, error) {
	ctx, w := newWatchdog(ctx, orDuration(s.cfg.Timeout, callIdle), max(orDuration(s.cfg.MaxTime, callLimit), orDuration(s.cfg.Timeout, 0)))
	defer w.stop()
	s.mu.Lock()
	s.calls[w] = true
	if s.dialogs > 0 {
		w.pause()
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.calls, w)
		s.mu.Unlock()
	}()
	began := time.Now()
	res, err := session.Call(ctx, t.Name, args, func(p Progress) {
		w.fed()
		progress(p)
	})
	var slow errSlow
	if err != nil && errors.As(context.Cause(ctx), &slow) {
		err = slow
	}
	// What was called, for a later look; arguments may hold secrets, so a hash of them.
	slog.Info("mcp call", "server", s.name, "tool", t.Name, "arguments", digest(string(args)), "ms", time.Since(began).Milliseconds(),
		"parts", len(res.Content), "failed", res.IsError, "error", err)
	return res, err
}

// dialog stops the clock of the server's calls while a dialog of its is open.
func (s *server) dialog() (closed func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dialogs++; s.dialogs == 1 {
		for w := range s.calls {
			w.pause()
		}
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.dialogs--; s.dialogs == 0 {
			for w := range s.calls {
				w.resume()
			}
		}
	}
}

// status tells what is known; full: with what is long.
func (s *server) status(full bool) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Name: s.name, State: s.state, Reason: s.reason, Since: s.since, About: s.about, Command: s.cfg.Line(), Source: s.cfg.Source,
		Starts: s.starts, Notes: slices.Clone(s.notes), Changes: slices.Clone(s.changes), Defer: s.deferred, LogFile: s.logFile()}
	there := s.state == Ready || s.state == Idle || s.state == Failed && strings.Contains(s.reason, "trying again")
	offered := s.offered
	if s.state == Idle {
		offered = s.manifest.remembered()
	}
	held := map[string]bool{}
	for _, c := range s.changes {
		held[c.Tool] = true
	}
	for _, t := range offered {
		ts := ToolStatus{Name: s.names[t.Name], Remote: t.Name, Description: describe(s.name, t), ReadOnly: t.Hints.ReadOnly, On: there, Warnings: scan(t)}
		ts.Tokens = tokens(ts.Name, ts.Description, t.Input)
		switch {
		case t.Broken != "":
			ts.On, ts.Why, ts.Tokens, ts.Description = false, t.Broken, 0, ""
		case held[t.Name]:
			ts.On, ts.Why = false, "its definition is not the one that was approved"
		case s.refused[t.Name] != "":
			ts.On, ts.Why = false, s.refused[t.Name]
		case !there:
			ts.Why = "the server is " + string(s.state)
		}
		if ts.On && !s.deferred {
			st.Tokens += ts.Tokens
		}
		st.Tools = append(st.Tools, ts)
	}
	slices.SortFunc(st.Tools, func(a, b ToolStatus) int { return strings.Compare(a.Remote, b.Remote) })
	st.Frames, st.Latency = s.trace.last()
	if !full {
		st.Frames = nil
		return st
	}
	st.Stderr = clean(s.log.String())
	return st
}

// Line is the command or the address as it was configured, quoted so that it can be
// read as one.
func (c ServerConfig) Line() string {
	if !c.Local() {
		return c.URL
	}
	words := []string{quoteWord(c.Command)}
	for _, a := range c.Args {
		words = append(words, quoteWord(a))
	}
	return strings.Join(words, " ")
}

func quoteWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,~", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// logFile is where the server's error stream is kept; empty: nowhere.
func (s *server) logFile() string {
	if s.m.o.StateDir == "" {
		return ""
	}
	return LogFile(s.m.o.StateDir, s.name)
}

// LogFile is where the error stream of a server is kept.
func LogFile(stateDir, name string) string {
	return filepath.Join(stateDir, "logs", "mcp-"+serverKeys([]string{name})[name]+".log")
}

// maxLog is the size at which a log begins anew; the one before is kept.
const maxLog = 1 << 20

// openLog also writes what the server says to a file. Nothing of it is ever written
// to the terminal.
func (s *server) openLog() {
	path := s.logFile()
	if path == "" {
		return
	}
	f, err := openRotating(path)
	if err != nil {
		s.log.printf("forge: no log is kept: %v", err)
		return
	}
	s.log.tee(f)
}

// A rotating is a log file that does not grow for ever.
type rotating struct {
	path string
	f    *os.File
	size int64
}

func openRotating(path string) (*rotating, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	r := &rotating{path: path, f: f}
	if info, err := f.Stat(); err == nil {
		r.size = info.Size()
	}
	return r, nil
}

// Write implements io.Writer. Its caller holds a lock.
func (r *rotating) Write(p []byte) (int, error) {
	if r.size += int64(len(p)); r.size > maxLog {
		r.f.Close()
		_ = os.Rename(r.path, r.path+".1")
		f, err := os.OpenFile(r.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		r.f, r.size = f, int64(len(p))
	}
	return r.f.Write(p)
}

// Close implements io.Closer.
func (r *rotating) Close() error { return r.f.Close() }
