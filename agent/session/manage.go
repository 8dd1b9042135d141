package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// ErrInUse says that a forge has the session open.
var ErrInUse = errors.New("another forge has it open; leave it there first")

// Rename gives a stored session a title. One that a forge has open is not touched.
func Rename(path, title string) error {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return errors.New("rename session: the new name is empty")
	}
	s, _, err := Open(path)
	if err != nil {
		return err
	}
	if why := s.ReadOnly(); why != "" {
		if InUse(path) {
			return fmt.Errorf("rename session %s: %w", s.ID(), ErrInUse)
		}
		return fmt.Errorf("rename session %s: %s", s.ID(), why)
	}
	return errors.Join(s.Append(Record{Title: title}), s.Close())
}

// Remove deletes a stored session, and those of the agents it started. One that a
// forge has open stays.
func Remove(path string) error {
	if err := regular(path); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	if InUse(path) {
		return fmt.Errorf("delete session %s: %w", strings.TrimSuffix(filepath.Base(path), fileExt), ErrInUse)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	_ = os.Remove(path + markerExt) // of one who is no more
	if err := removeChildren(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("delete the sessions of its agents: %w", err)
	}
	return nil
}

// removeChildren deletes the session files beside a session that are its agents', and
// the folders they leave empty. What else lies there stays.
func removeChildren(path string) error {
	dir := strings.TrimSuffix(path, fileExt) + childrenExt
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := filepath.Join(dir, e.Name()); e.Type().IsRegular() && strings.HasSuffix(name, fileExt) {
			err = errors.Join(err, os.Remove(name))
			if e := removeChildren(name); e != nil && !errors.Is(e, os.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
	}
	_ = os.Remove(dir) // unless something else lies in it
	return err
}

// Prune deletes the sessions of a folder that were used last before a time, and as
// long before the newest of them, but none that a forge has open, and not the file except. It returns how many those were; what cannot be
// deleted stays.
func Prune(dir string, before time.Time, except string) int {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	n := 0
	before = age(before, newest(entries))
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil || !fi.Mode().IsRegular() || !strings.HasSuffix(e.Name(), fileExt) || !fi.ModTime().Before(before) {
			continue
		}
		if path := filepath.Join(dir, e.Name()); path != except && Remove(path) == nil {
			n++
		}
	}
	return n
}

// Lines calls yield with each whole line of a session file that can be read, as it
// stands there, records of kinds this version does not know included, until yield
// returns false. Lines over the limit and lines that are no record are left out; it
// returns how many those were.
func Lines(path string, yield func(line []byte, offset int64) bool) (skipped int, err error) {
	return LinesFrom(path, 0, yield)
}

// LinesFrom is Lines from the line that begins at an offset.
func LinesFrom(path string, at int64, yield func(line []byte, offset int64) bool) (skipped int, err error) {
	if err := regular(path); err != nil {
		return 0, fmt.Errorf("read session: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(at, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read session: %w", err)
	}
	br := bufio.NewReaderSize(f, 64<<10)
	for {
		text, n, err := readLine(br)
		if err == io.EOF {
			return skipped, nil // a last line without its end is not there
		}
		if err != nil {
			return skipped, fmt.Errorf("read session: %w", err)
		}
		if v := gjson.ParseBytes(text); len(text) == 0 || !gjson.ValidBytes(text) || !v.IsObject() || v.Get("type").Str == "" {
			skipped++
		} else if !yield(text, at) {
			return skipped, nil
		}
		at += n
	}
}

// Parse reads one line of a session. A record of an unknown kind is empty but for
// its number and time.
func Parse(line []byte) (Record, error) { return tryDecode(line) }

// Line is a record as it lies in a file, with its newline.
func Line(r Record) ([]byte, error) { return encode(r) }
