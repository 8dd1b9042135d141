//go:build unix

package sandbox

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func workspace(t *testing.T, files map[string]string) (*Workspace, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, dir
}

func resolve(t *testing.T, w *Workspace, name string) Path {
	t.Helper()
	p, err := w.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestResolveNames(t *testing.T) {
	w, dir := workspace(t, map[string]string{"sub/f": "x"})
	extra, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(dir, "sub")
	if err := errors.Join(w.Add(extra), w.Add(inner), os.Symlink("sub/f", filepath.Join(dir, "l")), os.Symlink(extra, filepath.Join(dir, "e"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, rel, abs, shown string }{
		{".", ".", dir, "."},
		{dir, ".", dir, "."},
		{dir + "/", ".", dir, "."},
		{"./a//b", "a/b", dir + "/a/b", "a/b"},
		{"l", "sub/f", dir + "/sub/f", "sub/f"},
		{extra + "/new", "new", extra + "/new", extra + "/new"},
		{"e/new", "new", extra + "/new", extra + "/new"}, // a link to a folder that was added
		{inner + "/f", "f", inner + "/f", inner + "/f"},  // the innermost folder wins
	} {
		p := resolve(t, w, c.name)
		if p.Rel != c.rel || p.Abs != c.abs || p.Name != c.shown {
			t.Errorf("%s: %+v", c.name, p)
		}
		if again := resolve(t, w, p.Name); again.Abs != p.Abs {
			t.Errorf("%s: its own name leads to %s", c.name, again.Abs)
		}
	}
	if got := w.Roots(); !slices.Equal(got, []string{dir, extra, inner}) || w.Root() != dir {
		t.Errorf("roots: %v", got)
	}
}

func TestOutsideNamesTheWay(t *testing.T) {
	w, dir := workspace(t, nil)
	_, err := w.Resolve("../x")
	if !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), "--add-dir") || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
	if _, err := OpenWorkspace(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

func TestWriteRefusesAnotherFile(t *testing.T) {
	w, dir := workspace(t, map[string]string{"f": "one"})
	f, g := resolve(t, w, "f"), resolve(t, w, "sub/g")
	for _, c := range []struct {
		p      Path
		before []byte
	}{{f, []byte("two")}, {f, []byte("on")}, {f, []byte("one more")}, {f, nil}, {f, []byte{}}, {g, []byte("gone")}, {g, []byte{}}} {
		if err := w.Write(c.p, c.before, []byte("new"), 0); !errors.Is(err, ErrChanged) {
			t.Errorf("%s that was %q: %v", c.p.Name, c.before, err)
		}
		if err := w.Remove(c.p, c.before); c.before != nil && !errors.Is(err, ErrChanged) {
			t.Errorf("remove %s that was %q: %v", c.p.Name, c.before, err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
	if es, err := os.ReadDir(dir); err != nil || len(es) != 1 {
		t.Errorf("left behind: %v, %v", es, err)
	}
	if err := w.Write(g, nil, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(g, []byte{}, []byte("now"), 0); err != nil { // an empty file is not a missing one
		t.Fatal(err)
	}
	if err := w.Remove(g, []byte("now")); err != nil {
		t.Error(err)
	}
}

func TestWriteKeepsModes(t *testing.T) {
	w, dir := workspace(t, map[string]string{"f": "one"})
	name := filepath.Join(dir, "f")
	before := "one"
	for _, c := range []struct{ was, give, want fs.FileMode }{
		{0o755, 0, 0o755}, {0o600, 0, 0o600}, {0o664, 0, 0o664}, {0o666, 0, 0o666}, {0o644, 0o700, 0o700},
		{0o755 | fs.ModeSetuid, 0, 0o755}, {0o755 | fs.ModeSetgid, 0, 0o755},
	} {
		if err := os.Chmod(name, c.was); err != nil {
			t.Fatal(err)
		}
		after := before + "+"
		if err := w.Write(resolve(t, w, "f"), []byte(before), []byte(after), c.give); err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(name); err != nil || fi.Mode() != c.want {
			t.Errorf("%v became %v, want %v (%v)", c.was, fi.Mode(), c.want, err)
		}
		before = after
	}
	if err := w.Write(resolve(t, w, "run.sh"), nil, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(filepath.Join(dir, "run.sh")); err != nil || fi.Mode() != 0o755 {
		t.Errorf("a new file with a mode: %v, %v", fi, err)
	}
}

func TestReadOnlyFiles(t *testing.T) {
	w, dir := workspace(t, map[string]string{"f": "one", "kept/out.txt": "x"})
	if err := os.Chmod(filepath.Join(dir, "f"), 0o444); err != nil {
		t.Fatal(err)
	}
	err := w.Write(resolve(t, w, "f"), []byte("one"), []byte("two"), 0)
	if err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("mode 0444: %v", err)
	}
	w2, _ := workspace(t, nil)
	if err := w2.AddReadOnly(filepath.Join(dir, "kept")); err != nil {
		t.Fatal(err)
	}
	p := resolve(t, w2, filepath.Join(dir, "kept", "out.txt"))
	if got, err := w2.ReadFile(p, 10); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
	for _, p := range []Path{p, resolve(t, w2, filepath.Join(dir, "kept", "new"))} {
		if err := w2.Write(p, nil, []byte("y"), 0); err == nil || !strings.Contains(err.Error(), "reading only") {
			t.Errorf("write %s: %v", p.Name, err)
		}
	}
	if err := w2.Remove(p, []byte("x")); err == nil {
		t.Error("removed from a folder for reading")
	}
}

// A folder that takes no new file may hold one that can be changed.
func TestWriteInPlace(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere; TestPathCorpusAsNobody runs this as nobody")
	}
	w, dir := workspace(t, map[string]string{"d/f": "one\n", "d/twice": "one\n"})
	if err := os.Link(filepath.Join(dir, "d", "twice"), filepath.Join(dir, "other")); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(filepath.Join(dir, "d", "f"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "d"), 0o555); err != nil {
		t.Skip(err)
	}
	defer os.Chmod(filepath.Join(dir, "d"), 0o755)
	for _, now := range []string{"one and a half\n", "2\n", "", "four\n"} {
		before, err := os.ReadFile(filepath.Join(dir, "d", "f"))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(resolve(t, w, "d/f"), before, []byte(now), 0); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "d", "f")); string(got) != now {
			t.Errorf("holds %q, want %q", got, now)
		}
	}
	if fi, _ := os.Stat(filepath.Join(dir, "d", "f")); fi.Mode() != 0o640 {
		t.Errorf("mode %v", fi.Mode())
	}
	if err := w.Write(resolve(t, w, "d/f"), []byte("other"), []byte("x"), 0); !errors.Is(err, ErrChanged) {
		t.Errorf("another content: %v", err)
	}
	// The second name may lie outside the workspace.
	if err := w.Write(resolve(t, w, "d/twice"), []byte("one\n"), []byte("two\n"), 0); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file with two names: %v", err)
	}
	if err := w.Write(resolve(t, w, "d/new"), nil, []byte("x"), 0); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a new file: %v", err)
	}
	for name, want := range map[string]string{"d/f": "four\n", "d/twice": "one\n", "other": "one\n"} {
		if got, _ := os.ReadFile(filepath.Join(dir, name)); string(got) != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
}

func TestHardLinkKeepsTheOldContent(t *testing.T) {
	w, dir := workspace(t, map[string]string{"f": "one"})
	if err := os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "g")); err != nil {
		t.Skip(err)
	}
	if err := w.Write(resolve(t, w, "f"), []byte("one"), []byte("two"), 0); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "g")); string(got) != "one" {
		t.Errorf("the other name holds %q", got)
	}
}

func TestOwnerIsKept(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	w, dir := workspace(t, map[string]string{"f": "one"})
	name := filepath.Join(dir, "f")
	if err := os.Chown(name, 1234, 2345); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(resolve(t, w, "f"), []byte("one"), []byte("two"), 0); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if s := fi.Sys().(*syscall.Stat_t); s.Uid != 1234 || s.Gid != 2345 {
		t.Errorf("it belongs to %d:%d now", s.Uid, s.Gid)
	}
}

func TestReadFileLimit(t *testing.T) {
	w, _ := workspace(t, map[string]string{"f": "12345", "empty": ""})
	if got, err := w.ReadFile(resolve(t, w, "f"), 5); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := w.ReadFile(resolve(t, w, "f"), 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	if got, err := w.ReadFile(resolve(t, w, "empty"), 4); err != nil || got == nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := w.ReadFile(resolve(t, w, "none"), 4); !errors.Is(err, fs.ErrNotExist) || err.Error() != "none: no such file or directory" {
		t.Errorf("%v", err)
	}
}

func TestReadDirAndDir(t *testing.T) {
	w, _ := workspace(t, map[string]string{"sub/b": "", "sub/a": "x", "sub/c/d": ""})
	es, err := w.ReadDir(resolve(t, w, "sub"))
	var names []string
	for _, e := range es {
		names = append(names, e.Name())
	}
	if err != nil || strings.Join(names, " ") != "a b c" {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := w.ReadDir(resolve(t, w, "sub/a")); err == nil {
		t.Error("a file was listed")
	}
	r, err := w.Dir(resolve(t, w, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := r.ReadFile("a"); err != nil || !bytes.Equal(got, []byte("x")) {
		t.Errorf("%q, %v", got, err)
	}
}

// What is approved must be what is touched, though a folder on the way is swapped
// for a link between the two.
func TestSwappedAfterResolving(t *testing.T) {
	w, dir := workspace(t, map[string]string{"sub/f": "one"})
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "f"), []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := resolve(t, w, "sub/f")
	if err := errors.Join(os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "sub2")), os.Symlink(out, filepath.Join(dir, "sub"))); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ReadFile(p, 10); err == nil {
		t.Error("read through the link")
	}
	if err := w.Write(p, []byte("one"), []byte("two"), 0); err == nil {
		t.Error("wrote through the link")
	}
	if got, _ := os.ReadFile(filepath.Join(out, "f")); string(got) != "one" {
		t.Errorf("outside holds %q", got)
	}
	if es, _ := os.ReadDir(out); len(es) != 1 {
		t.Errorf("outside has %v", es)
	}
}

func TestProtected(t *testing.T) {
	for rel, want := range map[string]bool{
		".git": true, ".git/x": true, "a/.git/hooks/x": true, ".GIT/config": true, ".git./config": true, "./a/../.git/x": true,
		".forge/forge.json": true, ".forge": true, "a/.envrc": true, ".bashrc": true, "HEAD": true, ".github/workflows/ci.yml": true, ".github": true,
		"git": false, ".gitignore": false, "a.git/x": false, ".github/ISSUE_TEMPLATE.md": false, "main.go": false, "head.go": false, ".": false, "forge.json": false,
		".env": false, "docs/.gitkeep": false,
	} {
		if got := Protected(rel); got != want {
			t.Errorf("%s: %v", rel, got)
		}
	}
}
