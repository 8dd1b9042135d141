package sandbox

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"forge/swap"
)

// ErrChanged is what Write and Remove wrap when a file is no longer what the
// caller thinks it is.
var ErrChanged = errors.New("changed on disk meanwhile")

// ErrTooLarge is what ReadFile wraps when a file is longer than its limit.
var ErrTooLarge = errors.New("too large")

// ReadFile reads a whole regular file of at most limit bytes.
func (w *Workspace) ReadFile(p Path, limit int64) ([]byte, error) {
	f, err := w.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, p.fail(err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is %w: more than %d bytes", p.Name, ErrTooLarge, limit)
	}
	return data, nil
}

// Write makes p hold data. before is what it must hold now, nil if it must not
// exist; mode is what it gets, 0 to keep the old one (0644 less the umask for a
// new file). Missing parent folders are made.
//
// The new content goes to a file beside p and takes its name in one step, so
// nobody sees half of it and a hard link elsewhere keeps the old content. What p
// holds is compared just before that step; a writer within the microseconds that
// are left goes unseen. The setuid, setgid and sticky bits are not kept. Where the
// folder takes no file beside p, or p is a mount of its own, p is written over in
// place.
func (w *Workspace) Write(p Path, before, data []byte, mode fs.FileMode) error {
	old, err := w.expect(p, before != nil)
	if err != nil {
		return err
	}
	dir := path.Dir(p.Rel)
	if err := p.root.handle.MkdirAll(dir, 0o755); err != nil {
		return p.fail(err)
	}
	temp := path.Join(dir, tempBegin+rand.Text()+tempEnd)
	perm := fs.FileMode(0o644)
	if old != nil {
		perm = 0o600 // private until it has its final mode
	}
	f, err := p.root.handle.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		if old != nil && noRename(err) {
			err = p.overwrite(old, before, data, mode, err)
		}
		return p.fail(err)
	}
	defer p.root.handle.Remove(temp) // fails once it has its final name
	if err := fill(f, data, old, mode); err != nil {
		return p.fail(err)
	}
	if old == nil {
		return p.fail(create(p, temp))
	}
	if err := w.same(p, before); err != nil {
		return err
	}
	err = swap.Patiently(func() error { return p.root.handle.Rename(temp, p.Rel) })
	if err != nil && noRename(err) {
		err = p.overwrite(old, before, data, mode, err)
	}
	return p.fail(err)
}

// overwrite makes p hold data without another file taking its name, which failed
// because of why. A file with a second name is left alone: that may lie outside.
func (p Path) overwrite(old fs.FileInfo, before, data []byte, mode fs.FileMode, why error) error {
	f, err := p.root.handle.OpenFile(p.Rel, os.O_RDWR|nonblock, 0)
	if err != nil {
		return why
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() || !os.SameFile(fi, old) {
		return fmt.Errorf("%s: %w", p.Name, ErrChanged)
	}
	if !oneName(fi) {
		return why
	}
	now, err := io.ReadAll(io.LimitReader(f, int64(len(before))+1))
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return fmt.Errorf("%s: %w", p.Name, ErrChanged)
	}
	if err := replace(f, data); err != nil {
		return errors.Join(err, replace(f, before)) // its old bytes take no new room
	}
	if mode != 0 && mode.Perm() != fi.Mode().Perm() {
		err = f.Chmod(mode.Perm())
	}
	return errors.Join(err, f.Sync())
}

func replace(f *os.File, data []byte) error {
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data)))
}

// Writable describes the file that p is, nil if there is none yet, and says why
// Write would refuse it, if it would: a folder, a pipe, a read-only file.
func (w *Workspace) Writable(p Path) (fs.FileInfo, error) {
	if p.root.readonly {
		return nil, fmt.Errorf("%s lies in a folder that is open for reading only", p.Name)
	}
	old, err := w.Stat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = regular(p, old)
	}
	if err == nil && old.Mode().Perm()&0o200 == 0 {
		err = fmt.Errorf("%s is read-only (mode %04o); make it writable first (chmod u+w) if it is to be changed", p.Name, old.Mode().Perm())
	}
	return old, err
}

// expect is Writable for a caller who thinks to know whether p exists.
func (w *Workspace) expect(p Path, exists bool) (fs.FileInfo, error) {
	old, err := w.Writable(p)
	switch {
	case err != nil:
		return nil, err
	case old == nil && exists:
		return nil, fmt.Errorf("%s: %w: it is gone", p.Name, ErrChanged)
	case old != nil && !exists:
		return nil, fmt.Errorf("%s: %w: it exists now", p.Name, ErrChanged)
	}
	return old, nil
}

// fill writes, gives the file its mode and owner, and closes it.
func fill(f *os.File, data []byte, old fs.FileInfo, mode fs.FileMode) error {
	_, err := f.Write(data)
	if err == nil && old != nil {
		keepOwner(f, old)
		if mode == 0 {
			mode = old.Mode()
		}
	}
	if err == nil && mode != 0 {
		err = f.Chmod(mode.Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// create gives the finished file its name if nobody took that meanwhile. Where
// the file system has no hard links, looking and renaming are two steps.
func create(p Path, temp string) error {
	err := p.root.handle.Link(temp, p.Rel)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w: it exists now", p.Name, ErrChanged)
	}
	if err == nil {
		return nil
	}
	if _, err := p.root.handle.Lstat(p.Rel); err == nil {
		return fmt.Errorf("%s: %w: it exists now", p.Name, ErrChanged)
	}
	return swap.Patiently(func() error { return p.root.handle.Rename(temp, p.Rel) })
}

// same fails if p does not hold exactly before.
func (w *Workspace) same(p Path, before []byte) error {
	now, err := w.ReadFile(p, int64(len(before)))
	if errors.Is(err, ErrTooLarge) || err == nil && !bytes.Equal(now, before) {
		return fmt.Errorf("%s: %w", p.Name, ErrChanged)
	}
	return err
}

// Remove deletes a file that holds exactly before.
func (w *Workspace) Remove(p Path, before []byte) error {
	if _, err := w.expect(p, true); err != nil {
		return err
	}
	if err := w.same(p, before); err != nil {
		return err
	}
	return p.fail(p.root.handle.Remove(p.Rel))
}
