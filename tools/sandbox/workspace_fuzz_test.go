//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// yard is a workspace with links of all kinds, beside a folder it may not touch.
func yard(t testing.TB) (w *Workspace, ws, out string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, out = filepath.Join(dir, "ws"), filepath.Join(dir, "out")
	link := func(to, at string) error { return os.Symlink(to, filepath.Join(ws, at)) }
	if err := errors.Join(os.MkdirAll(filepath.Join(ws, "sub", "d"), 0o755), os.WriteFile(filepath.Join(ws, "sub/f"), []byte("in"), 0o644),
		os.Mkdir(out, 0o755), os.WriteFile(filepath.Join(out, "f"), []byte("out"), 0o644),
		link("sub", "in"), link(ws+"/sub", "abs"), link("..", "o"), link("loop", "loop"), link("../sub/f", "sub/l"), link(out, "sub/d/x")); err != nil {
		t.Fatal(err)
	}
	if w, err = OpenWorkspace(ws); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, ws, out
}

func inside(ws string, p Path) bool {
	return (p.Abs == ws || strings.HasPrefix(p.Abs, ws+"/")) && filepath.IsLocal(p.Rel)
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"sub/f", "../x", "l/../../x", "in/l/f", "/etc/passwd", "sub/./..//in", "o/x", "a\x00", "~", "loop/x"} {
		f.Add(s)
	}
	w, ws, _ := yard(f)
	f.Fuzz(func(t *testing.T, name string) {
		if e, err := w.ResolveEntry(name); err == nil && !inside(ws, e) {
			t.Errorf("the entry %q leads to %+v", name, e)
		}
		p, err := w.Resolve(name)
		if err != nil {
			return
		}
		if !inside(ws, p) {
			t.Errorf("%q leads to %+v", name, p)
		}
		// What is there needs no more resolving: the system sees the same file.
		if real, err := filepath.EvalSymlinks(p.Abs); err == nil && real != p.Abs {
			t.Errorf("%q is %s, not %s", name, real, p.Abs)
		}
	})
}

// Whatever is moved and deleted, and wherever to: what lies outside stays as it is,
// and so does the workspace.
func FuzzMoveAndDelete(f *testing.F) {
	for _, s := range [][2]string{{"sub/f", "g"}, {"sub", "o/ws2"}, {"in", "sub/in"}, {"o", "p"}, {"sub/d", "../out/d"}, {"sub/d/x/f", "f"}, {"abs/", "t/"}, {".", "x"}, {"loop", "in/n/m"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, from, to string) {
		w, ws, out := yard(t)
		tree := func(name string) (Tree, bool) {
			p, err := w.ResolveEntry(name)
			if err != nil {
				return Tree{}, false
			}
			tr, err := w.Tree(p, 100)
			return tr, err == nil
		}
		if tr, ok := tree(from); ok {
			if p, err := w.ResolveEntry(to); err == nil && w.Vacant(tr, p) == nil {
				files, size := tr.Count()
				if err := w.Move(tr, p); err != nil {
					t.Logf("move %q to %q: %v", from, to, err)
				} else if now, err := w.Tree(p, 100); err != nil {
					t.Errorf("%q was moved to %q: %v", from, to, err)
				} else if n, s := now.Count(); n != files || s != size {
					t.Errorf("%q was moved to %q: %d files of %d bytes, now %d of %d", from, to, files, size, n, s)
				}
			}
		}
		for _, name := range []string{to, from} {
			if tr, ok := tree(name); ok {
				if n, err := w.Delete(tr); err != nil || n != len(tr.Entries) {
					t.Errorf("delete %q: %d of %d, %v", name, n, len(tr.Entries), err)
				} else if _, err := os.Lstat(tr.Path.Abs); err == nil {
					t.Errorf("%q is there still", name)
				}
			}
		}
		if got, err := os.ReadFile(filepath.Join(out, "f")); err != nil || string(got) != "out" {
			t.Errorf("%q, %q: outside holds %q, %v", from, to, got, err)
		}
		if es, err := os.ReadDir(filepath.Dir(ws)); err != nil || len(es) != 2 {
			t.Errorf("%q, %q: beside the workspace is %v, %v", from, to, es, err)
		}
		if es, err := os.ReadDir(out); err != nil || len(es) != 1 {
			t.Errorf("%q, %q: outside is %v, %v", from, to, es, err)
		}
	})
}

// A pattern that passes names nothing outside, by whatever the system makes of it.
func FuzzPattern(f *testing.F) {
	for _, s := range []string{"*", "../*", "{a,../b}", "sub/d/x/*", "**/f", `\.\./x`, "{,../}f", "/etc/*", "o/*", "in/*", "[.][.]/f", `..\/f`, `\/etc/*`, "sub/{d/x,d}/*"} {
		f.Add(s)
	}
	w, ws, out := yard(f)
	root, err := w.Resolve(".")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		checked, err := w.Pattern(root, pattern)
		if err != nil {
			return
		}
		all, err := alternatives(checked)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			if strings.ContainsAny(one, "*?[\x00") {
				continue // what these stand for is for the search
			}
			full := filepath.Join(ws, filepath.Dir(filepath.FromSlash(plain(one))))
			if real, err := filepath.EvalSymlinks(full); err == nil && real != ws && !strings.HasPrefix(real, ws+"/") {
				t.Errorf("%q names %s (outside is %s)", pattern, real, out)
			}
		}
	})
}
