package theme

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"
)

// Whatever way an editor writes a file, it is told, and what is no theme is not.
func TestWatch(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	write := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(`{}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(away, "real.json"))
	linked := os.Symlink(filepath.Join(away, "real.json"), filepath.Join(dir, "linked.json")) == nil // Windows may forbid it
	next, err := Watch(dir)
	if err != nil {
		t.Skip("the system tells of no changes here: ", err)
	}
	told := make(chan bool)
	tell := func() { told <- next() }

	for name, change := range map[string]func() error{
		"written": func() error { return os.WriteFile(filepath.Join(dir, "sea.json"), []byte(`{"a":1}`), 0o600) },
		"replaced": func() error {
			write(filepath.Join(away, "new"))
			return os.Rename(filepath.Join(away, "new"), filepath.Join(dir, "sea.json"))
		},
		"removed": func() error { return os.Remove(filepath.Join(dir, "sea.json")) },
		"behind a link": func() error {
			if !linked {
				write(filepath.Join(dir, "sea.json"))
			}
			return os.WriteFile(filepath.Join(away, "real.json"), []byte(`{"a":1}`), 0o600)
		},
	} {
		write(filepath.Join(dir, "sea.json")) // there to be changed
		if !next() {
			t.Fatal("nothing more is told")
		}
		go tell()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if !<-told {
			t.Errorf("%s: nothing more is told", name)
		}
	}
	if _, err := Watch(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there is watched")
	}
}

func TestConcerns(t *testing.T) {
	for _, c := range []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"sea.json", fsnotify.Write, true},
		{"sea.json", fsnotify.Create | fsnotify.Chmod, true},
		{"sea.json", fsnotify.Rename, true},
		{"sea.json", fsnotify.Remove, true},
		{"sea.json", fsnotify.Chmod, false},
		{"sea.json~", fsnotify.Write, false},
		{".sea.json.swp", fsnotify.Write, false},
	} {
		if got := concerns(fsnotify.Event{Name: c.name, Op: c.op}); got != c.want {
			t.Errorf("%s %s: %v", c.name, c.op, got)
		}
	}
}
