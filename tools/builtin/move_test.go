package builtin

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/tools"
)

// gone checks that nothing is there, not even a link.
func (r *rig) gone(names ...string) {
	r.Helper()
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(r.dir, name)); !errors.Is(err, fs.ErrNotExist) {
			r.Errorf("%s is there: %v", name, err)
		}
	}
}

func TestMove(t *testing.T) {
	r := newRig(t, map[string]string{"a.go": "one\n", "b.go": "two\n", "lib/x": "", "lib/y/z": "zz"})
	inv, err := r.prepare("move_file", o{"from": "a.go", "to": "cmd/tool/main.go"})
	if err != nil {
		t.Fatal(err)
	}
	e := inv.Effect
	abs := func(name string) string { return filepath.Join(r.dir, name) }
	if e.Kind != tools.Write || e.Title != "move a.go → cmd/tool/main.go" || !slices.Equal(e.Paths, []string{abs("a.go"), abs("cmd/tool/main.go")}) {
		t.Errorf("%+v", e)
	}
	if c := e.Changes[0]; c.Op != tools.Move || c.From != "a.go" || c.Path != "cmd/tool/main.go" {
		t.Errorf("%+v", c)
	}
	r.has(r.ok("move_file", o{"from": "a.go", "to": "cmd/tool/main.go"}), "moved a.go → cmd/tool/main.go")
	r.gone("a.go")
	r.holds("cmd/tool/main.go", "one\n")

	r.has(r.ok("move_file", o{"from": "b.go", "to": "cmd/"}), "moved b.go → cmd/b.go")
	r.has(r.ok("move_file", o{"from": "lib", "to": "pkg/lib2"}), "moved folder lib → pkg/lib2 (2 files)")
	r.holds("pkg/lib2/y/z", "zz")
	r.gone("lib")

	r.fails("move_file", o{"from": "cmd/b.go", "to": "pkg"}, "pkg is a folder that exists", "give to as pkg/b.go")
	r.fails("move_file", o{"from": "cmd/b.go", "to": "cmd/tool/main.go"}, "exists; give a name that is free")
	r.fails("move_file", o{"from": "cmd", "to": "cmd/in"}, "cannot be moved into itself")
	r.fails("move_file", o{"from": "cm", "to": "x"}, "cm does not exist", "did you mean cmd")
	r.fails("move_file", o{"from": ".", "to": "x"}, "a folder of the workspace itself")
	r.fails("move_file", o{"from": "cmd", "to": "../x"}, "outside the workspace")
	r.fails("move_file", o{"from": "/etc/hostname", "to": "x"}, "outside the workspace")
	r.fails("move_file", o{"from": "cmd"}, "to")
}

// What the model knows of a file it knows under the new name.
func TestMoveKeepsWhatWasRead(t *testing.T) {
	r := newRig(t, map[string]string{"d/a": "one\n", "d/b": "two\n"})
	r.ok("read_file", o{"path": "d/a"})
	r.ok("read_file", o{"path": "d/b"})
	r.ok("move_file", o{"from": "d", "to": "e"})
	r.ok("write_file", o{"path": "e/a", "content": "new\n"})
	r.put("e/b", "by somebody else\n")
	r.fails("write_file", o{"path": "e/b", "content": "new\n"}, "changed on disk since you last read it")
	r.put("d/a", "another\n")
	r.fails("write_file", o{"path": "d/a", "content": "new\n"}, "was not read")
}

func TestDelete(t *testing.T) {
	r := newRig(t, map[string]string{"a.go": "one\ntwo\n", "empty": "", "d/x": "1", "d/e/y": "22", "bin": "\x00\x01", "long": strings.Repeat("line\n", 60_000)})
	abs := func(name string) string { return filepath.Join(r.dir, name) }
	if err := errors.Join(os.Mkdir(abs("d/none"), 0o755), os.Symlink("a.go", abs("link")), os.Symlink(r.dir, abs("d/up"))); err != nil {
		t.Fatal(err)
	}
	r.env.UndoLimit = 100_000
	for _, c := range []struct {
		name, title, before, told string
		thing                     tools.Thing
		files, lost               int
		size                      int64
	}{
		{"link", "delete link link", "→ a.go\n", "deleted link link", tools.Link, 1, 0, 0},
		{"a.go", "delete a.go (+0 −2)", "one\ntwo\n", "deleted a.go (+0 −2)", tools.Text, 0, 0, 8},
		{"empty", "delete empty (+0 −0)", "", "deleted empty", tools.Text, 0, 0, 0},
		{"bin", "delete bin (2 B)", "", "deleted bin (2 B)", tools.Binary, 0, 0, 2},
		{"long", "delete long (300.0 kB)", "", "deleted long (300.0 kB)", tools.Large, 0, 1, 300_000},
		{"d", "delete folder d (3 files, 3 B)", "e/y\nnone/\nup\nx\n", "deleted folder d (3 files", tools.Folder, 3, 0, 3},
	} {
		inv, err := r.prepare("delete_file", o{"path": c.name})
		if err != nil {
			t.Fatal(err)
		}
		ch := inv.Effect.Changes[0]
		if c.thing == tools.Link {
			ch.Files = c.files
		}
		if inv.Effect.Title != c.title || string(ch.Before) != c.before || ch.Thing != c.thing || ch.Files != c.files || ch.Size != c.size || ch.Lost != c.lost || ch.Op != tools.Delete {
			t.Errorf("%s: %q %+v", c.name, inv.Effect.Title, ch)
		}
		res, err := inv.Run(t.Context(), inv.Effect, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		r.has(res.Text, c.told)
		r.gone(c.name)
		if c.name == "d" && len(inv.Effect.Paths) != 6 {
			t.Errorf("paths %q", inv.Effect.Paths)
		}
	}
	if _, err := os.Stat(r.dir); err != nil {
		t.Fatal("a link in the folder was followed")
	}
	r.fails("delete_file", o{"path": "none"}, "none does not exist")
	r.fails("delete_file", o{"path": "."}, "a folder of the workspace itself")
	r.put("locked", "x")
	if err := os.Chmod(abs("locked"), 0o444); err != nil {
		t.Fatal(err)
	}
	r.fails("delete_file", o{"path": "locked"}, "read-only")
}

// Nothing goes that is not what was looked at.
func TestDeleteOfWhatChanged(t *testing.T) {
	r := newRig(t, map[string]string{"f": "one\n", "d/a": "one\n", "d/b": "two\n", "big": strings.Repeat("x", 300_000)})
	r.ok("read_file", o{"path": "f"})
	r.ok("read_file", o{"path": "d/a"})
	r.put("f", "by somebody else\n")
	r.put("d/a", "by somebody else\n")
	r.fails("delete_file", o{"path": "f"}, "changed on disk since you last read it", "by somebody else")
	r.fails("delete_file", o{"path": "d"}, "d/a changed on disk since you last read it")
	r.ok("read_file", o{"path": "f"})
	r.ok("read_file", o{"path": "d/a"})
	for name, change := range map[string]func(){
		"f":   func() { r.put("f", "while it waited\n") },
		"d":   func() { r.put("d/new", "while it waited\n") },
		"big": func() { r.put("big", "while it waited\n") },
	} {
		inv, err := r.prepare("delete_file", o{"path": name})
		if err != nil {
			t.Fatal(err)
		}
		move, err := r.prepare("move_file", o{"from": name, "to": "to/" + name})
		if err != nil {
			t.Fatal(err)
		}
		change()
		for verb, inv := range map[string]*tools.Invocation{"deleted": inv, "moved": move} {
			if _, err := inv.Run(t.Context(), inv.Effect, io.Discard); err == nil || !strings.Contains(err.Error(), "nothing was "+verb) || !strings.Contains(err.Error(), "changed on disk meanwhile") {
				t.Errorf("%s %s: %v", name, verb, err)
			}
		}
		r.gone("to")
	}
	r.holds("f", "while it waited\n")
	r.holds("d/new", "while it waited\n")
	r.holds("d/b", "two\n")
	move, err := r.prepare("move_file", o{"from": "f", "to": "g"})
	if err != nil {
		t.Fatal(err)
	}
	r.put("g", "came first\n")
	if _, err := move.Run(t.Context(), move.Effect, io.Discard); err == nil || !strings.Contains(err.Error(), "g exists") {
		t.Errorf("onto what came meanwhile: %v", err)
	}
	r.holds("g", "came first\n")
}

// A reviewer who keeps a file keeps it.
func TestDeleteTurnedDown(t *testing.T) {
	r := newRig(t, map[string]string{"f": "one\n"})
	inv, err := r.prepare("delete_file", o{"path": "f"})
	if err != nil {
		t.Fatal(err)
	}
	inv.Effect.Changes = []tools.Change{}
	res, err := inv.Run(t.Context(), inv.Effect, io.Discard)
	if err != nil || res.Wrote == nil || len(res.Wrote) > 0 || !strings.Contains(res.Text, "did not let f go") {
		t.Errorf("%+v, %v", res, err)
	}
	r.holds("f", "one\n")
}

func TestTooManyToDelete(t *testing.T) {
	r := newRig(t, nil)
	for i := range maxTree {
		r.put(filepath.Join("many", strings.Repeat("f", i%200+1), string(rune('a'+i/200))), "")
	}
	r.fails("delete_file", o{"path": "many"}, "too many files", "rm -r")
	r.fails("move_file", o{"from": "many", "to": "more"}, "too many files", "mv")
}

// A rule that keeps a file from a tool keeps it from searches as well.
func TestSearchesHonourRules(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "needle\n", "secret/k.txt": "needle\n"})
	asked := map[string]bool{}
	r.env.Forbidden = func(names ...string) func(string) bool {
		for _, n := range names {
			asked[n] = true
		}
		return func(p string) bool { return strings.Contains(p, "secret") }
	}
	for name, args := range map[string]o{"grep": {"pattern": "needle"}, "glob": {"pattern": "**/*.txt"}, "list_dir": {}} {
		if text := r.ok(name, args); strings.Contains(text, "secret") || !strings.Contains(text, "a.txt") {
			t.Errorf("%s: %s", name, text)
		}
	}
	r.fails("grep", o{"pattern": "needle", "path": "secret/k.txt"}, "a rule forbids to read secret/k.txt")
	for _, n := range []string{"grep", "read_file", "glob", "list_dir"} {
		if !asked[n] {
			t.Errorf("nobody asked for rules about %s", n)
		}
	}
}
