package sandbox

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What a killed forge left beside a file goes; a file of somebody else's, and one that
// was made just now, stay.
func TestSweep(t *testing.T) {
	root := t.TempDir()
	w, err := OpenWorkspace(root)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	old, young := tempBegin+rand.Text()+tempEnd, tempBegin+rand.Text()+tempEnd
	stays := []string{"sub/a.txt", "sub/.forge-notes.tmp", "sub/.forge-" + rand.Text() + ".txt", "sub/" + young, old}
	for _, name := range append(stays, "sub/"+old) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(name) != young {
			past := time.Now().Add(-time.Minute)
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chtimes(filepath.Join(root, "sub", young), time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err) // however slow this test is
	}
	if n := w.Sweep("sub/a.txt"); n != 1 {
		t.Errorf("%d files were swept", n)
	}
	if _, err := os.Lstat(filepath.Join(root, "sub", old)); err == nil {
		t.Error("what was left is there still")
	}
	for _, name := range stays {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "../x", "nowhere/x", "sub"} { // no harm
		w.Sweep(name)
	}
}
