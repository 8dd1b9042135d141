// Package trust remembers what a person allowed a workspace to do.
//
// It owns one file: which thing of which folder was approved, bound to a hash of
// the thing as it was shown. A folder arrives with a stranger's repository, so what
// it wants started is nothing before a person said yes, and nothing again once it is
// not what they said yes to. main opens the record and hands it to the rooms that
// ask; this package asks nobody and knows no other room.
package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"forge/swap"
)

// Entry is one approval.
type Entry struct {
	Folder string    `json:"folder"` // canonical
	Item   string    `json:"item"`   // "mcp:files"
	Hash   string    `json:"hash"`   // of the item as it was shown
	Time   time.Time `json:"time"`
}

// Store is the record. Several forges may use one file: each reads it anew before it
// answers, and replaces it as a whole.
type Store struct {
	path string
	mu   sync.Mutex
}

// Open returns the record in this file, which need not exist yet.
func Open(path string) *Store { return &Store{path: path} }

// maxFile bounds the record, in bytes.
const maxFile = 4 << 20

// Approved says whether this item of this folder was approved exactly as it is now.
// A record that cannot be read approves nothing.
func (s *Store) Approved(folder, item, hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, err := canonical(folder)
	if err != nil || hash == "" {
		return false
	}
	es, err := s.read()
	return err == nil && slices.ContainsFunc(es, func(e Entry) bool { return e.Folder == folder && e.Item == item && e.Hash == hash })
}

// Approve records that a person said yes to the item as it is. An earlier yes to
// another form of it is over.
func (s *Store) Approve(folder, item, hash string) error {
	if hash == "" {
		return errors.New("approve: there is no hash of what was shown")
	}
	return s.change(folder, item, &Entry{Hash: hash})
}

// Revoke takes an approval back.
func (s *Store) Revoke(folder, item string) error { return s.change(folder, item, nil) }

// Forget takes back the items of a folder, which may be gone by now, for which which
// is true. It returns what they were; what was kept of them goes too.
func (s *Store) Forget(folder string, which func(item string) bool) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	written, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	at, err := canonical(folder)
	if err != nil {
		at = written
	}
	es, err := s.read()
	if err != nil {
		return nil, fmt.Errorf("%w; move that file away to begin a new record", err)
	}
	var gone []Entry
	es = slices.DeleteFunc(es, func(e Entry) bool {
		hit := (e.Folder == at || e.Folder == written) && which(e.Item)
		if hit {
			gone = append(gone, e)
		}
		return hit
	})
	if len(gone) == 0 {
		return nil, nil
	}
	if err := s.write(es); err != nil {
		return nil, err
	}
	for _, g := range gone {
		if !slices.ContainsFunc(es, func(e Entry) bool { return e.Hash == g.Hash }) {
			if err := os.Remove(s.copyOf(g.Hash)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return gone, err
			}
		}
	}
	return gone, nil
}

// List returns all approvals, the newest last.
func (s *Store) List() ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read()
}

func (s *Store) change(folder, item string, e *Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder, err := canonical(folder)
	if err != nil {
		return err
	}
	es, err := s.read()
	if err != nil {
		return fmt.Errorf("%w; move that file away to begin a new record", err)
	}
	es = slices.DeleteFunc(es, func(e Entry) bool { return e.Folder == folder && e.Item == item })
	if e != nil {
		e.Folder, e.Item, e.Time = folder, item, time.Now().UTC().Truncate(time.Second)
		es = append(es, *e)
	}
	return s.write(es)
}

// canonical is the one name of a folder: a link to an approved folder is that
// folder, and a folder in the place of an approved link is another.
func canonical(folder string) (string, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func (s *Store) read() ([]Entry, error) {
	f, err := os.Open(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	var es []Entry
	if err := json.Unmarshal(b, &es); err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path, err)
	}
	return es, nil
}

func (s *Store) write(es []Entry) error {
	b, err := json.MarshalIndent(es, "", "  ")
	if err != nil {
		return err
	}
	return swap.Write(s.path, append(b, '\n'), 0o600, swap.Durable)
}
