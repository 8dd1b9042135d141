//go:build !linux

package search

import (
	"os"
	"path/filepath"
)

// A tree opens what lies under one folder and nothing else.
type tree struct{ root *os.Root }

func openTree(root string) (*tree, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return &tree{r}, nil
}

func (t *tree) close() { t.root.Close() }

// sub opens the tree under one of the folders.
func (t *tree) sub(path string) (*tree, error) {
	r, err := t.root.OpenRoot(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	return &tree{r}, nil
}

// open opens the folder path, which is relative to the root; "" is the root.
func (t *tree) open(path string) (*dir, error) {
	name := filepath.FromSlash(path)
	if name == "" {
		name = "."
	}
	root, err := t.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &dir{path: path, root: root}, nil
}

// A dir is one open folder of a tree.
type dir struct {
	path string // relative to the tree's root
	root *os.Root
}

func (d *dir) close() { d.root.Close() }

// list reads the folder's entries, appended to into.
func (d *dir) list(into []entry, _ []byte) ([]entry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return into, err
	}
	defer f.Close()
	found, err := f.ReadDir(-1)
	for _, e := range found {
		switch mode := e.Type(); {
		case mode.IsRegular():
			into = append(into, entry{e.Name(), kindFile})
		case mode.IsDir():
			into = append(into, entry{e.Name(), kindDir})
		case mode&os.ModeSymlink != 0:
			into = append(into, entry{e.Name(), kindLink})
		}
	}
	return into, err
}

// modTime is when name was last changed, in nanoseconds since 1970; 0 if unknown.
func (d *dir) modTime(name string) int64 {
	info, err := d.root.Lstat(name)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// openFile opens a regular file of the folder.
func (d *dir) openFile(name string) (file, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return file{}, err
	}
	if !info.Mode().IsRegular() {
		return file{}, os.ErrInvalid
	}
	f, err := d.root.Open(name)
	return file{f}, err
}

// A file is open for reading.
type file struct{ *os.File }

func (f file) close() { f.File.Close() }
