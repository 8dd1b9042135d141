package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Bounds of one source.
const (
	maxSkills = 1000
	maxNames  = 5000 // files and folders looked at
	maxDepth  = 4    // folders in one another above a skill's own
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
	read map[string]kept
}

type kept struct {
	at   time.Time
	size int64
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
	fresh  map[string]kept
	above  []fs.FileInfo
	skills int
	names  int
}

// Look finds the skills as they are now. What is no skill is among the faults, and stops
// nothing.
func (s *Shelf) Look() Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := Set{}
	fresh := map[string]kept{}
	for _, src := range s.Sources {
		l := &look{Shelf: s, src: src, set: &set, fresh: fresh}
		l.source()
	}
	s.read = fresh
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
			l.fault(l.src.Dir, 0, bare(err))
			return
		}
		defer root.Close()
		l.fs = root.FS()
	}
	l.folder(l.src.Dir, 0)
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

var (
	errLeadsOut = errors.New("it is a link that leads nowhere, or out of the folder; it is not followed")
	errLoop     = errors.New("it is a link to a folder it lies in; it is left out")
)

// folder walks a folder that lies so deep beneath its source. One with a SKILL.md is a
// skill, and what lies in it is the skill's.
func (l *look) folder(dir string, deep int) {
	info, err := fs.Stat(l.fs, dir)
	switch {
	case err != nil && deep == 0:
		l.fault(dir, 0, errLeadsOut)
		return
	case err != nil:
		l.fault(dir, 0, bare(err))
		return
	case !info.IsDir():
		if deep == 0 {
			l.fault(dir, 0, errors.New("it is no folder"))
		}
		return
	}
	for _, a := range l.above {
		if os.SameFile(a, info) {
			l.fault(dir, 0, errLoop)
			return
		}
	}
	entries, err := fs.ReadDir(l.fs, dir)
	if err != nil {
		l.fault(dir, 0, bare(err))
		return
	}
	if name := manifest(entries); name != "" && deep > 0 {
		l.skill(dir, name)
		return
	}
	if deep > maxDepth {
		return
	}
	l.above = append(l.above, info)
	defer func() { l.above = l.above[:len(l.above)-1] }()
	for _, e := range entries {
		if l.names++; l.names > maxNames {
			if l.names == maxNames+1 {
				l.fault(dir, 0, errors.New("there are too many files here; what is behind is left out"))
			}
			return
		}
		l.entry(dir, e, deep)
	}
}

func (l *look) entry(dir string, e fs.DirEntry, deep int) {
	at := path.Join(dir, e.Name())
	link := e.Type()&fs.ModeSymlink != 0
	if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || !e.IsDir() && !link {
		return
	}
	if link {
		info, err := fs.Stat(l.fs, at)
		if err != nil {
			l.fault(at, 0, errLeadsOut)
			return
		}
		if !info.IsDir() {
			return
		}
	}
	l.folder(at, deep+1)
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
	info, err := fs.Stat(l.fs, at)
	switch {
	case err != nil:
		err = errLeadsOut
	case !info.Mode().IsRegular():
		err = errors.New("it is no regular file")
	case info.Size() > maxFile:
		err = errTooLong
	}
	if err != nil {
		l.fault(at, 0, err)
		return
	}
	k := l.file(at, info)
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

// file reads the settings of a file, or remembers them.
func (l *look) file(at string, info fs.FileInfo) kept {
	key := l.src.Base + "\x00" + at
	k, ok := l.read[key]
	if !ok || !k.at.Equal(info.ModTime()) || k.size != info.Size() {
		k = kept{at: info.ModTime(), size: info.Size()}
		text, err := bounded(l.fs, at)
		if err != nil { // it may be readable the next time, and look the same
			k.err = err
			return k
		}
		k.s, _, k.line, k.err = parse(text, path.Base(path.Dir(at)))
	}
	l.fresh[key] = k
	return k
}

func bounded(fsys fs.FS, at string) ([]byte, error) {
	f, err := fsys.Open(at)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, bare(err)
	}
	return text, nil
}

// Read reads a skill's file as it is now.
func (s Skill) Read() ([]byte, error) {
	text, err := bounded(os.DirFS(filepath.Dir(s.File)), filepath.Base(s.File))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Show, err)
	}
	return text, nil
}

// bare is an error of a file without its path, which is told beside it.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
