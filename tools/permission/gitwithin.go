package permission

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"forge/plainfile"
)

// gitDir finds the .git that git would find from dir. bare: git would take a
// directory that is itself a repository, which a checkout can contain.
func gitDir(dir string) (found string, bare bool) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return filepath.Join(at, ".git"), false
		}
		if exists(filepath.Join(at, "HEAD")) && exists(filepath.Join(at, "objects")) && exists(filepath.Join(at, "refs")) {
			return at, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

func exists(p string) bool { _, err := os.Stat(p); return err == nil }

// gitHome is where a .git keeps what is this working tree's own, and what it shares with
// others of its repository: of a linked one, and of a submodule, .git is a file.
func gitHome(found string) (own, common string) {
	own = found
	if to, ok := strings.CutPrefix(firstLine(found), "gitdir: "); ok {
		own = meantIn(filepath.Dir(found), to)
	}
	if to := firstLine(filepath.Join(own, "commondir")); to != "" {
		return own, meantIn(own, to)
	}
	return own, own
}

// meantIn is a path that is written relative to dir, or absolute.
func meantIn(dir, to string) string {
	if filepath.IsAbs(to) {
		return to
	}
	return filepath.Join(dir, filepath.FromSlash(to))
}

// firstLine is the first line of a small file; "" where there is none.
func firstLine(path string) string {
	b, _, err := plainfile.Read(path, 8<<10)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSuffix(first, "\r")
}

// gitStamp changes when something that gitUnsafe looks at does: in the repository of dir,
// and in those within.
func gitStamp(dir string, within []string) string {
	var b strings.Builder
	stamp := func(path string) {
		if fi, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "|%s %d %d", path, fi.ModTime().UnixNano(), fi.Size())
		}
	}
	found, _ := gitDir(dir)
	for i, at := range append([]string{found}, within...) {
		if i > 0 {
			at = filepath.Join(at, ".git")
		}
		own, common := gitHome(at)
		fmt.Fprintf(&b, "%s>%s>%s", at, own, common)
		stamp(at)
		for _, f := range []string{"config.worktree", "index", "commondir", "HEAD"} {
			stamp(filepath.Join(own, f))
		}
		for _, f := range []string{"config", "hooks"} {
			stamp(filepath.Join(common, f))
		}
	}
	return b.String()
}

// Bounds of the repositories within one that are looked at, and of an index, in bytes.
const (
	maxWithin = 500
	maxDeep   = 20
	maxIndex  = 256 << 20
)

// gitModules are the repositories inside one, which git enters when it compares files,
// and those inside of them.
type gitModules struct {
	git  asking
	top  string
	seen []string // whether there is a repository yet or not
}

// look goes through those of the repository with this .git.
func (m *gitModules) look(found string, depth int) (why string) {
	own, _ := gitHome(found)
	index, _, err := plainfile.Read(filepath.Join(own, "index"), maxIndex)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unread
	}
	// The mode of a repository within a repository, and the mark of a shared index.
	if !bytes.Contains(index, []byte{0, 0, 0xe0, 0}) && !bytes.Contains(index, []byte("link")) {
		return ""
	}
	top := filepath.Dir(found)
	out, err := m.git.ask(top, "ls-files", "-s", "-z")
	if err != nil {
		return unread
	}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if !bytes.HasPrefix(line, []byte("160000 ")) {
			continue
		}
		_, name, _ := bytes.Cut(line, []byte("\t"))
		sub := filepath.Join(top, string(name))
		if len(m.seen) == maxWithin || depth == maxDeep {
			return "there are more repositories within than are looked at"
		}
		m.seen = append(m.seen, sub)
		at := filepath.Join(sub, ".git")
		if !exists(at) {
			continue
		}
		out, err := m.git.ask(sub, "config", "--list", "--includes", "--show-scope", "-z")
		if err != nil {
			return unread
		}
		if why = gitKeys(out, true); why != "" {
			return m.within(sub, why)
		}
		if root, err := m.git.ask(sub, "rev-parse", "--show-toplevel"); err != nil {
			return unread
		} else if !sameFolder(strings.TrimSuffix(string(root), "\n"), sub) {
			return m.within(sub, "the repository sets core.worktree")
		}
		if why = m.look(at, depth+1); why != "" {
			return why
		}
	}
	return ""
}

func (m *gitModules) within(sub, why string) string {
	if rel, err := filepath.Rel(m.top, sub); err == nil {
		sub = filepath.ToSlash(rel)
	}
	return why + " (" + sub + ")"
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
