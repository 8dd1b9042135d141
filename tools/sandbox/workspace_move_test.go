//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// state is all that a folder holds, with modes and times.
func state(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		line := fmt.Sprint(rel, " ", fi.Mode())
		switch {
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %q %s", data, fi.ModTime().UTC().Format(time.RFC3339))
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			line += " " + to
		default:
			line += " " + fi.ModTime().UTC().Format(time.RFC3339)
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

func grown(t *testing.T, files ...string) (w *Workspace, dir string) {
	t.Helper()
	m := map[string]string{}
	for _, f := range files {
		m[f] = f
	}
	w, dir = workspace(t, m)
	return w, dir
}

func treeOf(t *testing.T, w *Workspace, name string) Tree {
	t.Helper()
	p, err := w.ResolveEntry(name)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := w.Tree(p, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// old gives a folder modes, a link and times of long ago.
func old(t *testing.T, dir string) {
	t.Helper()
	long := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := errors.Join(os.Symlink("../../elsewhere", filepath.Join(dir, "d", "l")), os.Chmod(filepath.Join(dir, "d", "a"), 0o751), os.Mkdir(filepath.Join(dir, "d", "empty"), 0o700),
		os.Chmod(filepath.Join(dir, "d", "sub"), 0o550), os.Chtimes(filepath.Join(dir, "d", "a"), long, long), os.Chtimes(filepath.Join(dir, "d", "sub"), long, long),
		os.Chtimes(filepath.Join(dir, "d"), long, long)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, sub := range []string{"d/sub", "e/sub", "sub"} {
			_ = os.Chmod(filepath.Join(dir, sub), 0o755)
		}
	})
}

// Between file systems a folder is copied as it is, and the old one goes then.
func TestCarry(t *testing.T) {
	w, dir := grown(t, "d/a", "d/sub/b")
	old(t, dir)
	if err := os.Chmod(filepath.Join(dir, "d", "sub"), 0o750); err != nil { // nothing can be taken from a read-only one
		t.Fatal(err)
	}
	want := state(t, filepath.Join(dir, "d"))
	if err := w.carry(treeOf(t, w, "d"), resolve(t, w, "e")); err != nil {
		t.Fatal(err)
	}
	if got := state(t, filepath.Join(dir, "e")); got != want {
		t.Errorf("there is now\n%s\nthere was\n%s", got, want)
	}
	if _, err := os.Lstat(filepath.Join(dir, "d")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old one: %v", err)
	}
	// A copy that fails is taken away, and the old one stays.
	tr := treeOf(t, w, "e")
	if err := os.Remove(filepath.Join(dir, "e", "sub", "b")); err != nil {
		t.Fatal(err)
	}
	want = state(t, dir)
	if err := w.carry(tr, resolve(t, w, "f")); err == nil {
		t.Error("what was gone could be copied")
	}
	if got := state(t, dir); got != want {
		t.Errorf("after a copy that failed\n%s\nbefore\n%s", got, want)
	}
}

func TestMoveToAnotherFileSystem(t *testing.T) {
	there, err := os.MkdirTemp("/dev/shm", "forge-move-")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(there)
	w, dir := grown(t, "d/a", "d/sub/b", "f")
	if err := w.Add(there); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"d": "n/d2", "f": "f"} {
		want := state(t, filepath.Join(dir, from))
		if err := w.Move(treeOf(t, w, from), resolve(t, w, filepath.Join(there, to))); err != nil {
			t.Fatal(err)
		}
		if got := state(t, filepath.Join(there, to)); got != want {
			t.Errorf("%s: there is now\n%s\nthere was\n%s", from, got, want)
		}
		if _, err := os.Lstat(filepath.Join(dir, from)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there still: %v", from, err)
		}
	}
}

// A folder that cannot be taken from keeps what is in it, and the rest is told.
func TestDeleteInPart(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere; TestPathCorpusAsNobody runs this as nobody")
	}
	w, dir := grown(t, "d/a", "d/sub/b", "d/z")
	old(t, dir)
	tr := treeOf(t, w, "d")
	n, err := w.Delete(tr)
	if !errors.Is(err, fs.ErrPermission) || n != 1 || !strings.Contains(err.Error(), "d/sub/b") {
		t.Errorf("%d of %d, %v", n, len(tr.Entries), err)
	}
	for name, there := range map[string]bool{"d/a": true, "d/sub/b": true, "d/z": false} {
		if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := treeOf(t, w, "d/sub/b")
	if err := w.Move(b, resolve(t, w, "b")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("moved out of it: %v", err)
	}
	if err := w.carry(b, resolve(t, w, "copy")); !errors.Is(err, ErrCopied) {
		t.Errorf("copied out of it: %v", err)
	}
	for _, name := range []string{"d/sub/b", "copy"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// What was moved to the folder somebody agreed to does not come into another one.
func TestMoveWhereTheWayChanged(t *testing.T) {
	w, dir := grown(t, "f", "a/x", ".git/config")
	tr, to := treeOf(t, w, "f"), resolve(t, w, "a/f")
	if err := errors.Join(os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")), os.Symlink(".git", filepath.Join(dir, "a"))); err != nil {
		t.Fatal(err)
	}
	if err := w.Move(tr, to); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if es, err := os.ReadDir(filepath.Join(dir, ".git")); err != nil || len(es) != 1 {
		t.Errorf("%v, %v", es, err)
	}
}

// Only what was looked at goes: not what came since, nor what was changed or put in
// its place.
func TestTreeThatChanged(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"a new file":   func(dir string) error { return os.WriteFile(dir+"/d/new", nil, 0o644) },
		"a new folder": func(dir string) error { return os.Mkdir(dir+"/d/new", 0o755) },
		"longer":       func(dir string) error { return os.WriteFile(dir+"/d/a", []byte("more than it was"), 0o644) },
		"touched":      func(dir string) error { return os.Chtimes(dir+"/d/a", time.Time{}, time.Unix(1, 0)) },
		"another file": func(dir string) error {
			return errors.Join(os.Rename(dir+"/d/a", dir+"/a"), os.WriteFile(dir+"/d/a", []byte("d/a"), 0o644))
		},
		"a link to it": func(dir string) error {
			return errors.Join(os.Rename(dir+"/d/a", dir+"/a"), os.Symlink("../a", dir+"/d/a"))
		},
		"a link instead":  func(dir string) error { return errors.Join(os.Rename(dir+"/d", dir+"/e"), os.Symlink("e", dir+"/d")) },
		"gone":            func(dir string) error { return os.Remove(dir + "/d/a") },
		"gone altogether": func(dir string) error { return os.Rename(dir+"/d", dir+"/e") },
	} {
		w, dir := grown(t, "d/a", "d/sub/b")
		tr := treeOf(t, w, "d")
		if err := change(dir); err != nil {
			t.Fatal(err)
		}
		want := state(t, dir)
		if n, err := w.Delete(tr); n != 0 || !errors.Is(err, ErrChanged) {
			t.Errorf("%s: %d are gone, %v", name, n, err)
		}
		if err := w.Move(tr, resolve(t, w, "to")); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: moved, %v", name, err)
		}
		if got := state(t, dir); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestTreeOfTooMany(t *testing.T) {
	w, _ := grown(t, "d/a", "d/b")
	p, err := w.ResolveEntry("d")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Tree(p, 2); !errors.Is(err, ErrCrowded) {
		t.Errorf("%v", err)
	}
	tr, err := w.Tree(p, 3)
	var names []string
	for _, e := range tr.Entries {
		names = append(names, e.Rel)
	}
	if files, size := tr.Count(); err != nil || !slices.Equal(names, []string{".", "a", "b"}) || files != 2 || size != 6 {
		t.Errorf("%q, %d files of %d bytes, %v", names, files, size, err)
	}
	_, dir := grown(t, "kept/f")
	w2, _ := grown(t, "x")
	if err := w2.AddReadOnly(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "kept"), filepath.Join(dir, "kept", "f")} {
		if p, err := w2.ResolveEntry(name); err != nil {
			t.Error(err)
		} else if _, err := w2.Tree(p, 10); err == nil || !strings.Contains(err.Error(), "reading only") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w2.Vacant(treeOf(t, w2, "x"), resolve(t, w2, filepath.Join(dir, "new"))); err == nil || !strings.Contains(err.Error(), "reading only") {
		t.Errorf("into a folder for reading: %v", err)
	}
}
