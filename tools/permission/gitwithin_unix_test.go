//go:build unix

package permission

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe where git keeps its index would be waited for.
func TestAnIndexThatIsAPipe(t *testing.T) {
	w := workspace(t)
	index := filepath.Join(w.dir, ".git", "index")
	if err := os.Remove(index); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(index, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := analyse("git status", w); a.ReadOnly {
		t.Error("git would wait for a pipe, unasked")
	}
}

// What says that git runs nothing here is no git of the workspace's own, wherever in it the
// command runs.
func TestAGitOfTheWorkspaceIsNotAsked(t *testing.T) {
	w := workspace(t)
	bin := filepath.Join(w.dir, ".venv", "bin")
	inner := filepath.Join(w.dir, "src", "inner")
	gitIn(t, w, w.dir, "init", "-q", inner)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(w.home, "ran")
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\ntouch '"+mark+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	m := New(Options{Roots: []string{w.dir}})
	for _, dir := range []string{w.dir, inner} {
		if why := m.git.unsafe(dir); why != "" {
			t.Errorf("%s: %s", dir, why)
		}
	}
	if exists(mark) {
		t.Error("the workspace's own git ran")
	}
}
