//go:build unix

package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/tools"
)

func TestWriteCreatesAndReplaces(t *testing.T) {
	r := newRig(t, map[string]string{"old": "a\nb\nc\n", "void": ""})
	inv, err := r.prepare("write_file", o{"path": "x/y/new.txt", "content": "one\r\ntwo"})
	if err != nil || inv.Effect.Title != "create x/y/new.txt (+2 −0)" || inv.Effect.Kind != tools.Write {
		t.Fatalf("%+v, %v", inv, err)
	}
	if got := r.ok("write_file", o{"path": "x/y/new.txt", "content": "one\r\ntwo"}); got != "created x/y/new.txt (+2 −0)" {
		t.Errorf("%q", got)
	}
	r.holds("x/y/new.txt", "one\r\ntwo") // as it was sent
	if fi, err := os.Stat(filepath.Join(r.dir, "x/y/new.txt")); err != nil || fi.Mode().Perm()&0o022 != 0 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	r.fails("write_file", o{"path": "old", "content": "x"}, "old exists and was not read; read it with read_file first")
	r.ok("read_file", o{"path": "old"})
	r.has(r.ok("write_file", o{"path": "old", "content": "a\nB\nc\n"}), "changed old (+1 −1)", "    2\tB\n")
	r.ok("write_file", o{"path": "old", "content": "again\n"})
	r.holds("old", "again\n")
	r.ok("write_file", o{"path": "void", "content": "x"}) // nothing can be lost
	r.holds("void", "x")
	r.fails("write_file", o{"path": "x", "content": ""}, "x is a folder")
	r.fails("write_file", o{"path": "x/y/new.txt/z", "content": ""}, "not a directory")
	r.fails("write_file", o{"path": "f"}, `"content" is missing`)
	r.fails("write_file", o{"path": "../f", "content": ""}, "outside")
}

func TestWriteOfTheSameNeedsNoQuestion(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a\r\n"})
	inv, err := r.prepare("write_file", o{"path": "f", "content": "a\n"})
	if err != nil || inv.Effect.Kind != tools.Read || len(inv.Effect.Changes) != 0 {
		t.Fatalf("%+v, %v", inv, err)
	}
	r.has(r.ok("write_file", o{"path": "f", "content": "a\n"}), "nothing was written")
}

func TestWriteKeepsTheEncoding(t *testing.T) {
	for _, c := range []struct{ name, before, content, after string }{
		{"LF", "a\n", "b\nc\n", "b\nc\n"},
		{"CRLF", "a\r\nb\r\n", "b\nc\n", "b\r\nc\r\n"},
		{"CRLF sent", "a\nb\n", "b\r\nc\r\n", "b\r\nc\r\n"},
		{"mixed, most CRLF", "a\r\nb\r\nc\n", "b\nc\n", "b\r\nc\r\n"},
		{"mark", "\xef\xbb\xbfa\n", "b\n", "\xef\xbb\xbfb\n"},
		{"mark twice", "\xef\xbb\xbfa\n", "\ufeffb\n", "\xef\xbb\xbfb\n"},
		{"mark sent", "a\n", "\ufeffb\n", "\xef\xbb\xbfb\n"},
		{"UTF-16", utf16Bytes("\xff\xfe", false, "a\r\n"), "ü\n", utf16Bytes("\xff\xfe", false, "ü\r\n")},
		{"lone CR", "a\rb\r", "c\nd\n", "c\rd\r"},
		{"binary", "a\x00b", "c\n", "c\n"},
		{"one line", "a", "b\n", "b\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, map[string]string{"f": c.before})
			r.ok("read_file", o{"path": "f"})
			r.ok("write_file", o{"path": "f", "content": c.content})
			r.holds("f", c.after)
		})
	}
	r := newRig(t, map[string]string{"latin": "caf\xe9\n"})
	r.ok("read_file", o{"path": "latin"})
	r.has(r.ok("write_file", o{"path": "latin", "content": "café\n"}), "the old file was not UTF-8")
	r.holds("latin", "café\n")
}

func TestTodo(t *testing.T) {
	r := newRig(t, nil)
	items := []o{{"text": " look \n around", "status": "done"}, {"text": "write", "status": "in_progress"}, {"text": "test", "status": "pending"}}
	inv, err := r.prepare("todo", o{"items": items})
	if err != nil || inv.Effect.Kind != tools.Internal || inv.Effect.Title != "todo: 1 of 3 done" || len(r.env.Todos.List()) != 0 {
		t.Fatalf("%+v, %v", inv, err)
	}
	if got := r.ok("todo", o{"items": items}); got != "[x] look around\n[>] write\n[ ] test" {
		t.Errorf("%q", got)
	}
	if got := r.env.Todos.List(); len(got) != 3 || got[0] != (Todo{"look around", "done"}) {
		t.Errorf("%v", got)
	}
	r.fails("todo", o{"items": []o{{"text": "x", "status": "finished"}}}, `items[0].status is "finished", must be one of pending, in_progress, done`)
	r.fails("todo", o{"items": []o{{"text": " ", "status": "done"}}}, "items[0].text is empty")
	if len(r.env.Todos.List()) != 3 {
		t.Error("a refused list replaced the old one")
	}
	if got := r.ok("todo", o{"items": []o{}}); got != "the list is empty" || len(r.env.Todos.List()) != 0 {
		t.Errorf("%q", got)
	}
}

func TestListDir(t *testing.T) {
	r := newRig(t, map[string]string{
		"go.mod": "module x\n", "b/two.go": strings.Repeat("x", 1500), "b/deep/er/f": "", "a/one.go": "", ".git/config": "", "node_modules/x/y.js": "", "z": "",
	})
	if err := os.Symlink("go.mod", filepath.Join(r.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(r.dir, "void"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := `.:
.git/ (not listed)
a/
  one.go  0 B
b/
  deep/ (1 entry)
  two.go  1.5 kB
node_modules/ (not listed)
void/
go.mod  9 B
link  → go.mod
z  0 B`
	if got := r.ok("list_dir", o{}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := r.ok("list_dir", o{"path": "b", "depth": 1}); got != "b:\ndeep/ (1 entry)\ntwo.go  1.5 kB" {
		t.Errorf("%q", got)
	}
	if got := r.ok("list_dir", o{"path": "node_modules", "depth": 9}); got != "node_modules:\nx/\n  y.js  0 B" {
		t.Errorf("%q", got) // asked for by name it is shown
	}
	if got := r.ok("list_dir", o{"path": "void"}); got != "void is empty" {
		t.Errorf("%q", got)
	}
	r.fails("list_dir", o{"path": "z"}, "z is a file; use read_file")
	r.fails("list_dir", o{"path": "nodemodules"}, "did you mean node_modules?")
	r.fails("list_dir", o{"path": ".."}, "outside")
	r.fails("list_dir", o{"depth": 11}, "must be 1 to 10")
	inv, err := r.prepare("list_dir", o{"path": "b/"})
	if err != nil || inv.Effect.Kind != tools.Read || inv.Effect.Title != "list b" || inv.Effect.Paths[0] != filepath.Join(r.dir, "b") {
		t.Errorf("%+v, %v", inv, err)
	}
}

func TestListDirShowsUpperLevelsFirst(t *testing.T) {
	files := map[string]string{}
	for i := range 150 {
		files["a/"+strings.Repeat("x", i+1)] = ""
		files[strings.Repeat("y", i+1)] = ""
	}
	r := newRig(t, files)
	got := r.ok("list_dir", o{})
	if n := strings.Count(got, "\n"); n != 201 { // 200 entries and a note, below the first line
		t.Errorf("%d lines", n)
	}
	r.has(got, "\n"+strings.Repeat("y", 150)+"  0 B", "\n  …(101 entries more in a; use glob to find among them)\n")
}
