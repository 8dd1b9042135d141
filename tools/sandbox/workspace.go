// Package sandbox confines what tools do: paths to the workspace, processes to a
// policy.
//
// It owns the meaning of a path a model names (Workspace, on os.Root) and how a
// command is started and ended. The built-in tools call it from the goroutines of
// runs; permission asks it which names are protected. It knows no tool and no
// model.
package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"forge/sorting"
)

// MaxPath is the longest path that is looked at, in bytes. os.Root walks a path
// component by component, so a longer one than the kernel takes would be made,
// folder by folder.
const MaxPath = 4096

// ErrOutside is what every refusal of a path outside the workspace wraps.
var ErrOutside = errors.New("outside the workspace")

// Workspace is the folders a model may read and write: one main folder and those
// a person added. Every operation goes through an os.Root opened when the folder
// was added, so neither "..", nor a symbolic link, nor a folder swapped meanwhile
// leads out. Its methods may be called from any goroutine.
type Workspace struct {
	mu    sync.RWMutex
	roots []*root // the main one first
}

type root struct {
	dir       string     // canonical: absolute, no symbolic links
	spellings [][]string // the components of every absolute name the folder goes by
	handle    *os.Root
	readonly  bool
}

// Path is a name that was resolved: no symbolic link is left in it (one put there
// later is followed by os.Root, which refuses to leave).
type Path struct {
	Rel  string // relative to its folder, with slashes; "." is the folder itself
	Abs  string // absolute and canonical
	Name string // how results and changes name it: Rel in the main folder, else Abs
	root *root
}

// OpenWorkspace opens dir, and extra folders beside it. Close it when the session
// ends.
func OpenWorkspace(dir string, extra ...string) (*Workspace, error) {
	w := &Workspace{}
	for _, d := range append([]string{dir}, extra...) {
		if err := w.Add(d); err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

// Add opens one more folder to reading and writing.
func (w *Workspace) Add(dir string) error { return w.add(dir, false) }

// AddReadOnly opens one more folder to reading alone: where forge keeps the whole
// of a long output, for one.
func (w *Workspace) AddReadOnly(dir string) error { return w.add(dir, true) }

func (w *Workspace) add(dir string, readonly bool) error {
	given, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("open workspace %s: %w", dir, err)
	}
	canonical, err := filepath.EvalSymlinks(given)
	if err != nil {
		return fmt.Errorf("open workspace %s: %w", dir, err)
	}
	handle, err := os.OpenRoot(canonical)
	if err != nil {
		return fmt.Errorf("open workspace %s: %w", dir, err)
	}
	r := &root{dir: canonical, handle: handle, readonly: readonly,
		spellings: [][]string{components(canonical), components(given)}}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.roots = append(w.roots, r)
	return nil
}

// Close lets go of the folders. Later operations fail.
func (w *Workspace) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, r := range w.roots {
		errs = append(errs, r.handle.Close())
	}
	return errors.Join(errs...)
}

// Root is the main folder, absolute and canonical.
func (w *Workspace) Root() string { return w.list()[0].dir }

// Roots are all folders, the main one first, absolute and canonical.
func (w *Workspace) Roots() []string {
	var dirs []string
	for _, r := range w.list() {
		dirs = append(dirs, r.dir)
	}
	return dirs
}

// WritableRoots are the folders that may be written to.
func (w *Workspace) WritableRoots() []string {
	var dirs []string
	for _, r := range w.list() {
		if !r.readonly {
			dirs = append(dirs, r.dir)
		}
	}
	return dirs
}

func (w *Workspace) list() []*root {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return slices.Clone(w.roots)
}

// find returns the folder an absolute path lies in, the innermost if one lies in
// another, and what of the path is left below it. It compares components, not
// text: /ws-evil is not in /ws. Nothing is cleaned, so a ".." stays and is judged
// where it stands. Windows finds a folder by its name in any case.
func find(roots []*root, abs string) (*root, []string) {
	parts := components(abs)
	var best *root
	depth := -1
	for _, r := range roots {
		for _, s := range r.spellings {
			if len(s) > depth && len(s) <= len(parts) && slices.EqualFunc(parts[:len(s)], s, sameFolder(runtime.GOOS)) {
				best, depth = r, len(s)
			}
		}
	}
	if best == nil {
		return nil, nil
	}
	return best, parts[depth:]
}

func sameFolder(system string) func(a, b string) bool {
	if system == "windows" {
		return strings.EqualFold
	}
	return func(a, b string) bool { return a == b }
}

// components splits a path at its slashes; empty ones and "." are left out.
func components(name string) []string {
	return slices.DeleteFunc(strings.Split(filepath.ToSlash(name), "/"), func(s string) bool { return s == "" || s == "." })
}

func (r *root) path(main *root, parts []string) Path {
	p := Path{Rel: path.Join(parts...), root: r}
	if p.Rel == "" {
		p.Rel = "."
	}
	p.Abs = filepath.Join(r.dir, filepath.FromSlash(p.Rel))
	p.Name = p.Rel
	if r != main {
		p.Name = filepath.ToSlash(p.Abs)
	}
	return p
}

// Stat describes what p is, and does not follow a link put there meanwhile.
func (w *Workspace) Stat(p Path) (fs.FileInfo, error) {
	fi, err := p.root.handle.Lstat(p.Rel)
	return fi, p.fail(err)
}

// Open opens a regular file for reading. Anything else (a folder, a pipe, a
// device) is refused without being opened, since a pipe would block for ever.
func (w *Workspace) Open(p Path) (*os.File, error) {
	fi, err := w.Stat(p)
	if err != nil {
		return nil, err
	}
	if err := regular(p, fi); err != nil {
		return nil, err
	}
	// The file may have been swapped since: open without waiting, then look again.
	f, err := p.root.handle.OpenFile(p.Rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, p.fail(err)
	}
	if fi, err = f.Stat(); err == nil {
		err = regular(p, fi)
	}
	if err != nil {
		f.Close()
		return nil, p.fail(err)
	}
	return f, nil
}

// ReadDir lists a folder, sorted by name. Entries that are links are shown as
// links.
func (w *Workspace) ReadDir(p Path) ([]fs.DirEntry, error) {
	fi, err := w.Stat(p)
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", p.Name)
	}
	f, err := p.root.handle.OpenFile(p.Rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, p.fail(err)
	}
	defer f.Close()
	es, err := f.ReadDir(-1)
	sorting.By(es, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return es, p.fail(err)
}

// Readlink returns what the link name in the folder dir says. It may say a place
// outside, so it is for showing alone.
func (w *Workspace) Readlink(dir Path, name string) (string, error) {
	return dir.root.handle.Readlink(path.Join(dir.Rel, name))
}

// Dir opens the folder p as an os.Root of its own: for a walk of many files. The
// caller closes it.
func (w *Workspace) Dir(p Path) (*os.Root, error) {
	r, err := p.root.handle.OpenRoot(p.Rel)
	return r, p.fail(err)
}

// regular says why fi cannot be read or written as a file, if it cannot.
func regular(p Path, fi fs.FileInfo) error {
	switch m := fi.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return fmt.Errorf("%s is a folder, not a file", p.Name)
	case m&fs.ModeSymlink != 0:
		return fmt.Errorf("%s became a symbolic link meanwhile; try again", p.Name)
	case m&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s is a named pipe; only regular files are read and written", p.Name)
	case m&fs.ModeSocket != 0:
		return fmt.Errorf("%s is a socket; only regular files are read and written", p.Name)
	default:
		return fmt.Errorf("%s is a device; only regular files are read and written", p.Name)
	}
}

// fail names p in an error of the system; the system's own path is relative to a
// folder the reader may not think of.
func (p Path) fail(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", p.Name, pe.Err)
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return fmt.Errorf("%s: %w", p.Name, le.Err)
	}
	return err
}
