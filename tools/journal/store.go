package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"forge/swap"
)

// A store keeps contents under their hashes, one file each, and the lines of one
// conversation's journal.
type store struct {
	dir string  // made when the first thing is kept
	key *secret // nil: nothing was ever kept
}

func (s *store) path(hash string) string { return filepath.Join(s.dir, objects, hash[:2], hash[2:]) }

const (
	objects = "objects"
	logName = "journal.jsonl"
)

// put keeps a content for good.
func (s *store) put(data []byte) (hash string, err error) {
	hash = hashOf(data)
	if s.has(hash) {
		return hash, nil
	}
	return hash, s.write(s.path(hash), s.key.crypt(key(hash), data))
}

// write makes a file in one step. It is not synced: what a power cut takes is
// found out by its hash.
func (s *store) write(file string, data []byte) error {
	return swap.Write(file, data, 0o600, swap.Quick)
}

func (s *store) has(hash string) bool {
	if len(hash) != 64 {
		return false
	}
	_, err := os.Lstat(s.path(hash))
	return err == nil
}

var errDamaged = errors.New("what was kept of it is damaged")

func (s *store) get(hash string) ([]byte, error) {
	if len(hash) != 64 {
		return nil, fs.ErrNotExist
	}
	data, err := os.ReadFile(s.path(hash))
	if err == nil {
		data = s.key.crypt(key(hash), data)
	}
	if err == nil && hashOf(data) != hash {
		err = errDamaged
	}
	return data, err
}

// append writes one line of the journal. A part of a line that a full disk left is
// taken off again.
func (s *store) append(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, logName), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	line := append(b, '\n')
	if n := fi.Size(); n > 0 { // a crash may have left half a line: the next must not be welded to it
		last := []byte{0}
		if _, err := f.ReadAt(last, n-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	if n, err := f.Write(line); err != nil {
		if n > 0 {
			err = errors.Join(err, f.Truncate(fi.Size()))
		}
		return err
	}
	return nil
}

// lines reads the journal. Lines that cannot be read are passed over.
func (s *store) lines() ([]record, error) {
	data, err := os.ReadFile(filepath.Join(s.dir, logName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var rs []record
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) == nil && r.Type != "" {
			rs = append(rs, r)
		}
	}
	return rs, err
}

// size is how many bytes the objects take.
func (s *store) size() (n int64) {
	s.each(func(_ string, fi fs.FileInfo) { n += fi.Size() })
	return n
}

func (s *store) each(f func(hash string, fi fs.FileInfo)) {
	root := filepath.Join(s.dir, objects)
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || swap.Unfinished(path) {
			return nil
		}
		if fi, err := e.Info(); err == nil {
			f(filepath.Base(filepath.Dir(path))+e.Name(), fi)
		}
		return nil
	})
}

// sweep deletes the objects nobody speaks of.
func (s *store) sweep(used map[string]bool) {
	s.each(func(hash string, _ fs.FileInfo) {
		if !used[hash] {
			os.Remove(s.path(hash))
		}
	})
}

// copyTo makes the journal another conversation's too.
func (s *store) copyTo(to *store) error {
	data, err := os.ReadFile(filepath.Join(s.dir, logName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var errs error
	s.each(func(hash string, _ fs.FileInfo) {
		file := to.path(hash)
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil && os.Link(s.path(hash), file) != nil && !to.has(hash) {
			var data []byte
			if data, err = os.ReadFile(s.path(hash)); err == nil {
				err = to.write(file, data)
			}
		}
		errs = errors.Join(errs, err)
	})
	if errs != nil {
		return fmt.Errorf("copy the journal: %w", errs)
	}
	return to.write(filepath.Join(to.dir, logName), data)
}
