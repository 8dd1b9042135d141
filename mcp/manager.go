package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"forge/tools"
)

// Options is what Mount needs of main.
type Options struct {
	Servers  map[string]ServerConfig
	Registry *tools.Registry
	// Notify hears of every change of a server's state, without the parts that are
	// long (Stderr, Frames). It may be called from any goroutine; it must not block
	// for long. nil: nobody.
	Notify func(Status)
	// Asker puts a server's questions, and those about a project's servers, to the
	// person; nil: nobody is there, so the first are declined and the second do not
	// start.
	Asker tools.Asker
	// Approvals remembers the yes to a project's servers; tools/trust has one.
	Approvals Approvals
	Workspace string // absolute; where local servers run
	Version   string // of forge
	StateDir  string // what is remembered of servers, and their logs; empty: nothing
	OutDir    string // files of results; empty: they are dropped
	// Window is the model's window in tokens, Share the part of it that definitions
	// may take before they are deferred; 0: 200000 and 0.05.
	Window int
	Share  float64
	// Keep says of a tool, by the name the model would have for it, whether it may be
	// offered at all; nil: every one.
	Keep func(name string) bool
	// Mark gives a value for the environment of a server's process by which that and
	// all it starts can be found; nil: a random one.
	Mark func() string
	// Login gives HTTP servers their logins; nil: there are none.
	Login func(server string, c ServerConfig) (loginHandler, error)
}

// Approvals remembers what a person said yes to in a folder, bound to a hash.
type Approvals interface {
	Approved(folder, item, hash string) bool
	Approve(folder, item, hash string) error
}

// Manager holds the servers of a session.
type Manager struct {
	o       Options
	mapper  mapper
	fleet   atomic.Pointer[fleet]
	stop    context.CancelFunc
	ctx     context.Context
	dialogs chan struct{} // one slot: one dialog at a time

	promptMenu   menuList[Prompt]
	resourceMenu menuList[Resource]

	mu      sync.Mutex
	changed chan struct{} // closed and replaced with every change of state
	reader  bool          // read_resource is registered
	gone    []string      // servers that were taken away, whose tools the registry has still
	news    []string      // what the model is not told yet

	setting  sync.Mutex // of the fleet
	planning sync.Mutex
	turning  sync.Mutex
	listed   map[string]bool // deferred tools the model was told of; turning guards it; nil: find_tools is not offered
}

// Mount starts the servers in the background, all at once, and returns. A server's
// tools appear in the registry when it is ready and follow its list. Close must be
// called.
func Mount(ctx context.Context, o Options) *Manager {
	if o.Window <= 0 {
		o.Window = 200_000
	}
	if o.Share <= 0 {
		o.Share = 0.05
	}
	m := &Manager{o: o, mapper: mapper{o.OutDir}, dialogs: make(chan struct{}, 1), changed: make(chan struct{})}
	m.ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	m.fleet.Store(&fleet{})
	if o.Registry != nil {
		o.Registry.Before(m.turn)
	}
	m.Configure(o.Servers)
	return m
}

// Status tells everything of every server, sorted by name.
func (m *Manager) Status() []Status {
	var out []Status
	for _, s := range m.fleet.Load().all {
		out = append(out, s.status(true))
	}
	return out
}

// Wait waits until no server is starting any more, at most for limit, and names
// those that still are. Servers that need nobody's answer are waited for only.
func (m *Manager) Wait(ctx context.Context, limit time.Duration) (starting []string) {
	return m.wait(ctx, limit, (*server).busy)
}

// WaitAnswered is Wait where every question about a server was just answered: what comes
// of the answers is waited for as well.
func (m *Manager) WaitAnswered(ctx context.Context, limit time.Duration) (starting []string) {
	return m.wait(ctx, limit, func(s *server) bool { return s.busy() || s.asking() })
}

func (m *Manager) wait(ctx context.Context, limit time.Duration, on func(*server) bool) (starting []string) {
	t := time.NewTimer(limit)
	defer t.Stop()
	for {
		m.mu.Lock()
		changed := m.changed
		m.mu.Unlock()
		starting = nil
		for _, s := range m.fleet.Load().all {
			if on(s) {
				starting = append(starting, s.name)
			}
		}
		if len(starting) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-t.C:
			return starting
		case <-ctx.Done():
			return starting
		}
	}
}

// told lets everybody know that a server's state is another.
func (m *Manager) told(s *server) {
	m.stirred()
	if m.o.Notify != nil {
		m.o.Notify(s.status(false))
	}
}

// stirred wakes whoever waits for another state.
func (m *Manager) stirred() {
	m.mu.Lock()
	close(m.changed)
	m.changed = make(chan struct{})
	m.mu.Unlock()
}

func (m *Manager) server(name string) (*server, error) {
	f := m.fleet.Load()
	if s := f.named(name); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("no MCP server is named %q; there are %q", name, f.names())
}

// Retry starts a server anew: one that failed, that was disabled, or that runs.
func (m *Manager) Retry(name string) error { return m.command(name, "retry") }

// Disable stops a server and takes its tools away, until Retry.
func (m *Manager) Disable(name string) error { return m.command(name, "disable") }

func (m *Manager) command(name, what string) error {
	s, err := m.server(name)
	if err != nil {
		return err
	}
	select {
	case s.commands <- what:
		return nil
	case <-s.ended: // it was taken away meanwhile
		return fmt.Errorf("the MCP server %s has ended", name)
	case <-m.ctx.Done():
		return m.ctx.Err()
	}
}

// Approve accepts what a server changed in its definitions since they were
// approved; tool empty: all of it, its instructions included.
func (m *Manager) Approve(name, tool string) error {
	s, err := m.server(name)
	if err != nil {
		return err
	}
	s.approve(tool)
	return nil
}

// Switch turns one tool of a server on or off, by the server's name of it. It is
// remembered for as long as the server is configured as it is.
func (m *Manager) Switch(name, tool string, on bool) error {
	s, err := m.server(name)
	if err != nil {
		return err
	}
	return s.turn(tool, on)
}

// maxInstructions bounds what a server says about how to use it, in bytes.
const maxInstructions = 4 << 10

// Instructions are what the ready servers say about how to use them, by server:
// bounded, without what nobody sees, and only as they were when they were approved.
// They come from outside: whoever shows them to a model says so.
func (m *Manager) Instructions() map[string]string {
	out := map[string]string{}
	for _, s := range m.fleet.Load().all {
		if text := s.instructions(); text != "" {
			out[s.name] = text
		}
	}
	return out
}

func (s *server) instructions() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != Ready || slices.ContainsFunc(s.changes, func(c Change) bool { return c.Tool == "" }) {
		return ""
	}
	return strings.TrimSpace(clip(clean(s.about.Instructions), maxInstructions))
}

// Close ends all servers at once and returns when none is left, at the latest after
// about two seconds.
func (m *Manager) Close() {
	m.stop()
	var wg sync.WaitGroup
	for _, s := range m.fleet.Load().all {
		wg.Add(1)
		go func() {
			defer recovered("close a server")
			defer wg.Done()
			<-s.ended
		}()
	}
	wg.Wait()
}

func (m *Manager) manifestDir() string {
	if m.o.StateDir == "" {
		return ""
	}
	return filepath.Join(m.o.StateDir, "mcp")
}
