//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A getent that a project brings, by an environment that is activated, is not run.
func TestGetentOfTheProjectIsNotRun(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	bin := filepath.Join(dir, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho 127.0.0.9 STREAM there\n"
	if err := writeFile(filepath.Join(bin, "getent"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	if as := getent(t.Context(), "nas.local"); as != nil {
		t.Errorf("it ran, and said %v", as)
	}
}
