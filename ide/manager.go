package ide

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Manager holds the connection to an editor; there is one at most. Nothing is looked for
// and nothing is connected before it is asked to.
type Manager struct {
	Places  Places
	Dir     string // the workspace
	Version string // of forge, for the greeting
	// Changed hears that State is another; Named, that the person sent a place from the
	// editor, lines from 1 or 0. Both are called from goroutines of the connection, and
	// must not block long. They may be nil.
	Changed func()
	Named   func(path string, first, last int)

	connecting sync.Mutex

	mu    sync.Mutex
	conn  *conn
	state State
	shut  bool
}

// State is how things stand with the editor.
type State struct {
	Bridge    Bridge // the one there is a connection to, or was last
	Connected bool
	Diff      bool  // it shows changes
	Hears     bool  // it tells where the person is
	Why       error // why there is none any more; nil: none was lost
	At        Context
}

// Find lists the bridges there are, as Places.Find does.
func (m *Manager) Find() []Bridge { return m.Places.Find(m.Dir) }

// Now is how things stand.
func (m *Manager) Now() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// Connect speaks to the bridge of this folder; id names one (its ID, its port, or the
// editor's name), empty: the one there is. A connection there was ends.
func (m *Manager) Connect(ctx context.Context, id string) (Bridge, error) {
	return m.connect(ctx, id, false)
}

// connect is Connect; with join one that was made while this waited is kept.
func (m *Manager) connect(ctx context.Context, id string, join bool) (Bridge, error) {
	m.connecting.Lock()
	defer m.connecting.Unlock()
	switch now := m.Now(); {
	case ctx.Err() != nil: // taken back while another was being connected
		return Bridge{}, ctx.Err()
	case join && now.Connected:
		return now.Bridge, nil
	}
	found := m.Find()
	b, err := choose(found)
	if id != "" {
		b, err = byID(found, id)
	}
	if err != nil {
		return b, err
	}
	m.Disconnect()
	c, err := connect(ctx, b, m.Dir, m.Version, m.moved, m.Named)
	if err != nil {
		m.set(func(s *State) { *s = State{Bridge: b, Why: err} })
		return b, err
	}
	m.mu.Lock()
	if m.shut {
		m.mu.Unlock()
		c.peer.lose(ErrApart)
		return b, ErrApart
	}
	m.conn = c
	c.mu.Lock()
	at := c.at
	c.mu.Unlock()
	m.state = State{Bridge: b, Connected: true, Diff: c.canDiff(), Hears: c.hears, At: at}
	m.mu.Unlock()
	m.changed()
	go m.watch(c)
	return b, nil
}

// Join is Connect to the one there is, where none is connected yet.
func (m *Manager) Join(ctx context.Context) error {
	if m.Now().Connected {
		return nil
	}
	_, err := m.connect(ctx, "", true)
	return err
}

// watch notes that the editor is gone.
func (m *Manager) watch(c *conn) {
	defer recovered("watch the editor")
	<-c.peer.gone
	m.mu.Lock()
	mine := m.conn == c
	if mine {
		m.conn = nil
		m.state = State{Bridge: m.state.Bridge, Why: c.peer.lost()}
	}
	m.mu.Unlock()
	if mine {
		m.changed()
	}
}

// Disconnect ends the connection, if there is one.
func (m *Manager) Disconnect() {
	m.mu.Lock()
	c := m.conn
	m.conn = nil
	m.state = State{Bridge: m.state.Bridge}
	m.mu.Unlock()
	if c != nil {
		c.closeAll()
		c.peer.lose(ErrApart)
		m.changed()
	}
}

// Close ends everything, for good.
func (m *Manager) Close() {
	m.mu.Lock()
	m.shut = true
	m.mu.Unlock()
	m.Disconnect()
}

func (m *Manager) set(f func(*State)) {
	m.mu.Lock()
	f(&m.state)
	m.mu.Unlock()
	m.changed()
}

func (m *Manager) changed() {
	if m.Changed != nil {
		m.Changed()
	}
}

// moved notes where the person is. Whoever watches hears of it only where they would see
// it: a cursor that moves on in the same file is no news.
func (m *Manager) moved(c *conn, at Context) {
	m.mu.Lock()
	was := m.state.At
	if m.conn != c { // still connecting: Connect reads it; or the one before
		m.mu.Unlock()
		return
	}
	m.state.At = at
	m.mu.Unlock()
	if was.Path != at.Path || was.Text != at.Text || was.First != at.First || was.Last != at.Last {
		m.changed()
	}
}

func (m *Manager) connected() (*conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.conn == nil {
		return nil, ErrApart
	}
	return m.conn, nil
}

// Diff shows text as the new content of the file at path, which is absolute, in the
// editor's own diff, and waits for the person there. When ctx ends it is closed again.
// The error says why nothing is known of an answer; it is none.
func (m *Manager) Diff(ctx context.Context, path, text string) (Outcome, error) {
	c, err := m.connected()
	if err != nil {
		return Outcome{}, err
	}
	return c.diff(ctx, path, text)
}

// Look is where the person is now, with the files that are open and, where the editor
// tells it, what is wrong in the one they are in.
func (m *Manager) Look(ctx context.Context) (Context, []Problem, error) {
	c, err := m.connected()
	if err != nil {
		return Context{}, nil, err
	}
	c.mu.Lock()
	at := c.at
	c.mu.Unlock()
	at.Open = slices.Clone(at.Open)
	var wrong []Problem
	if c.tools["getOpenEditors"] {
		if open := c.editors(ctx); open != nil {
			at.Open = open
		}
	}
	if c.tools["getDiagnostics"] && at.Path != "" {
		wrong = c.problems(ctx, at.Path)
	}
	if c.peer.lost() != nil || errors.Is(ctx.Err(), context.Canceled) {
		return Context{}, nil, ErrGone
	}
	return at, wrong, nil
}
