//go:build unix

package builtin

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/tools"
	"forge/tools/diff"
)

func one(path, old, new string) o {
	return o{"path": path, "edits": []o{{"old_string": old, "new_string": new}}}
}

func TestEditChangesNothingElse(t *testing.T) {
	u16 := func(s string) string { return utf16Bytes("\xff\xfe", false, s) }
	for _, c := range []struct{ name, before, old, new, after string }{
		{"LF", "a\nb\nc\n", "b", "B", "a\nB\nc\n"},
		{"CRLF", "a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\nB2\n", "a\r\nB\r\nB2\r\nc\r\n"},
		{"CRLF sent as CRLF", "a\r\nb\r\n", "a\r\nb", "a\r\nB", "a\r\nB\r\n"},
		{"LF sent as CRLF", "a\nb\n", "a\r\nb", "a\r\nB", "a\nB\n"},
		{"mixed", "a\r\nb\nc\r\nd\n", "b\nc", "b\nC", "a\r\nb\nC\r\nd\n"},
		{"lone CR", "a\rb\rc", "b\n", "B\n", "a\rB\rc"},
		{"mark", "\xef\xbb\xbfa\r\nb", "a", "A", "\xef\xbb\xbfA\r\nb"},
		{"mark sent", "\xef\xbb\xbfa\n", "\ufeffa", "\ufeffA", "\xef\xbb\xbfA\n"},
		{"UTF-16", u16("aü\r\nb😀\r\n"), "aü\nb", "aö\nb", u16("aö\r\nb😀\r\n")},
		{"UTF-16BE", utf16Bytes("\xfe\xff", true, "a\nb\n"), "b", "語", utf16Bytes("\xfe\xff", true, "a\n語\n")},
		{"Latin-1", "caf\xe9 one\n\xff", "one", "two", "caf\xe9 two\n\xff"},
		{"no last line end", "a\nb", "b", "B", "a\nB"},
		{"no last line end, one put in", "a", "a", "a\n", "a\n"},
		{"trailing blanks elsewhere", "a  \nb\t\nc \n", "b", "B", "a  \nB\t\nc \n"},
		{"tabs", "\tif x {\n\t\ty()\n\t}\n", "\t\ty()", "\t\tz()", "\tif x {\n\t\tz()\n\t}\n"},
		{"all gone", "a\n", "a\n", "", ""},
		{"form feed and escapes", "a\f\x1b[0mb\n", "b", "c", "a\f\x1b[0mc\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, map[string]string{"f": c.before})
			r.ok("read_file", o{"path": "f"})
			r.ok("edit_file", one("f", c.old, c.new))
			r.holds("f", c.after)
		})
	}
}

func TestEditTellsWhatLanded(t *testing.T) {
	r := newRig(t, map[string]string{"f": numberedLines(30)})
	inv, err := r.prepare("edit_file", o{"path": "f", "edits": []o{
		{"old_string": "line 5\n", "new_string": "five\nfive and a half\n"}, {"old_string": "line 25\n", "new_string": ""},
	}})
	if err != nil {
		t.Fatal(err)
	}
	e := inv.Effect
	if e.Kind != tools.Write || e.Title != "edit f (+2 −2)" || len(e.Changes) != 1 || e.Paths[0] != filepath.Join(r.dir, "f") {
		t.Errorf("%+v", e)
	}
	r.holds("f", numberedLines(30)) // Prepare changes nothing
	if c := e.Changes[0]; c.Path != "f" || c.Op != tools.Modify || string(c.Before) != numberedLines(30) {
		t.Errorf("%+v", c)
	}
	res, err := inv.Run(t.Context(), e, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := "changed f (+2 −2)\n    2\tline 2\n    3\tline 3\n    4\tline 4\n    5\tfive\n    6\tfive and a half\n    7\tline 6\n    8\tline 7\n    9\tline 8\n   …\n" +
		"   23\tline 22\n   24\tline 23\n   25\tline 24\n   26\tline 26\n   27\tline 27\n   28\tline 28"
	if res.Text != want || res.Display != "changed f (+2 −2)" {
		t.Errorf("%s\nwant\n%s", res.Text, want)
	}
}

func TestEditSpellings(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a b a\n"})
	r.ok("edit_file", o{"path": "f", "old_string": "a", "new_string": "x", "replace_all": true})
	r.holds("f", "x b x\n")
	r.ok("edit_file", o{"path": "f", "edits": o{"old_string": "b", "new_string": "y"}})
	r.holds("f", "x y x\n")
	r.ok("edit_file", o{"path": "f", "edits": `[{"old_string":"y","new_string":"z","replace_all":"true"}]`})
	r.holds("f", "x z x\n")
	r.fails("edit_file", o{"path": "f"}, `"edits" is missing`)
	r.fails("edit_file", o{"old_string": "x", "new_string": "y"}, "path is missing")
	r.fails("edit_file", o{"path": "f", "edits": []o{}}, "edits is empty")
	r.fails("edit_file", o{"path": "f", "old_string": "x", "new_string": "y", "edits": []o{{"old_string": "z", "new_string": ""}}}, "send edits alone")
	r.fails("edit_file", o{"path": "f", "edits": []o{{"old": "z", "new_string": ""}}}, `there is no "edits[0].old" (did you mean "old_string"?)`)
	r.holds("f", "x z x\n")
}

func TestEditRefuses(t *testing.T) {
	r := newRig(t, map[string]string{
		"f": "one\ntwo\none\nthree\n", "empty": "", "bin": "a\x00b", "latin": "caf\xe9\n", "ro": "x\n", "dir/f": "",
	})
	for _, c := range []struct {
		args o
		want string
	}{
		{one("f", "one", "1"), "old_string found 2 times (lines 1, 3), need 1"},
		{one("f", "four", "4"), "old_string found 0 times"},
		{one("f", "", "x"), "old_string is empty, but the file exists"},
		{one("f", "two", "two"), "are the same"},
		{one("f", "two\n", "two\r\n"), "are the same"},
		{one("bin", "a", "b"), "bin is a binary file"},
		{one("latin", "caf", "ć"), "only ASCII"},
		{one("none", "a", "b"), "none does not exist; find it with glob"},
		{one("dir", "a", "b"), "dir is a folder"},
		{one("../x", "", "b"), "outside the workspace"},
		{o{"path": "f", "edits": []o{{"old_string": "two", "new_string": "2"}, {"old_string": "zzzz", "new_string": ""}}}, "edit 2 of 2: old_string found 0 times"},
		{o{"path": "f", "edits": []o{{"old_string": "one\ntwo", "new_string": "2"}, {"old_string": "two\none", "new_string": "x"}}}, "edits 1 (line 1) and 2 (line 2) overlap"},
		{o{"path": "f", "edits": []o{{"old_string": "two", "new_string": "vier"}, {"old_string": "vier", "new_string": "x"}}}, "it matches only what edit 1 puts in"},
	} {
		r.fails("edit_file", c.args, c.want)
	}
	if err := os.Chmod(filepath.Join(r.dir, "ro"), 0o444); err != nil {
		t.Fatal(err)
	}
	r.fails("edit_file", one("ro", "x", "y"), "read-only (mode 0444)")
	r.holds("f", "one\ntwo\none\nthree\n")
	r.holds("latin", "caf\xe9\n")
	r.ok("edit_file", one("empty", "", "x\n"))
	r.holds("empty", "x\n")
}

func TestEditNearMiss(t *testing.T) {
	text := "package a\n\nfunc add(a, b int) int {\n\tif a > 0 {\n\t\treturn a + b\n\t}\n\treturn  b\n}\n\nvar s = “quoted”\nconst Big = 1\nx  \n"
	r := newRig(t, map[string]string{"f": text})
	for _, c := range []struct{ old, want string }{
		{"    if a > 0 {\n        return a + b\n    }", "closest are lines 4–6:\n    4\t\tif a > 0 {\n    5\t\t\treturn a + b\n    6\t\t}\nline 4: the indentation differs: the file has \"\\t\", old_string \"    \""},
		{"\treturn b\n", "closest is line 7:\n    7\t\treturn  b\nline 7: blanks inside differ: the file has \"\\treturn  b\""},
		{"func add(a int, b int) int {", "closest is line 3:\n    3\tfunc add(a, b int) int {\nline 3: old_string has \"func add(a int, b int) int {\""},
		{"    3\tfunc add(a, b int) int {\n    4\t\tif a > 0 {", "(it matches without the line numbers: leave them out)"},
		{`var s = "quoted"`, "(quotes, dashes or blanks differ"},
		{"const big = 1", "(upper and lower case differ)"},
		{`\tif a > 0 {\n\t\treturn a + b`, `(it matches with \n, \t or \" as the characters they stand for)`},
		{"x \n", "line 12: blanks at its end differ: the file has \"  \", old_string \" \""},
		{"x  \n\n", "(it matches without the line ends at its start or end)"},
		{"}\n\nfunc other() {\n}\nqqqqqqqq", "closest are lines"},
		{"completely other words", "nothing in the file is like it"},
	} {
		r.fails("edit_file", one("f", c.old, "new"), "old_string found 0 times, need 1", c.want, "\nnothing was changed")
	}
	r.holds("f", text)
	r.put("latin", "caf\xe9 x\nend\n")
	r.fails("edit_file", one("latin", "caf\ufffd", "cafe"), "bytes there that are no UTF-8", "closest is line 1")
	r.holds("latin", "caf\xe9 x\nend\n")
}

func TestEditManyMatchesAreCounted(t *testing.T) {
	r := newRig(t, map[string]string{"f": strings.Repeat("x\n", 40)})
	r.fails("edit_file", one("f", "x", "y"), "found 40 times (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)")
	inv, err := r.prepare("edit_file", o{"path": "f", "edits": []o{{"old_string": "x", "new_string": "y", "replace_all": true}}})
	if err != nil || inv.Effect.Title != "edit f (+40 −40)" {
		t.Errorf("%+v, %v", inv, err)
	}
}

func TestEditCreates(t *testing.T) {
	r := newRig(t, nil)
	inv, err := r.prepare("edit_file", one("a/b/new.go", "", "package b\n"))
	if err != nil || inv.Effect.Title != "create a/b/new.go (+1 −0)" || inv.Effect.Changes[0].Op != tools.Create {
		t.Fatalf("%+v, %v", inv, err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "a")); err == nil {
		t.Error("Prepare made a folder")
	}
	r.put("a/b/new.go", "somebody else's\n")
	if res, err := inv.Run(t.Context(), inv.Effect, io.Discard); err != nil || !res.IsError || len(res.Wrote) != 0 || res.Again.Effect.Changes[0].Conflicts != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	r.holds("a/b/new.go", "somebody else's\n")
	r.ok("edit_file", one("c/new.go", "", "package c\n"))
	r.holds("c/new.go", "package c\n")
}

// Two edits of one file in one turn: each is prepared after the one before ran.
func TestEditsCompose(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a\nb\n"})
	r.ok("read_file", o{"path": "f"})
	r.ok("edit_file", one("f", "a", "A"))
	r.ok("edit_file", one("f", "A\nb", "A\nB"))
	r.holds("f", "A\nB\n")
	r.ok("write_file", o{"path": "f", "content": "whole\n"}) // it knows what is in it
	r.holds("f", "whole\n")

	// Prepared at once, the second clashes: its Before is gone.
	first, err1 := r.prepare("edit_file", one("f", "whole", "first"))
	second, err2 := r.prepare("edit_file", one("f", "whole", "second"))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if _, err := first.Run(t.Context(), first.Effect, io.Discard); err != nil {
		t.Fatal(err)
	}
	if res, err := second.Run(t.Context(), second.Effect, io.Discard); err != nil || !res.IsError || res.Again.Effect.Changes[0].Conflicts != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	r.holds("f", "first\n")
}

func TestChangedSinceRead(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a\nb\nc\n"})
	r.ok("read_file", o{"path": "f"})
	r.put("f", "a\nB\nc\n")
	for range 2 { // it stays refused until it is read
		r.fails("edit_file", one("f", "a", "A"), "f changed on disk since you last read it; read it again", "-b\n+B\n")
		r.fails("write_file", o{"path": "f", "content": "x\n"}, "f changed on disk since you last read it")
	}
	r.holds("f", "a\nB\nc\n")
	r.ok("read_file", o{"path": "f"})
	r.ok("edit_file", one("f", "a", "A"))
	r.holds("f", "A\nB\nc\n")

	// The same content under a new time is no change.
	r.put("f", "A\nB\nc\n")
	r.ok("edit_file", one("f", "c", "C"))
	// Changed between the approval and the write.
	inv, err := r.prepare("edit_file", one("f", "A", "X"))
	if err != nil {
		t.Fatal(err)
	}
	r.put("f", "late\n")
	if res, err := inv.Run(t.Context(), inv.Effect, io.Discard); err != nil || !res.IsError || res.Again.Effect.Changes[0].Conflicts != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	r.holds("f", "late\n")
	r.fails("edit_file", one("f", "late", "x"), "changed on disk since you last read it")
	if err := os.Remove(filepath.Join(r.dir, "f")); err != nil {
		t.Fatal(err)
	}
	r.fails("edit_file", one("f", "late", "x"), "f does not exist")
}

func TestEditingDoesNotCountAsReading(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a\nsecret of the file\n"})
	r.ok("edit_file", one("f", "a\n", "A\n")) // the old text is proof enough
	r.fails("write_file", o{"path": "f", "content": "gone\n"}, "f exists and was not read")
	r.put("f", "A\nother\n")
	r.ok("edit_file", one("f", "other", "more"))
	r.holds("f", "A\nmore\n")
}

func TestReviewerDropsHunks(t *testing.T) {
	before := numberedLines(30)
	for _, keep := range [][]bool{{true, false}, {false, true}, {false, false}, {true, true}} {
		r := newRig(t, map[string]string{"f": before})
		inv, err := r.prepare("edit_file", o{"path": "f", "edits": []o{
			{"old_string": "line 5\n", "new_string": "five\n"}, {"old_string": "line 25\n", "new_string": "twentyfive\n"}}})
		if err != nil {
			t.Fatal(err)
		}
		e := inv.Effect
		var kept []diff.Hunk
		for i, h := range diff.Hunks(e.Changes[0].Before, e.Changes[0].After) {
			if keep[i] {
				kept = append(kept, h)
			}
		}
		c := e.Changes[0]
		c.After = diff.Apply(c.Before, kept)
		e.Changes = []tools.Change{c}
		res, err := inv.Run(t.Context(), e, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		r.holds("f", string(c.After))
		switch len(kept) {
		case 0:
			r.has(res.Text, "nothing was written to f: the reviewer dropped every hunk")
		case 1:
			r.has(res.Text, "changed f (+1 −1)", "1 of 2 hunks landed as proposed, 1 refused:\nthe user refused this, and the file does not have it:\n@@ ", "the file now:\n")
			if !strings.HasPrefix(res.Display, "1 of 2 hunks landed") || !strings.Contains(res.Text, res.Review) || len(res.Wrote) != 1 {
				t.Errorf("%+v", res)
			}
			if keep[0] {
				r.has(res.Text, "+twentyfive\n", "    5\tfive\n")
			} else {
				r.has(res.Text, "+five\n", "   25\ttwentyfive")
			}
		case 2:
			if strings.Contains(res.Text, "landed") || res.Review != "" {
				t.Errorf("%s", res.Text)
			}
		}
	}
}

func TestReviewerWritesAnotherVersion(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a\nb\n"})
	inv, err := r.prepare("edit_file", one("f", "b", "c"))
	if err != nil {
		t.Fatal(err)
	}
	e := inv.Effect
	e.Changes = []tools.Change{{Path: "f", Op: tools.Modify, Before: []byte("a\nb\n"), After: []byte("a\nd\n")}}
	res, err := inv.Run(t.Context(), e, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	r.holds("f", "a\nd\n")
	r.has(res.Text, "0 of 1 hunk landed as proposed, 1 changed by the user:", "- as you proposed it, + as it landed", "-c\n+d\n", "    2\td")
	e.Changes = []tools.Change{}
	res, err = inv.Run(t.Context(), e, io.Discard)
	if err != nil || !strings.Contains(res.Text, "nothing was written") {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestEditKeepsModesAndLinks(t *testing.T) {
	r := newRig(t, map[string]string{"real/run.sh": "echo a\n", "suid": "x\n"})
	real := filepath.Join(r.dir, "real/run.sh")
	link := filepath.Join(r.dir, "link")
	if err := os.Symlink("real/run.sh", link); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []fs.FileMode{0o755, 0o600, 0o664} {
		if err := os.Chmod(real, mode); err != nil {
			t.Fatal(err)
		}
		r.ok("edit_file", one("link", "echo", "echo "+mode.String()))
		if fi, err := os.Lstat(real); err != nil || fi.Mode() != mode {
			t.Errorf("%v became %v (%v)", mode, fi.Mode(), err)
		}
		if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link became %v (%v)", fi.Mode(), err)
		}
	}
	if err := os.Chmod(filepath.Join(r.dir, "suid"), 0o755|fs.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	r.has(r.ok("edit_file", one("suid", "x", "y")), "setuid, setgid or sticky bit, which was dropped")
}

func TestAddedFolder(t *testing.T) {
	r := newRig(t, map[string]string{"f": "x\n"})
	extra, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.env.Workspace.Add(extra); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(extra, "sub", "g")
	r.ok("write_file", o{"path": name, "content": "one\n"})
	r.has(r.ok("edit_file", one(name, "one", "two")), "changed "+name+" (+1 −1)")
	if got, err := os.ReadFile(name); err != nil || string(got) != "two\n" {
		t.Errorf("%q, %v", got, err)
	}
}
