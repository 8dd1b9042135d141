// Package walk goes through folders that people fill for forge, with commands or with
// skills: through links too, never twice into the same folder, and no further than a
// bound. It reads what is found there, and remembers it until it changes.
//
//	walk.go  the folders
//	kept.go  the files, read and remembered
//
// It owns the way and its bounds. What is looked for, and what is told of the rest, is its
// callers' business. All of it works on an fs.FS, which says whether links may lead out.
package walk

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// maxNames bounds the files and folders that one walk looks at.
const maxNames = 5000

// ErrLeadsOut is the error of a link that is not followed.
var ErrLeadsOut = errors.New("it is a link that leads nowhere, or out of the folder; it is not followed")

// Errors of folders, for Walk.Fault.
var (
	errLoop = errors.New("it is a link to a folder it lies in; it is left out")
	errFile = errors.New("it is no folder")
	errMany = errors.New("there are too many files here; what is behind is left out")
)

// Walk is one walk. Its functions get paths in FS.
type Walk struct {
	FS fs.FS
	// Fault hears why something is left out, in English.
	Fault func(at string, err error)
	// Enter says whether what lies in a folder is to be looked at; deep is how many folders
	// of the walk it lies in.
	Enter func(at string, entries []fs.DirEntry, deep int) bool
	// Entry looks at something that lies in a folder, and says whether that is a folder the
	// walk is to go on in.
	Entry func(at string, e fs.DirEntry) (folder bool)

	above []fs.FileInfo
	names int
}

// Go walks from a folder on. Where there is none, nothing is found and nothing said.
func (w *Walk) Go(dir string) { w.folder(dir, 0) }

func (w *Walk) folder(dir string, deep int) {
	info, err := fs.Stat(w.FS, dir)
	switch {
	case err != nil && deep == 0:
		if link, lerr := fs.Lstat(w.FS, dir); lerr == nil && link.Mode()&fs.ModeSymlink != 0 {
			w.Fault(dir, ErrLeadsOut)
		} else if !errors.Is(err, fs.ErrNotExist) {
			w.Fault(dir, Bare(err))
		}
		return
	case err != nil:
		w.Fault(dir, Bare(err))
		return
	case !info.IsDir():
		if deep == 0 {
			w.Fault(dir, errFile)
		}
		return
	}
	for _, a := range w.above {
		if os.SameFile(a, info) {
			w.Fault(dir, errLoop)
			return
		}
	}
	entries, err := fs.ReadDir(w.FS, dir)
	if err != nil {
		w.Fault(dir, Bare(err))
		return
	}
	if !w.Enter(dir, entries, deep) {
		return
	}
	w.above = append(w.above, info)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	for _, e := range entries {
		if w.names++; w.names > maxNames {
			if w.names == maxNames+1 {
				w.Fault(dir, errMany)
			}
			return
		}
		if at := path.Join(dir, e.Name()); w.Entry(at, e) {
			w.folder(at, deep+1)
		}
	}
}

// Bare is an error of a file without its path, which is told beside it.
func Bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
