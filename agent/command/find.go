package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
	"unicode"

	"forge/agent/walk"
)

// Bounds of a source.
const (
	maxFiles = 500 // commands
	maxDepth = 8   // folders in one another
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
	read walk.Kept[reading]
}

// reading is what a file is, or why it is none.
type reading struct {
	c   Command
	err error
}

// look is one walk.
type look struct {
	*Shelf
	src   Source
	set   *Set
	files int
}

// Look walks the sources. A folder that is not there has no commands.
func (s *Shelf) Look() Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := Set{}
	s.read.Next()
	for _, src := range s.Sources {
		l := &look{Shelf: s, src: src, set: &set}
		w := walk.Walk{FS: src.FS, Fault: func(at string, err error) { l.problem("", at, err) }, Enter: l.enter, Entry: l.entry}
		w.Go(src.Dir)
	}
	return set
}

func (l *look) show(at string) string {
	if at == l.src.Dir {
		return l.src.Show
	}
	return path.Join(l.src.Show, l.inside(at))
}

// inside is a path from the source's folder on.
func (l *look) inside(at string) string { return strings.TrimPrefix(at, l.src.Dir+"/") }

func (l *look) problem(name, at string, err error) {
	var p Problem
	if !errors.As(err, &p) {
		p.Err = err
	}
	p.Name, p.File = name, l.show(at)
	l.set.Problems = append(l.set.Problems, p)
}

func (l *look) enter(dir string, _ []fs.DirEntry, deep int) bool {
	if deep > maxDepth {
		l.problem("", dir, fmt.Errorf("folders lie more than %d deep here; what is below is left out", maxDepth))
		return false
	}
	return true
}

// entry takes in a command, and says whether this is a folder that may have more.
func (l *look) entry(at string, e fs.DirEntry) (folder bool) {
	base, isFile := strings.CutSuffix(e.Name(), ".md")
	link := e.Type()&fs.ModeSymlink != 0
	switch {
	case e.IsDir() || link && !isFile:
		if info, err := fs.Stat(l.src.FS, at); strings.HasPrefix(e.Name(), ".") || err != nil || !info.IsDir() {
			return false
		}
		if why := badName(e.Name()); why != nil {
			l.problem("", at, why)
			return false
		}
		return true
	case !isFile:
		return false
	}
	if why := badName(base); why != nil {
		l.problem("", at, why)
		return false
	}
	name := strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(l.inside(at), ".md"), "/", ":"))
	info, err := walk.Regular(l.src.FS, at, maxFile, errTooLong)
	if err != nil {
		l.problem(name, at, err)
		return false
	}
	if l.files++; l.files > maxFiles {
		if l.files == maxFiles+1 {
			l.problem(name, at, errors.New("there are too many commands; this one and those behind it are left out"))
		}
		return false
	}
	k := l.read.Of(string(l.src.Scope)+"\x00"+at, info, func() (k reading, keep bool) {
		text, err := l.src.Read(at)
		if err != nil { // it may be readable the next time, and look the same
			return reading{err: err}, false
		}
		k.c, k.err = Parse(text)
		return k, true
	})
	if k.err != nil {
		l.problem(name, at, k.err)
		return false
	}
	k.c.Name, k.c.Scope, k.c.Path, k.c.File = name, l.src.Scope, at, l.show(at)
	l.set.Commands = append(l.set.Commands, k.c)
	return false
}

// Read reads a command's file as it is now.
func (s Source) Read(at string) ([]byte, error) { return walk.Read(s.FS, at, maxFile) }

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
