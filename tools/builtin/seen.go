package builtin

import (
	"crypto/sha256"
	"os"
	"strings"
	"sync"
)

// Seen remembers what the model knows of each file: the content it last read or
// wrote. Contents are compared, not times: a file touched is not a file changed.
// Its methods may be called from any goroutine.
type Seen struct {
	mu    sync.Mutex
	files map[string]seenFile // by absolute path
	kept  int                 // bytes held in contents
}

type seenFile struct {
	sum     [sha256.Size]byte
	content []byte // nil where it was too long to keep
}

// freshness is what the model knows of a file.
type freshness int

const (
	unread  freshness = iota
	fresh             // it is as the model last saw it
	changed           // somebody changed it since
)

// Contents are kept to show what changed, small files first come.
const (
	maxSeenFile = 256 << 10
	maxSeenAll  = 32 << 20
)

// Record notes that the model knows path to hold content.
func (s *Seen) Record(path string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]seenFile{}
	}
	s.kept -= len(s.files[path].content)
	f := seenFile{sum: sha256.Sum256(content)}
	if len(content) <= maxSeenFile && s.kept+len(content) <= maxSeenAll {
		f.content = append([]byte{}, content...)
		s.kept += len(content)
	}
	s.files[path] = f
}

// has reports whether the model knows path at all.
func (s *Seen) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.files[path]
	return ok
}

// Forget drops path, and all beneath it: it is gone.
func (s *Seen) Forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.files {
		if _, ok := beneath(path, name); ok {
			s.kept -= len(s.files[name].content)
			delete(s.files, name)
		}
	}
}

// Move notes that path, and all beneath it, has another path now.
func (s *Seen) Move(path, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	moved := map[string]seenFile{}
	for name, f := range s.files {
		if rest, ok := beneath(path, name); ok {
			delete(s.files, name)
			moved[to+rest] = f
		}
	}
	for name, f := range moved {
		s.kept -= len(s.files[name].content)
		s.files[name] = f
	}
}

// beneath reports whether name is path or lies in it, and what follows path then.
func beneath(path, name string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(name, path)
	return rest, ok && (rest == "" || os.IsPathSeparator(rest[0]))
}

// check compares content, what path holds now, with what the model knows. last is
// what it saw, where that was kept.
func (s *Seen) check(path string, content []byte) (state freshness, last []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[path]
	switch {
	case !ok:
		return unread, nil
	case f.sum == sha256.Sum256(content):
		return fresh, f.content
	}
	return changed, f.content
}
