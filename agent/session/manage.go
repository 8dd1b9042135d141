package session

import (
	"bufio"
	"bytes"
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

// Prune deletes the sessions of a folder that were used last before a time, but
// none that a forge has open, and not the file except. It returns how many those were; what cannot be
// deleted stays.
func Prune(dir string, before time.Time, except string) int {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	n := 0
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

// Import copies an exported session into dir under a new ID; it belongs to the
// folder cwd from then on. A file that is no session, holds nothing, or was written
// by a newer forge is refused; lines that cannot be read are left out and counted.
func Import(dir, file, cwd string) (Info, int, error) {
	fail := func(err error) (Info, int, error) { return Info{}, 0, fmt.Errorf("import %s: %w", file, err) }
	s, err := Create(dir, cwd, "")
	if err != nil {
		return fail(err)
	}
	var out bytes.Buffer
	var rs []Record
	var bad error
	skipped, err := Lines(file, func(line []byte, _ int64) bool {
		r, err := Parse(line)
		switch {
		case err != nil:
			bad = err
		case len(rs) == 0 && out.Len() == 0 && r.Header == nil:
			bad = errors.New("not a forge session: its first line is no header")
		case r.Header != nil && r.Header.Version > Version:
			bad = fmt.Errorf("a newer forge wrote it (format %d, this one knows %d)", r.Header.Version, Version)
		case r.Header != nil && out.Len() == 0:
			s.header.Branch, s.header.From = r.Header.Branch, r.Header.ID
			header, err := encode(Record{Seq: r.Seq, Time: time.Now().UTC(), Header: &s.header})
			bad = err
			out.Write(header)
		case r.Header == nil:
			rs = append(rs, r)
			out.Write(line)
		}
		return bad == nil
	})
	switch {
	case err != nil:
		return fail(err)
	case bad != nil:
		return fail(bad)
	case out.Len() == 0: // nor anything else of a session: an export for people, maybe
		return fail(errors.New("there is no conversation in it that forge can take in"))
	case len(Messages(rs)) == 0:
		return fail(errors.New("there is no conversation in it"))
	}
	if err := Check(Messages(rs)); err != nil {
		return fail(fmt.Errorf("its history is broken: %w", err))
	}
	if err := writeNew(s.path, out.Bytes()); err != nil {
		return fail(err)
	}
	info, err := describe(s.path)
	return info, skipped, err
}

// writeNew writes a file that appears whole or not at all.
func writeNew(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Line is a record as it lies in a file, with its newline.
func Line(r Record) ([]byte, error) { return encode(r) }
