package walk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// went is what a walk through dir enters, and what it says; deep is where it ends.
func went(fsys fs.FS, dir string, deep int) (entered, said []string) {
	w := Walk{FS: fsys, Fault: func(at string, err error) { said = append(said, at+": "+err.Error()) },
		Enter: func(at string, _ []fs.DirEntry, d int) bool { entered = append(entered, at); return d < deep },
		Entry: func(at string, e fs.DirEntry) bool { return e.IsDir() || e.Type()&fs.ModeSymlink != 0 }}
	w.Go(dir)
	return entered, said
}

func TestWalk(t *testing.T) {
	base := t.TempDir()
	for _, name := range []string{"top/a/b/c/file", "top/d/file", "elsewhere/e/file", "alone"} {
		at := filepath.Join(base, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"top/up": "..", "top/other": "../elsewhere", "top/nowhere": "gone", "away": t.TempDir()} {
		if err := os.Symlink(to, filepath.Join(base, filepath.FromSlash(name))); err != nil {
			t.Skip("no links here:", err)
		}
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	in, said := went(root.FS(), "top", 3)
	if want := "top top/a top/a/b top/a/b/c top/d top/other top/other/e top/up top/up/elsewhere top/up/elsewhere/e"; strings.Join(in, " ") != want {
		t.Errorf("entered %q", in)
	}
	for _, part := range []string{"top/nowhere: ", "top/up/top: " + errLoop.Error()} {
		if !slices.ContainsFunc(said, func(l string) bool { return strings.HasPrefix(l, part) }) {
			t.Errorf("said %q, not %s", said, part)
		}
	}
	for dir, want := range map[string]string{"none": "", "alone": "alone: " + errFile.Error(), "away": "away: " + ErrLeadsOut.Error(), "top/nowhere": "top/nowhere: " + ErrLeadsOut.Error()} {
		if in, said := went(root.FS(), dir, 1); len(in) > 0 || strings.Join(said, "") != want {
			t.Errorf("%s: entered %q, said %q", dir, in, said)
		}
	}
}

func TestWalkEnds(t *testing.T) {
	many := fstest.MapFS{}
	for i := range maxNames + 10 {
		many[fmt.Sprintf("top/%05d", i)] = &fstest.MapFile{}
	}
	looked := 0
	var said []string
	w := Walk{FS: many, Fault: func(at string, err error) { said = append(said, err.Error()) },
		Enter: func(string, []fs.DirEntry, int) bool { return true }, Entry: func(string, fs.DirEntry) bool { looked++; return false }}
	if w.Go("top"); looked != maxNames || len(said) != 1 || said[0] != errMany.Error() {
		t.Errorf("looked at %d, said %q", looked, said)
	}
}

// A file is read once, until it changes or is gone, and what is not to be kept each time.
func TestKept(t *testing.T) {
	long := errors.New("long")
	fsys := fstest.MapFS{"a": {Data: []byte("one"), ModTime: time.Unix(1, 0)}, "dir/x": {}, "b": {Data: []byte("12345")}}
	for name, want := range map[string]error{"a": nil, "b": long, "none": fs.ErrNotExist} {
		if _, err := Regular(fsys, name, 4, long); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Regular(fsys, "dir", 4, long); err == nil {
		t.Error("a folder is a file")
	}
	if text, err := Read(fsys, "b", 3); err != nil || string(text) != "1234" {
		t.Errorf("%q, %v", text, err)
	}
	var k Kept[string]
	reads := 0
	look := func(keep bool) string {
		k.Next()
		info, err := Regular(fsys, "a", 9, long)
		if err != nil {
			return ""
		}
		return k.Of("a", info, func() (string, bool) {
			reads++
			text, err := Read(fsys, "a", 9)
			if err != nil {
				t.Fatal(err)
			}
			return string(text), keep
		})
	}
	is := func(got, want string, n int) {
		t.Helper()
		if got != want || reads != n {
			t.Errorf("%q after %d reads, want %q after %d", got, reads, want, n)
		}
	}
	is(look(false), "one", 1)
	is(look(true), "one", 2)
	is(look(true), "one", 2)
	fsys["a"] = &fstest.MapFile{Data: []byte("two"), ModTime: time.Unix(2, 0)}
	is(look(true), "two", 3)
	was := fsys["a"]
	delete(fsys, "a")
	is(look(true), "", 3)
	fsys["a"] = was
	is(look(true), "two", 4)
}
