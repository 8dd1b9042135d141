package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// ErrCrowded is what Tree wraps when a folder holds more than was to be looked at.
var ErrCrowded = errors.New("too many files")

// Tree is what a name stood for when it was looked at: a file, a link, or a folder
// with all that is in it. What is moved or deleted is a Tree, so that it is what
// somebody agreed to.
type Tree struct {
	Path    Path
	Entries []Entry // the name itself first; a folder before what is in it
}

// Entry is one name of a Tree. Rel is relative to the Tree's Path, with slashes;
// "." is that path itself. Info is that of a link, not of what it leads to.
type Entry struct {
	Rel  string
	Info fs.FileInfo
}

// Tree looks at what is to be moved or deleted, and says why it may not be: a folder
// of the workspace itself, or one with such a folder in it; what lies in a folder for
// reading only; a pipe, a socket or a device, there or in it; more than most entries.
// Links are not followed.
func (w *Workspace) Tree(p Path, most int) (Tree, error) {
	t := Tree{Path: p}
	for _, r := range w.list() {
		switch rel, err := filepath.Rel(p.Abs, r.dir); {
		case err != nil || !filepath.IsLocal(rel):
		case rel == ".":
			return t, fmt.Errorf("%s is a folder of the workspace itself; it stays where it is", p.Name)
		default:
			return t, fmt.Errorf("%s has a folder of the workspace in it, which stays where it is", p.Name)
		}
	}
	fi, err := w.Stat(p)
	if err != nil {
		return t, err
	}
	if p.root.readonly {
		_, err := w.Writable(p)
		return t, err
	}
	err = w.addTo(&t, ".", fi, most)
	return t, err
}

// addTo takes an entry and all that is in it.
func (w *Workspace) addTo(t *Tree, rel string, fi fs.FileInfo, most int) error {
	if m := fi.Mode(); !m.IsDir() && m&fs.ModeSymlink == 0 {
		if err := regular(t.At(rel), fi); err != nil {
			return err
		}
	}
	if len(t.Entries) == most {
		return fmt.Errorf("%s holds %w: more than %d", t.Path.Name, ErrCrowded, most)
	}
	t.Entries = append(t.Entries, Entry{rel, fi})
	if !fi.IsDir() {
		return nil
	}
	here := t.At(rel)
	es, err := w.ReadDir(here)
	if err != nil {
		return err
	}
	for _, e := range es {
		rel := path.Join(rel, e.Name())
		fi, err := w.Stat(t.At(rel))
		if err != nil {
			return err
		}
		if err := w.addTo(t, rel, fi, most); err != nil {
			return err
		}
	}
	return nil
}

// At is the path of an entry.
func (t Tree) At(rel string) Path { return t.Path.below(rel) }

// Parent is the folder a path lies in; that of a workspace folder is itself.
func (p Path) Parent() Path {
	if p.Rel == "." {
		return p
	}
	return Path{Rel: path.Dir(p.Rel), Abs: filepath.Dir(p.Abs), Name: path.Dir(p.Name), root: p.root}
}

func (p Path) below(rel string) Path {
	if rel == "." {
		return p
	}
	return Path{Rel: path.Join(p.Rel, rel), Abs: filepath.Join(p.Abs, filepath.FromSlash(rel)), Name: path.Join(p.Name, rel), root: p.root}
}

// Info describes the name itself.
func (t Tree) Info() fs.FileInfo { return t.Entries[0].Info }

// Under are the absolute paths of all entries as they are, or would be under another
// path.
func (t Tree) Under(p Path) []string {
	var out []string
	for _, e := range t.Entries {
		out = append(out, p.below(e.Rel).Abs)
	}
	return out
}

// Count is how many files and links there are, and the bytes of the files.
func (t Tree) Count() (files int, size int64) {
	for _, e := range t.Entries {
		if e.Info.IsDir() {
			continue
		}
		files++
		if e.Info.Mode().IsRegular() {
			size += e.Info.Size()
		}
	}
	return files, size
}

// unchanged fails, naming the first thing that differs, if t is not what it was. Times and sizes of files are compared, not what they hold.
func (w *Workspace) unchanged(t Tree) error {
	now, err := w.Tree(t.Path, len(t.Entries))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: it is gone", t.Path.Name, ErrChanged)
	case errors.Is(err, ErrCrowded):
		return fmt.Errorf("%s: %w: there is more in it", t.Path.Name, ErrChanged)
	case err != nil:
		return err
	}
	for i, e := range t.Entries {
		if i == len(now.Entries) || !e.same(now.Entries[i]) {
			return fmt.Errorf("%s: %w", t.At(e.Rel).Name, ErrChanged)
		}
	}
	return nil
}

func (e Entry) same(now Entry) bool {
	a, b := e.Info, now.Info
	if e.Rel != now.Rel || a.Mode().Type() != b.Mode().Type() || !os.SameFile(a, b) {
		return false
	}
	return a.IsDir() || a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// Delete takes away what t was when it was looked at, and nothing else: a link and
// not what it leads to, and of a folder no file that came into it or was changed
// since. If anything is not as it was, nothing is deleted and the error wraps
// ErrChanged. gone is how many entries are gone, which with an error may be some of
// them: the folder that a file cannot be taken from may be read-only.
func (w *Workspace) Delete(t Tree) (gone int, err error) {
	if err := w.unchanged(t); err != nil {
		return 0, err
	}
	for i := len(t.Entries) - 1; i >= 0; i-- {
		e := t.Entries[i]
		p := t.At(e.Rel)
		now, err := w.Stat(p)
		if err == nil && !e.same(Entry{e.Rel, now}) {
			err = fmt.Errorf("%s: %w", p.Name, ErrChanged)
		}
		if err == nil {
			err = p.fail(p.root.handle.Remove(p.Rel))
		}
		if err != nil {
			return len(t.Entries) - 1 - i, err
		}
	}
	return len(t.Entries), nil
}
