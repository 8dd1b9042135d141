//go:build !linux

package journal

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A handle is one open folder.
type handle struct{ root *os.Root }

func openRoot(dir string) (handle, error) {
	r, err := os.OpenRoot(dir)
	return handle{r}, err
}

func (h handle) close() { h.root.Close() }

// sub opens a folder below h.
func (h handle) sub(rel string) (handle, error) {
	if rel == "" {
		rel = "."
	}
	r, err := h.root.OpenRoot(filepath.FromSlash(rel))
	return handle{r}, err
}

// self are the facts of the folder.
func (h handle) self() (facts, bool) { return h.stat(".") }

// names lists the folder, unsorted.
func (h handle) names([]byte) ([]string, error) {
	f, err := h.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (h handle) stat(name string) (facts, bool) {
	fi, err := h.root.Lstat(name)
	if err != nil {
		return facts{}, false
	}
	f := facts{size: fi.Size(), mtime: fi.ModTime().UnixNano(), mode: fi.Mode() & modeBits}
	f.ctime = f.mtime
	switch m := fi.Mode(); {
	case m.IsRegular():
		f.kind = KindFile
	case m.IsDir():
		f.kind = KindDir
	case m&fs.ModeSymlink != 0:
		f.kind = KindLink
	}
	return f, true
}

// born is when a file came to be; here nobody knows.
func (h handle) born(string) int64 { return 0 }

// read reads a regular file of at most limit bytes.
func (h handle) read(name string, limit int64) ([]byte, error) {
	fi, err := h.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	f, err := h.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, errTooLarge
	}
	return data, err
}

func (h handle) readlink(name string) (string, error) { return h.root.Readlink(name) }
