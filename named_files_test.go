package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestMentionsOfAText(t *testing.T) {
	text := `see @main.go, @"a b.go":3-9 and (@docs/) mail me@x.org @gone.go:10-20. @ui/x.ts#L5-L7 @"open
@main.go again @fs:note://1 @文件.md:4! 看@a.go，（@b.go）和@"报告，终.md"、@c.go:2。`
	var got []string
	for _, m := range mentions(text) {
		if cut, ok := m.split(); ok {
			m = cut
		}
		got = append(got, m.label())
	}
	want := []string{"main.go", "a b.go:3-9", "docs/", "gone.go:10-20", "ui/x.ts:5-7", "fs:note://1", "文件.md:4", "a.go", "b.go", "报告，终.md", "c.go:2"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for _, s := range []string{"x:0", "x:9-3", "x:", "x#L", "x:1-2-3", ":5", "C:\\x"} {
		if m, ok := (mention{name: s}).split(); ok {
			t.Errorf("%q has lines: %+v", s, m)
		}
	}
}

func TestInWorkspace(t *testing.T) {
	for in, want := range map[string]string{"./a": "a", "././a/b": "a/b", "/proj/dir/x/y": "x/y", "/proj/dirx": "/proj/dirx", "../a": "../a", ".git": ".git", "": "", "a./b": "a./b"} {
		if got := inWorkspace("/proj/dir", in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestMentionedFilesGoAlong names a file, lines of one, a folder and a picture in a
// prompt: the model is given what they hold, once, and can change the file at once.
func TestMentionedFilesGoAlong(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "a b.go", "one\ntwo\nthree\nfour\n")
	p.write(t, "数据/main.go", "package main\n")
	p.write(t, ".gitignore", "secret\n")
	pictureFile(t, filepath.Join(p.dir, "数据", "shot.png"), 8, 6)
	outside := filepath.Join(t.TempDir(), "outside.txt")
	p.write(t, outside, "not yours")
	url, asked := overheard(t, `call edit_file {"path":"a b.go","edits":[{"old_string":"two","new_string":"2"}]}
end

text Done.
end

text Again.
end
`)
	args := []string{"--base-url", url + "/v1", "--wire", "openai", "-m", "demo-1", "--mode", "edits"}
	out, errOut, code := p.run(t, append(args, "-p", `change @"a b.go" like @"a b.go":2-3 and @数据/ with @数据/shot.png, not @gone.go nor @`+outside+` nor x@y`)...)
	if code != 0 || out != "Done.\n" {
		t.Fatalf("exit %d, %s%s", code, out, errOut)
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, "a b.go")); err != nil || string(b) != "one\n2\nthree\nfour\n" {
		t.Errorf("the change did not land: %q, %v", b, err)
	}
	if _, errOut, code = p.run(t, append(args, "-c", "-p", "再看@数据/main.go的内容, @数据/main.go")...); code != 0 {
		t.Fatal(errOut)
	}
	bodies := asked()
	text := wordsOf(bodies[0])
	for want, times := range map[string]int{
		"1\tone\n    2\ttwo\n    3\tthree\n    4\tfour\n</attached>": 1, `<attached from="a b.go:2-3">`: 1, "main.go": 1, `<attached from="数据/shot.png">`: 1,
		"not yours": 0, "outside.txt\">": 0, "gone.go\">": 0,
	} {
		if n := strings.Count(text, want); n != times {
			t.Errorf("%q is there %d times, want %d, in\n%s", want, n, times, text)
		}
	}
	if n := strings.Count(bodies[0], `"image_url":{`); n != 1 {
		t.Errorf("%d pictures", n)
	}
	if n := strings.Count(wordsOf(bodies[len(bodies)-1]), `<attached from="数据/main.go">`); n != 1 {
		t.Errorf("a file named twice is there %d times", n)
	}
}

// wordsOf joins the texts of a request's user messages.
func wordsOf(body string) string {
	var b strings.Builder
	for _, m := range gjson.Get(body, `messages.#(role=="user")#.content`).Array() {
		if m.Type == gjson.String {
			b.WriteString(m.Str)
		}
		for _, part := range m.Array() {
			b.WriteString(part.Get("text").String())
		}
	}
	return b.String()
}
