//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that is named without its folder is found by the PATH that the command has, and
// not by forge's own.
func TestProgramsAreFoundByTheirOwnPath(t *testing.T) {
	ours, theirs := t.TempDir(), t.TempDir()
	for dir, says := range map[string]string{ours: "forge's", theirs: "its own"} {
		if err := os.WriteFile(filepath.Join(dir, "which-is-it"), []byte("#!/bin/sh\necho \"$0 is "+says+"\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", ours+string(filepath.ListSeparator)+os.Getenv("PATH"))
	c := Command{Argv: []string{"which-is-it"}, Dir: t.TempDir(), Env: []string{"PATH=" + ours, "PATH=" + theirs}}
	if r, err := c.Run(t.Context()); err != nil || !strings.Contains(r.Output, "is its own") {
		t.Errorf("%q, %v", r.Output, err)
	}
	for _, env := range [][]string{{"PATH=" + t.TempDir()}, {"PATH=."}, {"HOME=/"}} {
		c.Env, c.Dir = env, ours
		if r, err := c.Run(t.Context()); err == nil {
			t.Errorf("%q: it said %q", env, r.Output)
		}
	}
	c.Argv = []string{filepath.Join(ours, "which-is-it")}
	if r, err := c.Run(t.Context()); err != nil || !strings.Contains(r.Output, "forge's") {
		t.Errorf("%q, %v: one with its folder", r.Output, err)
	}
}
