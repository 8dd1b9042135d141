package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"forge/tools/journal"
	"forge/tools/search"
)

// rules lets the journal use the ignore rules of searches.
type rules struct{ *search.Rules }

func (r rules) Below(name string) journal.Rules { return rules{r.Rules.Below(name)} }

func readRules(root string) journal.Rules { return rules{search.NewRules(root)} }

func runGit(_ context.Context, dir string, in []byte, args ...string) ([]byte, error) {
	c := exec.Command("git", args...)
	c.Dir, c.Stdin = dir, bytes.NewReader(in)
	return c.Output()
}

// rig is a workspace with a journal.
type rig struct {
	*testing.T
	*journal.Journal
	root  string
	state string
	said  []string
}

func newRig(t testing.TB, o journal.Options) *rig {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{root: root, state: filepath.Join(home, "undo")}
	r.T, _ = t.(*testing.T)
	o.Dir, o.Roots, o.Rules = r.state, []string{root}, readRules
	if o.Git == nil {
		o.Git = runGit
	}
	o.Tell = func(s string) { r.said = append(r.said, s) }
	r.Journal = journal.New(o)
	t.Cleanup(r.Journal.Close)
	if err := r.Open("a-session"); err != nil {
		t.Fatal(err)
	}
	return r
}

// sh runs a command as an agent would.
func (r *rig) sh(line string) {
	r.Helper()
	done := r.Watch(r.Context(), "run "+line, nil)
	r.own(line)
	done()
}

// own runs a command as the person would.
func (r *rig) own(line string) {
	r.Helper()
	c := exec.Command("sh", "-c", line)
	c.Dir = r.root
	if out, err := c.CombinedOutput(); err != nil {
		r.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// writes writes a file as a tool would that says which.
func (r *rig) writes(name, text string) {
	r.Helper()
	path := filepath.Join(r.root, name)
	done := r.Watch(r.Context(), "write "+name, []string{path})
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
	done()
}

func (r *rig) read(name string) string {
	r.Helper()
	b, err := os.ReadFile(filepath.Join(r.root, name))
	if err != nil {
		r.Fatal(err)
	}
	return string(b)
}

func (r *rig) gone(name string) bool {
	_, err := os.Lstat(filepath.Join(r.root, name))
	return os.IsNotExist(err)
}

// undo takes the last run back and returns what stayed.
func (r *rig) undo() journal.Done {
	r.Helper()
	p, err := r.Undo(journal.LastRun)
	if err != nil {
		r.Fatal(err)
	}
	return r.apply(p)
}

func (r *rig) redo() journal.Done {
	r.Helper()
	p, err := r.Redo()
	if err != nil {
		r.Fatal(err)
	}
	return r.apply(p)
}

func (r *rig) apply(p *journal.Plan) journal.Done {
	r.Helper()
	d, err := p.Apply()
	if err != nil {
		r.Fatal(err)
	}
	return d
}

// tree is everything below the root, git's own left out, as text.
func (r *rig) tree() string {
	r.Helper()
	var lines []string
	err := filepath.WalkDir(r.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(r.root, path)
		if rel == ".git" {
			return filepath.SkipDir
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v", rel, fi.Mode())
		switch {
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %q", b)
		case fi.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			line += " -> " + to
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func (r *rig) same(what, got, want string) {
	r.Helper()
	if got != want {
		r.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}
