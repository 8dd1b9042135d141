package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Bounds of a source.
const (
	maxFiles = 500  // commands
	maxNames = 5000 // files and folders looked at
	maxDepth = 8    // folders in one another
)

// Source is a folder with commands.
type Source struct {
	Scope Scope
	FS    fs.FS  // what holds it; links that lead out of that are not followed
	Dir   string // in FS, with slashes
	Show  string // the folder for a person
}

// Shelf finds the commands of some sources, in the order of the sources. It remembers
// what it read of files that have not changed.
type Shelf struct {
	Sources []Source

	mu   sync.Mutex
	read map[string]kept
}

type kept struct {
	at   time.Time
	size int64
	c    Command
	err  error
}

// look is one walk.
type look struct {
	*Shelf
	src   Source
	set   *Set
	names int
	files int
	above []fs.FileInfo // the folders the walk is in
	fresh map[string]kept
}

// Look walks the sources. A folder that is not there has no commands.
func (s *Shelf) Look() Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := Set{}
	fresh := map[string]kept{}
	for _, src := range s.Sources {
		l := &look{Shelf: s, src: src, set: &set, fresh: fresh}
		l.folder(src.Dir, nil)
	}
	s.read = fresh
	return set
}

func (l *look) show(at string) string {
	if at == l.src.Dir {
		return l.src.Show
	}
	return path.Join(l.src.Show, strings.TrimPrefix(at, l.src.Dir+"/"))
}

func (l *look) problem(name, at string, err error) {
	var p Problem
	if !errors.As(err, &p) {
		p.Err = err
	}
	p.Name, p.File = name, l.show(at)
	l.set.Problems = append(l.set.Problems, p)
}

// folder walks one folder. under are the names of those it lies in.
func (l *look) folder(dir string, under []string) {
	info, err := fs.Stat(l.src.FS, dir)
	switch {
	case len(under) == 0 && errors.Is(err, fs.ErrNotExist):
		if _, err := fs.Lstat(l.src.FS, dir); err == nil { // a link
			l.problem("", dir, errLeadsOut)
		}
		return
	case err != nil:
		l.problem("", dir, plainError(err))
		return
	case !info.IsDir():
		if len(under) == 0 {
			l.problem("", dir, errors.New("it is no folder"))
		}
		return
	case len(under) > maxDepth:
		l.problem("", dir, fmt.Errorf("folders lie more than %d deep here; what is below is left out", maxDepth))
		return
	}
	for _, a := range l.above {
		if os.SameFile(a, info) {
			l.problem("", dir, errors.New("it is a link to a folder it lies in; it is left out"))
			return
		}
	}
	entries, err := fs.ReadDir(l.src.FS, dir)
	if err != nil {
		l.problem("", dir, plainError(err))
		return
	}
	l.above = append(l.above, info)
	defer func() { l.above = l.above[:len(l.above)-1] }()
	for _, e := range entries {
		if l.names++; l.names > maxNames {
			if l.names == maxNames+1 {
				l.problem("", dir, errors.New("there are too many files here; what is behind is left out"))
			}
			return
		}
		l.entry(path.Join(dir, e.Name()), e, under)
	}
}

func (l *look) entry(at string, e fs.DirEntry, under []string) {
	base, isFile := strings.CutSuffix(e.Name(), ".md")
	hidden := strings.HasPrefix(e.Name(), ".")
	if e.IsDir() || e.Type()&fs.ModeSymlink != 0 && !isFile {
		if info, err := fs.Stat(l.src.FS, at); hidden || err != nil || !info.IsDir() {
			return
		}
		if why := badName(e.Name()); why != nil {
			l.problem("", at, why)
			return
		}
		l.folder(at, append(under[:len(under):len(under)], strings.ToLower(e.Name())))
		return
	}
	if !isFile {
		return
	}
	if why := badName(base); why != nil {
		l.problem("", at, why)
		return
	}
	name := strings.Join(append(under[:len(under):len(under)], strings.ToLower(base)), ":")
	info, err := fs.Stat(l.src.FS, at)
	switch {
	case err != nil && e.Type()&fs.ModeSymlink != 0:
		err = errLeadsOut
	case err != nil:
		err = plainError(err)
	case !info.Mode().IsRegular():
		err = errors.New("it is no regular file")
	case info.Size() > maxFile:
		err = errTooLong
	}
	if err != nil {
		l.problem(name, at, err)
		return
	}
	if l.files++; l.files > maxFiles {
		if l.files == maxFiles+1 {
			l.problem(name, at, errors.New("there are too many commands; this one and those behind it are left out"))
		}
		return
	}
	k := l.file(at, info)
	if k.err != nil {
		l.problem(name, at, k.err)
		return
	}
	k.c.Name, k.c.Scope, k.c.Path, k.c.File = name, l.src.Scope, at, l.show(at)
	l.set.Commands = append(l.set.Commands, k.c)
}

// file reads a file, or remembers it.
func (l *look) file(at string, info fs.FileInfo) kept {
	key := string(l.src.Scope) + "\x00" + at
	k, ok := l.read[key]
	if !ok || !k.at.Equal(info.ModTime()) || k.size != info.Size() {
		k = kept{at: info.ModTime(), size: info.Size()}
		text, err := bounded(l.src.FS, at)
		if err != nil { // it may be readable the next time, and look the same
			k.err = err
			return k
		}
		k.c, k.err = Parse(text)
	}
	l.fresh[key] = k
	return k
}

// Read reads a command's file as it is now.
func (s Source) Read(at string) ([]byte, error) { return bounded(s.FS, at) }

func bounded(fsys fs.FS, at string) ([]byte, error) {
	f, err := fsys.Open(at)
	if err != nil {
		return nil, plainError(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, plainError(err)
	}
	return text, nil
}

var errLeadsOut = errors.New("it is a link that leads nowhere, or out of the folder; it is not followed")

// plainError is an error of a file without its path, which is told beside it.
func plainError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// badName says why a file or folder cannot name a command.
func badName(name string) error {
	if name == "" {
		return errors.New("it has no name; a command is called what its file is called")
	}
	if strings.HasPrefix(name, "-") || len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) }) {
		return fmt.Errorf("%q is no name for a command; letters, digits, - and _ are, 64 bytes at most", name)
	}
	return nil
}

func nameRune(r rune) bool {
	return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
