package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"forge/agent/walk"
)

// Bounds of one source.
const (
	maxSkills = 1000
	maxDepth  = 4 // folders in one another above a skill's own
)

// Source is a folder with skills.
type Source struct {
	Scope Scope
	Base  string // absolute; of a project's, no link leads out of it
	Dir   string // in Base, with slashes
	Show  string // the folder for a person
}

// Shelf finds the skills of some sources, the nearest first. It remembers what it read of
// files that have not changed.
type Shelf struct {
	Sources []Source

	mu   sync.Mutex
	read walk.Kept[reading]
}

// reading is what a file is, or why it is none.
type reading struct {
	s    Skill
	line int
	err  error
}

// look is one walk through a source.
type look struct {
	*Shelf
	src    Source
	fs     fs.FS
	set    *Set
	skills int
}

// Look finds the skills as they are now. What is no skill is among the faults, and stops
// nothing.
func (s *Shelf) Look() Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := Set{}
	s.read.Next()
	for _, src := range s.Sources {
		l := &look{Shelf: s, src: src, set: &set}
		l.source()
	}
	return set
}

func (l *look) source() {
	at := filepath.Join(l.src.Base, filepath.FromSlash(l.src.Dir))
	if _, err := os.Lstat(at); err != nil { // most are not there
		return
	}
	l.fs = os.DirFS(l.src.Base)
	if l.src.Scope == Project {
		root, err := os.OpenRoot(l.src.Base)
		if err != nil {
			l.fault(l.src.Dir, 0, walk.Bare(err))
			return
		}
		defer root.Close()
		l.fs = root.FS()
	}
	w := walk.Walk{FS: l.fs, Fault: func(at string, err error) { l.fault(at, 0, err) }, Enter: l.enter, Entry: l.entry}
	w.Go(l.src.Dir)
}

func (l *look) show(at string) string {
	if at == l.src.Dir {
		return l.src.Show
	}
	return path.Join(l.src.Show, strings.TrimPrefix(at, l.src.Dir+"/"))
}

func (l *look) fault(at string, line int, err error) {
	l.set.Faults = append(l.set.Faults, Fault{File: l.show(at), Line: line, Err: err})
}

// enter takes in a skill: a folder with a SKILL.md. What lies in that is the skill's; in
// any other there may be more.
func (l *look) enter(dir string, entries []fs.DirEntry, deep int) bool {
	if name := manifest(entries); name != "" && deep > 0 {
		l.skill(dir, name)
		return false
	}
	return deep <= maxDepth
}

func (l *look) entry(at string, e fs.DirEntry) (folder bool) {
	link := e.Type()&fs.ModeSymlink != 0
	if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || !e.IsDir() && !link {
		return false
	}
	if link {
		info, err := fs.Stat(l.fs, at)
		if err != nil {
			l.fault(at, 0, walk.ErrLeadsOut)
			return false
		}
		return info.IsDir()
	}
	return true
}

// manifest is the name of the file that makes a folder a skill; empty: there is none.
func manifest(entries []fs.DirEntry) (name string) {
	for _, e := range entries {
		switch {
		case e.Name() == "SKILL.md":
			return e.Name()
		case strings.EqualFold(e.Name(), "SKILL.md"):
			name = e.Name()
		}
	}
	return name
}

func (l *look) skill(dir, name string) {
	at := path.Join(dir, name)
	if l.skills++; l.skills > maxSkills {
		if l.skills == maxSkills+1 {
			l.fault(at, 0, errors.New("there are too many skills; this one and those behind it are left out"))
		}
		return
	}
	if l.src.Scope == Project && strings.ContainsAny(at, `*?[\`) { // a pattern, to what asks for trust
		l.fault(at, 0, errors.New(`the path of a project's skill may have none of * ? [ \; rename the folder`))
		return
	}
	info, err := walk.Regular(l.fs, at, maxFile, errTooLong)
	if err != nil {
		l.fault(at, 0, err)
		return
	}
	k := l.read.Of(l.src.Base+"\x00"+at, info, func() (k reading, keep bool) {
		text, err := walk.Read(l.fs, at, maxFile)
		if err != nil { // it may be readable the next time, and look the same
			return reading{err: err}, false
		}
		k.s, _, k.line, k.err = parse(text, path.Base(dir))
		return k, true
	})
	if k.err != nil {
		l.fault(at, k.line, k.err)
		return
	}
	s := k.s
	s.Notes = append([]string(nil), s.Notes...)
	if name != "SKILL.md" {
		s.note("its file is named %s; other agents want SKILL.md", name)
	}
	s.Scope, s.Base, s.Path, s.Show = l.src.Scope, l.src.Base, at, l.show(at)
	s.File = filepath.Join(l.src.Base, filepath.FromSlash(at))
	s.Dir, s.info = filepath.Dir(s.File), info
	for _, o := range l.set.Skills {
		if os.SameFile(o.info, info) { // one folder is a link to the other
			return
		}
	}
	l.set.Skills = append(l.set.Skills, s)
}

// Read reads a skill's file as it is now.
func (s Skill) Read() ([]byte, error) {
	text, err := walk.Read(os.DirFS(filepath.Dir(s.File)), filepath.Base(s.File), maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Show, err)
	}
	return text, nil
}
