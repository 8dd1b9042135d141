package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Vacant says why t cannot be moved to a path, if it cannot: something stands there,
// it lies in t itself, or in a folder for reading only. Another spelling of the same
// name is vacant where the file system does not tell the two apart.
func (w *Workspace) Vacant(t Tree, to Path) error {
	from := t.Path
	if rel, err := filepath.Rel(from.Abs, to.Abs); err == nil && filepath.IsLocal(rel) {
		if rel == "." {
			return fmt.Errorf("%s is where it lies already", to.Name)
		}
		return fmt.Errorf("%s cannot be moved into itself, to %s", from.Name, to.Name)
	}
	if to.root.readonly {
		return fmt.Errorf("%s lies in a folder that is open for reading only", to.Name)
	}
	fi, err := w.Stat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case w.respelt(t, to, fi):
		return nil
	case fi.IsDir():
		return fmt.Errorf("%s is a folder that exists; to move it in there, give to as %s", to.Name, path.Join(to.Name, path.Base(from.Rel)))
	}
	return fmt.Errorf("%s exists; give a name that is free, or delete that first", to.Name)
}

// respelt reports whether what stands at to is t itself, by a name the file system
// takes for the same: not another link to the same file.
func (w *Workspace) respelt(t Tree, to Path, fi fs.FileInfo) bool {
	if path.Dir(t.Path.Rel) != path.Dir(to.Rel) || t.Path.root != to.root || !strings.EqualFold(t.Path.Rel, to.Rel) || !os.SameFile(t.Info(), fi) {
		return false
	}
	es, err := w.ReadDir(to.Parent())
	return err == nil && !slices.ContainsFunc(es, func(e fs.DirEntry) bool { return e.Name() == path.Base(to.Rel) })
}

// Move gives t another path, where nothing may stand. Missing parent folders are
// made. If t is no longer what it was when it was looked at, or something stands at
// the new path by now, nothing is moved and the error wraps ErrChanged. Between two
// file systems it is copied, and the old one is deleted when the copy is whole: times
// and permissions are kept, what else a file system may know of a file is not.
func (w *Workspace) Move(t Tree, to Path) error {
	if err := w.unchanged(t); err != nil {
		return err
	}
	if err := w.Vacant(t, to); err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if now, err := w.ResolveEntry(to.Abs); err != nil || now.Abs != to.Abs { // a link on the way leads to where nobody agreed to
		return fmt.Errorf("%s: %w: the name leads elsewhere now", to.Name, ErrChanged)
	}
	from := t.Path
	if err := to.root.handle.MkdirAll(path.Dir(to.Rel), 0o755); err != nil {
		return to.fail(err)
	}
	_, there := w.Stat(to)
	err := rename(from, to, there == nil)
	if errors.Is(err, errAcross) {
		return w.carry(t, to)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w: it exists now", to.Name, ErrChanged)
	}
	return from.fail(err)
}

// ErrCopied is what Move wraps when what was moved is whole at its new path, and not
// all of it could be taken from the old one.
var ErrCopied = errors.New("copied, and not gone from where it was")

// errAcross says that a name cannot be given on another file system.
var errAcross = errors.New("on another file system")

// carry copies t and deletes it then. A copy that fails is taken away again.
func (w *Workspace) carry(t Tree, to Path) error {
	made := Tree{Path: to}
	err := func() error {
		for _, e := range t.Entries {
			p := to.below(e.Rel)
			if err := copyEntry(t.At(e.Rel), p, e.Info); err != nil {
				return p.fail(err)
			}
			fi, err := w.Stat(p)
			if err != nil {
				return err
			}
			made.Entries = append(made.Entries, Entry{e.Rel, fi})
		}
		for _, e := range slices.Backward(t.Entries) { // what is in a folder changes its time
			if e.Info.Mode()&fs.ModeSymlink == 0 {
				p := to.below(e.Rel)
				if err := settle(p, e.Info); err != nil {
					return p.fail(err)
				}
			}
		}
		return nil
	}()
	if err != nil {
		for _, e := range slices.Backward(made.Entries) {
			_ = to.root.handle.Remove(to.below(e.Rel).Rel)
		}
		return err
	}
	if gone, err := w.Delete(t); err != nil {
		return fmt.Errorf("%s is %w: %d of %d are gone: %w", to.Name, ErrCopied, gone, len(t.Entries), err)
	}
	return nil
}

// copyEntry makes the copy of one entry, which must not exist; a folder is empty.
func copyEntry(from, to Path, fi fs.FileInfo) error {
	switch {
	case fi.IsDir():
		return to.root.handle.Mkdir(to.Rel, 0o700)
	case fi.Mode()&fs.ModeSymlink != 0:
		target, err := from.root.handle.Readlink(from.Rel)
		if err != nil {
			return err
		}
		return to.root.handle.Symlink(target, to.Rel)
	}
	in, err := from.root.handle.OpenFile(from.Rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.root.handle.OpenFile(to.Rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	keepOwner(out, fi)
	return errors.Join(err, out.Sync(), out.Close())
}

// settle gives a copy the permissions and the time of what it was copied from.
func settle(p Path, fi fs.FileInfo) error {
	return errors.Join(p.root.handle.Chmod(p.Rel, fi.Mode().Perm()), p.root.handle.Chtimes(p.Rel, fi.ModTime(), fi.ModTime()))
}
