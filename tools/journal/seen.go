package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// A seen holds what files held when they were last looked at: a command may change
// them, and then it is too late to read them. It is one file for the life of one
// process, with its table in memory, since a file for each would cost more than
// reading them. Where the system allows it, it has no name: nothing is left of it
// after a crash.
type seen struct {
	mu    sync.Mutex
	dir   string
	file  *os.File
	size  int64
	limit int64
	where map[sum]span
	key   *secret // of this process
}

type sum = [sha256.Size]byte

type span struct{ at, size int64 }

var errFull = errors.New("too much to keep")

// put keeps a content.
func (s *seen) put(data []byte) (sum, error) {
	h := sha256.Sum256(data)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.where[h]; ok {
		return h, nil
	}
	if s.size+int64(len(data)) > s.limit {
		return h, errFull
	}
	if s.file == nil {
		if err := s.open(); err != nil {
			return h, err
		}
	}
	if _, err := s.file.WriteAt(s.key.crypt(h, data), s.size); err != nil {
		return h, err
	}
	s.where[h] = span{s.size, int64(len(data))}
	s.size += int64(len(data))
	return h, nil
}

func (s *seen) open() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, seenPrefix+"*") // mode 0600
	if err != nil {
		return err
	}
	_ = os.Remove(f.Name()) // fails on Windows while it is open: close tries again
	s.file, s.size, s.where = f, 0, map[sum]span{}
	return nil
}

// held is how many bytes are kept.
func (s *seen) held() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// key is the sum a hash writes out.
func key(hash string) (h sum) {
	_, _ = hex.Decode(h[:], []byte(hash[:min(len(hash), 2*len(h))]))
	return h
}

const seenPrefix = "seen-"

// get returns a content that was put.
func (s *seen) get(h sum) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.where[h]
	if !ok {
		return nil, fs.ErrNotExist
	}
	data := make([]byte, at.size)
	if at.size == 0 {
		return data, nil
	}
	if _, err := s.file.ReadAt(data, at.at); err != nil {
		return nil, err
	}
	data = s.key.crypt(h, data)
	if sha256.Sum256(data) != h {
		return nil, errDamaged
	}
	return data, nil
}

// full says whether it is time to begin anew: contents nobody knows any more are
// never taken out.
func (s *seen) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size > s.limit/10*9
}

// close drops everything.
func (s *seen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
	s.file, s.where, s.size = nil, nil, 0
}
