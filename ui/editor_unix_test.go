//go:build unix

package ui

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"forge/ui/doctor"
)

// Where nobody named an editor, none of an environment of the project's is taken.
func TestUsualEditorIsNotTheProjects(t *testing.T) {
	work, others := t.TempDir(), t.TempDir()
	name := doctor.UsualEditors()[0]
	for _, dir := range []string{work, others} {
		bin := filepath.Join(dir, "bin")
		if err := os.Mkdir(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(work, "bin")+":"+filepath.Join(others, "bin"))
	none := func(string) string { return "" }
	if got, want := editorWords(none, work), []string{filepath.Join(others, "bin", name)}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	named := func(s string) string { return map[string]string{"EDITOR": "code -w"}[s] }
	if got := editorWords(named, work); !slices.Equal(got, []string{"code", "-w"}) {
		t.Errorf("%q: a named one is the person's choice", got)
	}
}
