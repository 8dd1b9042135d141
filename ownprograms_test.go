package main

import (
	"os"
	"path/filepath"
	"testing"

	"forge/tools/sandbox"
)

// An environment of the folder's that is activated does not say what the programs are that
// forge runs by itself.
func TestProgramsOfForgesOwnAreFoundElsewhere(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	w, err := sandbox.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f := &forge{hands: &hands{workspace: w}}
	const sep = string(os.PathListSeparator)
	t.Setenv("PATH", filepath.Join(dir, ".venv", "bin")+sep+other+sep+".")
	if got := f.elsewhere("PATH"); got != other {
		t.Errorf("%q", got)
	}
	t.Setenv("PATH", dir)
	if got := f.elsewhere("PATH"); got != sep { // empty would be that of the system
		t.Errorf("%q", got)
	}
}
