package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"forge/sorting"
	"forge/swap"
)

// Power is a kind of file by which a workspace makes forge do something. Path is
// relative to the workspace, with slashes, and may have * in its parts.
type Power struct {
	Path string
	Does string // for a person: "starts MCP servers"
	// Part takes out of the file what has the power: that is shown and bound, and a file
	// without it has none. nil: all of it.
	Part func(text []byte) []byte
}

// File is one that is there.
type File struct {
	Path, Does string
	Hash       string // of what it holds; of a link, of where it leads too
	Text       []byte // what it holds
	Link       string // where it leads, if it is a link
}

// maxPower bounds a file with power, and maxFiles how many of a kind are looked at.
const (
	maxPower = 1 << 20
	maxFiles = 500
)

// Find lists the files of a folder that have power, sorted by path. One that cannot
// be read, is too long or no file is an error: nothing of it can be shown.
func Find(folder string, powers []Power) ([]File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var files []File
	for _, p := range powers {
		names, err := fs.Glob(root.FS(), p.Path)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", p.Path, err)
		}
		if len(names) > maxFiles {
			return nil, fmt.Errorf("%s: %d files are too many to be shown", p.Path, len(names))
		}
		if _, err := root.Lstat(p.Path); err == nil && len(names) == 0 {
			names = []string{p.Path} // a link that leads nowhere forge goes
		}
		for _, name := range names {
			f, err := read(root, name, p.Part)
			if err != nil {
				return nil, err
			}
			if p.Part != nil && len(f.Text) == 0 {
				continue
			}
			f.Does = p.Does
			files = append(files, f)
		}
	}
	sorting.By(files, func(a, b File) int { return cmpPath(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b File) bool { return a.Path == b.Path }), nil
}

func cmpPath(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func read(root *os.Root, name string, part func([]byte) []byte) (File, error) {
	f := File{Path: path.Clean(name)}
	h := sha256.New()
	if to, err := root.Readlink(name); err == nil {
		f.Link = to
		fmt.Fprintf(h, "link\x00%s\x00", to)
	}
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return f, fmt.Errorf("%s: %w", name, err)
	case !info.Mode().IsRegular():
		return f, fmt.Errorf("%s is no file", name)
	case info.Size() > maxPower:
		return f, fmt.Errorf("%s: %d bytes are too many to be shown", name, info.Size())
	}
	r, err := root.Open(name)
	if err != nil {
		return f, err
	}
	defer r.Close()
	if f.Text, err = io.ReadAll(io.LimitReader(r, maxPower+1)); err != nil {
		return f, err
	}
	if part != nil {
		f.Text = part(f.Text)
	}
	h.Write(f.Text)
	f.Hash = hex.EncodeToString(h.Sum(nil))
	return f, nil
}

// Change is a file that is not as it was trusted.
type Change struct {
	File
	New bool   // it was not there, or never trusted
	Was []byte // what was trusted; nil where that is not kept any more
}

// Changes are what a person has to be asked about before the files of a folder count:
// empty where all are as they were trusted.
func (s *Store) Changes(folder string, files []File) ([]Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, err := canonical(folder)
	if err != nil {
		return nil, err
	}
	es, err := s.read()
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, f := range files {
		i := slices.IndexFunc(es, func(e Entry) bool { return e.Folder == at && e.Item == FileItem(f.Path) })
		switch {
		case i < 0:
			out = append(out, Change{File: f, New: true})
		case es[i].Hash != f.Hash:
			was, err := os.ReadFile(s.copyOf(es[i].Hash))
			if err != nil {
				was = nil
			}
			out = append(out, Change{File: f, Was: was})
		}
	}
	return out, nil
}

// Trust records that a person said yes to these files as they are, and keeps what
// they hold, so that a later change can be shown.
func (s *Store) Trust(folder string, files []File) error {
	for _, f := range files {
		if f.Hash == "" {
			return errors.New("trust " + f.Path + ": there is no hash of what was shown")
		}
		if err := s.keepCopy(f); err != nil {
			return err
		}
		if err := s.Approve(folder, FileItem(f.Path), f.Hash); err != nil {
			return err
		}
	}
	return nil
}

// FileItem is the item a file is approved as.
func FileItem(path string) string { return "file:" + path }

func (s *Store) copyOf(hash string) string {
	return filepath.Join(filepath.Dir(s.path), "trusted", hash)
}

func (s *Store) keepCopy(f File) error {
	return swap.Write(s.copyOf(f.Hash), f.Text, 0o600, swap.Quick)
}
