package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// One that lies in the workspace, by an environment that is activated, is passed over: it
// would run outside of what it is to make, and refusing it would leave the others unfound.
func TestBubblewrapOfTheWorkspaceIsPassedOver(t *testing.T) {
	ws, others := t.TempDir(), t.TempDir()
	bin := filepath.Join(ws, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{bin, others} {
		if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+others)
	nowhere := filepath.Join(ws, "none")
	if got, err := bwrapAt(nowhere, []string{ws}); err != nil || got != filepath.Join(others, "bwrap") {
		t.Errorf("%q, %v", got, err)
	}
	usual := filepath.Join(others, "bwrap")
	t.Setenv("PATH", bin)
	if got, err := bwrapAt(nowhere, []string{ws}); err == nil {
		t.Errorf("%q is the project's", got)
	}
	if got, err := bwrapAt(usual, []string{ws}); err != nil || got != usual {
		t.Errorf("%q, %v", got, err)
	}
}
