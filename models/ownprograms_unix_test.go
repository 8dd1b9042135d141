//go:build unix

package models

import (
	"os"
	"path/filepath"
	"testing"

	"forge/agent/config"
)

// A command of the settings that gives a key runs outside of the sandbox: a program that the
// project brings, by an environment that is activated, is neither its own nor its shell.
func TestNoProgramOfTheProjectGivesAKey(t *testing.T) {
	work, others := t.TempDir(), t.TempDir()
	bin := filepath.Join(work, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, says := range map[string]string{bin: "echo the project", others: "echo the machine"} {
		for _, name := range []string{"key-of-mine", "bash"} {
			if dir == others && name == "bash" {
				says = "exec /bin/sh \"$@\""
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+says+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	const list = string(os.PathListSeparator)
	t.Setenv("PATH", bin+list+others+list+os.Getenv("PATH"))
	s := New(Options{Config: &config.Config{}, Dirs: config.Dirs{State: t.TempDir()}, Work: work})
	if key, err := s.commands(t.Context())("key-of-mine"); err != nil || key != "the machine" {
		t.Errorf("%q, %v", key, err)
	}
}
