package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"forge/tools/search"
)

// The @ menu knows the folders that are open beside the workspace, in either way to
// write them, and learns of one that is opened later.
func TestFileMenuHasOtherFolders(t *testing.T) {
	above := t.TempDir()
	root, other := filepath.Join(above, "work"), filepath.Join(above, "other")
	for _, p := range []string{filepath.Join(root, "a", "notes-here.txt"), filepath.Join(other, "sub", "notes-there.txt")} {
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var open []string
	m := &fileMenu{home: &search.Finder{Root: root}, open: func() []string { return open }}
	has := func(query, want string, there bool) {
		t.Helper()
		if got := m.find(t.Context(), query); slices.Contains(got, want) != there {
			t.Errorf("%s: %q", query, got)
		}
	}
	whole := filepath.ToSlash(other) + "/"
	has("notes", whole+"sub/notes-there.txt", false)
	open = append(open, other)
	has("notes", whole+"sub/notes-there.txt", true)
	has("notes", "a/notes-here.txt", true)
	has("../oth", "../other/", true)
	has("../other/no", "../other/sub/notes-there.txt", true)
	has(whole+"no", whole+"sub/notes-there.txt", true)
	has(whole[:len(whole)-3], whole, true)
	has("../other/no", "a/notes-here.txt", false)
}
