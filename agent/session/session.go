// Package session keeps conversations on disk.
//
// It owns the format of a session file: one append-only file of JSON lines per
// conversation, one write per line, nothing ever erased. It turns a file back
// into the history a model is to see, whatever a crash left of it. The agent
// appends to it from the goroutine of a run; faces list, find and open sessions
// between runs. It knows messages, and nothing of tools, models or screens.
package session

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"forge/swap"
)

// Version is the newest file format this code writes and understands.
const Version = 1

// maxLine bounds one record, in bytes, written or read. It is far above what a
// turn holds and far below what would stop a machine.
const maxLine = 16 << 20

// ErrReadOnly is what Append wraps when the session cannot be written: another
// forge has it open, a newer forge wrote it, or the file is not ours to change.
var ErrReadOnly = errors.New("session is read-only")

// Elsewhere is how ReadOnly begins where another forge has the session open.
const Elsewhere = "another forge has it open"

// Session is one conversation's append-only file. Its methods may be called from
// any goroutine.
type Session struct {
	mu       sync.Mutex
	path     string
	header   Header
	file     *os.File // nil until the first record that is worth a file
	size     int64    // bytes known to be whole lines
	seq      int
	pending  [][]byte // lines not on disk yet: a full disk refused them, or no file exists yet
	readOnly string   // why nothing can be appended; empty: it can
	title    string
	titleAt  int64     // where in the file the title was last written
	moved    *Moved    // where it was moved to last; nil: it is where it began
	movedAt  int64     // where in the file that was last written
	wrote    bool      // this process appended something
	last     time.Time // of the newest record
	due      bool      // something that is worth a file was appended
	broken   int       // lines that could not be read
	marked   bool      // a marker stands for the lock

	synced func() // told when the disk is waited for; nil: nobody is
}

// Create begins a session for work in the directory cwd (on this git branch, or
// ""). The file appears in dir, mode 0600, with the first message or draft, so
// that starting and leaving forge leaves nothing behind; dir itself is made now,
// so that an unwritable place is told early.
func Create(dir, cwd, branch string) (*Session, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create session: %w", err)
	}
	private(dir, 0o700)
	now := time.Now().UTC()
	id := newID(now)
	return &Session{
		path:   filepath.Join(dir, id+fileExt),
		header: Header{Version: Version, ID: id, Cwd: cwd, Branch: branch, Created: now},
	}, nil
}

// Fork begins a session in dir that starts with these records: what to do with a
// conversation that another forge has open.
func Fork(dir, cwd, branch string, rs []Record) (*Session, error) {
	s, err := Create(dir, cwd, branch)
	if err != nil {
		return nil, err
	}
	if err := s.fill(rs); err != nil {
		s.drop()
		return nil, err
	}
	return s, nil
}

// drop takes the file of a copy back that a full disk holds only a part of.
func (s *Session) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending, s.readOnly = nil, "it is closed"
	if s.file != nil {
		s.file.Close()
		os.Remove(s.path)
		s.letGo()
		s.file = nil
	}
}

// partExt ends the name of a copy that is not whole yet.
const partExt = ".part"

// fill appends many records and waits for the disk once. The file has its name when it
// is whole: half a copy, the newest conversation of its folder, would be gone on with.
func (s *Session) fill(rs []Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	talk := false
	for _, r := range rs {
		if r.Time.IsZero() {
			r.Time = s.now()
		}
		r.Seq = s.seq + 1
		line, err := encode(r)
		if err != nil {
			return fmt.Errorf("save session: %w", err)
		}
		s.seq++
		s.made(r.Time)
		if r.Title != "" {
			s.title, s.titleAt = r.Title, 0 // said again at the end
		}
		if r.Moved != nil {
			s.moved, s.movedAt = r.Moved, 0
		}
		s.pending = append(s.pending, line)
		talk = talk || r.Message != nil
	}
	if !talk {
		return nil
	}
	s.sayMoved()
	s.due = true
	whole := s.path
	s.path += partExt
	if err := s.flush(true); err != nil {
		return err
	}
	if err := s.named(whole); err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	return nil
}

// named gives a file its name, which not every system does while it is open.
func (s *Session) named(path string) error {
	if err := s.file.Close(); err != nil {
		return err
	}
	if err := swap.Rename(s.path, path); err != nil {
		return err
	}
	s.path = path
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	lock(f)
	s.file = f
	return nil
}

// childrenExt ends the name of the folder that holds the sessions of agents.
const childrenExt = ".agents"

// Children is the folder that holds the sessions of the agents this one started.
// They are found by it alone: no list of conversations has them.
func (s *Session) Children() string { return strings.TrimSuffix(s.path, fileExt) + childrenExt }

// ChildPath is the file of the session id of an agent that was started by the one whose
// session is at path. It fails for what is no ID.
func ChildPath(path, id string) (string, error) {
	if id == "" || id != filepath.Base(id) || id == "." || id == ".." || strings.ContainsAny(id, `/\`) {
		return "", fmt.Errorf("%q is no session of a sub-agent", id)
	}
	return filepath.Join(strings.TrimSuffix(path, fileExt)+childrenExt, id+fileExt), nil
}

// CreateChild begins the session of an agent that runs as a call of this one, in its
// folder Children.
func (s *Session) CreateChild(agent, call string) (*Session, error) {
	at := s.At()
	c, err := Create(s.Children(), at.Dir, at.Branch)
	if err != nil {
		return nil, err
	}
	c.header.Parent, c.header.Call, c.header.Agent = s.ID(), call, agent
	return c, nil
}

// newID sorts by time and can be typed: 20261129-234931-k3f9.
func newID(now time.Time) string {
	return now.Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:6])
}

// Open reads a session and makes it ready for appending. Lines that cannot be
// read are left where they are and skipped; a torn last line is cut off. Where
// the file cannot be written, ReadOnly says why and the records still come.
func Open(path string) (*Session, []Record, error) {
	s := &Session{path: path}
	if err := regular(path); err != nil {
		return nil, nil, fmt.Errorf("open session: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		s.readOnly = "the file may not be written"
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("open session: %w", err)
	}
	private(path, 0o600)
	if s.readOnly == "" {
		s.readOnly = s.take(f)
	}
	opened := false
	defer func() {
		if !opened {
			s.letGo()
		}
	}()
	rs, over, whole, torn, err := read(f)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open session %s: %w", path, err), f.Close())
	}
	s.broken, s.seq = over.broken, over.last
	rs = s.adopt(rs)
	if s.header.ID == "" && len(rs) == 0 {
		return nil, nil, errors.Join(fmt.Errorf("open session %s: not a forge session", path), f.Close())
	}
	s.size = whole
	if s.readOnly != "" {
		return s, rs, f.Close()
	}
	if torn {
		if err := f.Truncate(whole); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("open session %s: repair its last line: %w", path, err), f.Close())
		}
	}
	s.file, opened = f, true
	return s, rs, nil
}

// private takes what others may do with a file or folder away from them, where it
// is ours to do so: a copy or a backup may have made it open.
func private(path string, mode os.FileMode) {
	if fi, err := os.Stat(path); err == nil && fi.Mode().Perm()&0o077 != 0 {
		_ = os.Chmod(path, mode&(fi.Mode().Perm()|0o700))
	}
}

// regular fails for what is no file: opening a pipe would wait for ever.
func regular(path string) error {
	fi, err := os.Stat(path)
	if err == nil && !fi.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	return err
}

// adopt takes the header, title and sequence number out of a file's records and
// returns the others.
func (s *Session) adopt(rs []Record) []Record {
	var rest []Record
	for _, r := range rs {
		s.seq = max(s.seq, r.Seq)
		s.made(r.Time)
		if r.Title != "" {
			s.title = r.Title
		}
		if r.Moved != nil {
			s.moved = r.Moved
		}
		if r.Header == nil {
			rest = append(rest, r)
			continue
		}
		if s.header.ID == "" {
			s.header = *r.Header
		}
		if r.Header.Version > Version {
			s.readOnly = "a newer forge wrote it"
		}
	}
	return rest
}

// ID is the session's name: the time it began, UTC, and a few random letters.
func (s *Session) ID() string { return strings.TrimSuffix(filepath.Base(s.path), fileExt) }

// Path is where the file is, or will be.
func (s *Session) Path() string { return s.path }

// Header is what the session began with.
func (s *Session) Header() Header { return s.header }

// At is where the conversation is worked on: where it began, or was moved to last.
func (s *Session) At() Moved {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved != nil {
		return *s.moved
	}
	return Moved{s.header.Cwd, s.header.Branch}
}

// ReadOnly says why nothing can be appended; empty: it can.
func (s *Session) ReadOnly() string { return s.readOnly }

// Broken is how many lines of the file could not be read when it was opened; a last
// one that a crash tore is none of them.
func (s *Session) Broken() int { return s.broken }

// Title is the name a person gave the session; empty: none.
func (s *Session) Title() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.title
}
