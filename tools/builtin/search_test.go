package builtin

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"forge/tools"
	"forge/tools/sandbox"
	"forge/tools/search"
)

// must runs a call that gives a result, good or bad.
func (r *rig) must(name string, args o) tools.Result {
	r.Helper()
	res, err := r.run(name, args)
	if err != nil {
		r.Fatalf("%s %v: %v", name, args, err)
	}
	return res
}

func TestGrepTool(t *testing.T) {
	r := newRig(t, map[string]string{
		"a.go": "package a\n\nfunc Foo() {}\nfunc foo(x int) {}\n", "sub/b.go": "func Foo() {}\n", "sub/b_test.go": "func Foo() {}\n",
		"web/x.ts": "call(Foo)\n", ".gitignore": "gen/\n", "gen/c.go": "func Foo() {}\n", "node_modules/p/i.js": "Foo\n",
		"bin": "Foo\x00Foo",
	})
	for _, c := range []struct {
		name          string
		args          o
		text, display string
	}{
		{"lines", o{"pattern": `func Foo\(`}, "3 matches in 3 files\n\na.go\n    3: func Foo() {}\n\nsub/b.go\n    1: func Foo() {}\n\nsub/b_test.go\n    1: func Foo() {}\n", "3 matches in 3 files"},
		{"include", o{"pattern": "Foo", "include": "*.{go,js},!*_test.go", "path": "sub"}, "1 match in 1 file\n\nsub/b.go\n    1: func Foo() {}\n", "1 match in 1 file"},
		{"one file", o{"pattern": "FOO", "path": "a.go", "ignore_case": true, "context": 1},
			"2 matches in 1 file\n\na.go\n    2- \n    3: func Foo() {}\n    4: func foo(x int) {}\n", "2 matches in 1 file"},
		{"files", o{"pattern": "Foo", "mode": "files"}, "4 files\na.go\nsub/b.go\nsub/b_test.go\nweb/x.ts\n", "4 files"},
		{"count", o{"pattern": "func", "mode": "count", "limit": 1}, "4 matches in 3 files, the first 1 shown; there are more: narrow pattern, path or include, or raise limit\na.go: 2\n", "4 matches in 3 files"},
		{"limit", o{"pattern": "func", "limit": 1}, "the first 1 match in 1 file; there are more: narrow pattern, path or include, or raise limit\n\na.go\n    3: func Foo() {}\n", "first 1 match in 1 file"},
		{"literal", o{"pattern": "foo(x", "literal": true}, "1 match in 1 file\n\na.go\n    4: func foo(x int) {}\n", "1 match in 1 file"},
		{"ignored, but named", o{"pattern": "Foo", "path": "gen", "mode": "files"}, "1 file\ngen/c.go\n", "1 file"},
		{"none", o{"pattern": "bar.*"}, "no match for \"bar.*\" in 5 files\nNot searched: 1 ignored file or folder, 1 build or package folder, 1 binary file.\nIf the pattern is meant as plain text, set literal.", "no matches"},
		{"none so named", o{"pattern": "x", "include": "*.rs", "path": "sub"}, "no match for \"x\" in 0 files under sub that include takes\nNo file is named like *.rs; see glob.", "no matches"},
		{"none in this case", o{"pattern": "FUNC", "path": "sub"}, "no match for \"FUNC\" in 2 files under sub\nignore_case finds it in other cases too.", "no matches"},
	} {
		res := r.must("grep", c.args)
		if res.Text != c.text || res.IsError || res.Display != c.display {
			t.Errorf("%s:\n%s\n%q", c.name, res.Text, res.Display)
		}
	}
	inv, err := r.prepare("grep", o{"pattern": "x", "path": "sub"})
	if err != nil {
		t.Fatal(err)
	}
	if e := inv.Effect; e.Kind != tools.Read || e.Title != `grep "x" in sub` || !slices.Equal(e.Paths, []string{filepath.Join(r.dir, "sub")}) {
		t.Errorf("%+v", e)
	}
}

func TestSearchRefuses(t *testing.T) {
	r := newRig(t, map[string]string{"a.go": "x", "sub/b.go": "x"})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(r.dir, "away")); err != nil {
		t.Skip("no links here: ", err)
	}
	for _, c := range []struct {
		tool string
		args o
		want []string
	}{
		{"grep", o{"pattern": "foo(bar"}, []string{"column 4", "literal"}},
		{"grep", o{"pattern": "(?=x)"}, []string{"column 1", "look-around"}},
		{"grep", o{"pattern": ""}, []string{"empty"}},
		{"grep", o{"pattern": "x", "include": "*.{go"}, []string{"*.{go", "not closed"}},
		{"grep", o{"pattern": "x", "path": "nowhere"}, []string{"does not exist"}},
		{"grep", o{"pattern": "x", "path": "../.."}, []string{"outside"}},
		{"grep", o{"pattern": "x", "path": "away"}, []string{"outside"}},
		{"grep", o{"pattern": "x", "limit": 5000}, []string{"1 to 1000"}},
		{"grep", o{"pattern": "x", "context": 99}, []string{"0 to 20"}},
		{"grep", o{"pattern": "x", "mode": "wild"}, []string{"lines, files, count"}},
		{"glob", o{"pattern": "[a"}, []string{"not closed"}},
		{"glob", o{"pattern": ""}, []string{"empty"}},
		{"glob", o{"pattern": "*", "path": "a.go"}, []string{"is a file"}},
		{"glob", o{"pattern": "*", "path": outside}, []string{"outside"}},
	} {
		_, err := r.prepare(c.tool, c.args)
		if err == nil {
			t.Errorf("%s %v was prepared", c.tool, c.args)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s %v: %v", c.tool, c.args, err)
			}
		}
	}
}

// A name must not look like two names, or like a line of the tool's own.
func TestOddNamesAreQuoted(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("no such names here")
	}
	r := newRig(t, map[string]string{"a\nb: 1": "x", "esc\x1b[31m": "x", "d \u202e/f": "x", "plain ü u\u0308.go": "x", `"q"`: "x"})
	r.has("\n"+r.ok("glob", o{"pattern": "*", "path": "."}), "\"a\\nb: 1\"\n", "\"esc\\x1b[31m\"\n", "\"d \\u202e/f\"\n", "plain ü u\u0308.go\n", "\n\"q\"\n")
	r.has(r.ok("grep", o{"pattern": "x"}), "\n\"a\\nb: 1\"\n    1: x", "\n\"d \\u202e/f\"\n", "\nplain ü")
	r.has(r.ok("list_dir", o{}), "\n\"d \\u202e/\"\n  f  1 B", "\n\"a\\nb: 1\"  1 B", "\nplain ü u\u0308.go  1 B")
	if got := shown("bad\xff"); got != `"bad\xff"` {
		t.Error(got)
	}
}

// A search that fails while it runs speaks of the place as the model knows it.
func TestSearchNamesThePlace(t *testing.T) {
	r := newRig(t, map[string]string{"sub/b.go": "x"})
	inv, err := r.prepare("grep", o{"pattern": "x", "path": "sub"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.dir, "sub"), filepath.Join(r.dir, "other")); err != nil {
		t.Fatal(err)
	}
	if _, err := inv.Run(t.Context(), inv.Effect, io.Discard); err == nil || err.Error() != "grep: sub: no such file or directory" && filepath.Separator == '/' {
		t.Errorf("%v", err)
	}
	if err := os.Symlink("other", filepath.Join(r.dir, "link")); err == nil {
		r.fails("glob", o{"pattern": "link/*"}, "link is a link, and none is followed here; give path as other")
	}
	r.fails("glob", o{"pattern": "../*"}, `glob: pattern "../*": with .. it leads outside the workspace`)
	r.fails("glob", o{"pattern": ""}, "glob: the pattern is empty")
}

// What could not be read may be where the rest is.
func TestFindsTellWhatTheyDidNotRead(t *testing.T) {
	stats := search.Stats{Files: 3, Ignored: 1, Unreadable: 2}
	res := grepResult(grepInput{}, sandbox.Path{Name: "."}, search.Query{}, search.Hits{
		Matches: 1, Matched: 1, Stats: stats, Files: []search.FileHits{{Path: "a", Lines: []search.Line{{N: 1, Text: "x", Match: true}}}},
	})
	if want := "1 match in 1 file\n\na\n    1: x\nNot searched: 2 unreadable files and folders.\n"; res.Text != want {
		t.Errorf("grep:\n%s", res.Text)
	}
	res = globResult(globInput{}, sandbox.Path{Name: "."}, search.Found{Paths: []string{"a"}, Total: 1, Stats: stats})
	if want := "a\nNot searched: 2 unreadable files and folders.\n"; res.Text != want {
		t.Errorf("glob:\n%s", res.Text)
	}
}

func TestGlobTool(t *testing.T) {
	files := map[string]string{"sub/new.go": "", "old.go": "", "x.md": "", ".gitignore": "*.tmp\n", "a.tmp": "", "node_modules/p/i.js": ""}
	for i := range maxGlob + 5 {
		files[fmt.Sprintf("many/f%03d.txt", i)] = ""
	}
	r := newRig(t, files)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(r.dir, "old.go"), at, at); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args          o
		text, display string
	}{
		{o{"pattern": "*.go"}, "sub/new.go\nold.go\n", "2 files"},
		{o{"pattern": "./*.go"}, "old.go\n", "1 file"},
		{o{"pattern": "*.go", "path": "sub"}, "sub/new.go\n", "1 file"},
		{o{"pattern": r.dir + "/sub/*"}, "sub/new.go\n", "1 file"},
		{o{"pattern": "node_modules/**"}, "node_modules/p/i.js\n", "1 file"},
		{o{"pattern": "x/*.zip"}, "no file matches x/*.zip among 0 files\n**/ in front of the pattern finds it at any depth.", "no files"},
		{o{"pattern": "*.tmp"}, "no file matches *.tmp among 209 files\nNot searched: 1 ignored file or folder, 1 build or package folder.", "no files"},
	} {
		if res := r.must("glob", c.args); res.Text != c.text || res.IsError || res.Display != c.display {
			t.Errorf("%v:\n%s\n%q", c.args, res.Text, res.Display)
		}
	}
	res := r.must("glob", o{"pattern": "many/*"})
	if n := strings.Count(res.Text, "\n"); n != maxGlob+1 || !strings.HasSuffix(res.Text, "… (5 more; narrow the pattern or give path)\n") || res.Display != "205 files" {
		t.Errorf("%d lines: %s", n, res.Text)
	}
}
