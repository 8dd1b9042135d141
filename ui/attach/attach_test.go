package attach

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		in      string
		windows bool
		want    []string
	}{
		{`/home/me/shot.png`, false, []string{"/home/me/shot.png"}},
		{" /home/me/shot.png \n", false, []string{"/home/me/shot.png"}},
		{`/home/me/a\ b\(1\).png`, false, []string{"/home/me/a b(1).png"}},
		{`'/home/me/a b.png'`, false, []string{"/home/me/a b.png"}},
		{`"/home/me/a b.png" /tmp/c.jpg`, false, []string{"/home/me/a b.png", "/tmp/c.jpg"}},
		{`'/home/me/it'\''s.png'`, false, []string{"/home/me/it's.png"}},
		{"file:///home/me/%E6%88%AA%E5%9B%BE%201.png", false, []string{"/home/me/截图 1.png"}},
		{"file://localhost/x.png\r\nfile:///y.png\r\n", false, []string{"/x.png", "/y.png"}},
		{"/a.png\n/b.png", false, []string{"/a.png", "/b.png"}},
		{"~/截图.png", false, []string{"/home/me/截图.png"}},
		{`/a/"b c"/d.png`, false, []string{"/a/b c/d.png"}},
		{`C:\Users\me\shot.png`, true, []string{`C:\Users\me\shot.png`}},
		{`"C:\Users\me\a b.png" D:/c.png`, true, []string{`C:\Users\me\a b.png`, `D:/c.png`}},
		{`\\server\share\x.png`, true, []string{`\\server\share\x.png`}},

		{"", false, nil},
		{"shot.png", false, nil},
		{"docs/shot.png", false, nil},
		{"look at /home/me/shot.png", false, nil},
		{"/home/me/shot.png please", false, nil},
		{"// a comment", false, nil},
		{"/", false, nil},
		{"file://elsewhere/x.png", false, nil},
		{"file:%zz", false, nil},
		{"it's", false, nil},
		{"/a'b", false, []string{"/a'b"}},
		{"'~/x.png'", false, nil},
		{strings.Repeat("/a ", 20_000), false, nil},
	} {
		var got []string
		for _, l := range lines(c.in, "/home/me", c.windows) {
			got = append(got, l.Paths...)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%.60q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWhole(t *testing.T) {
	for in, want := range map[string][]string{
		"/home/me/Screen Shot at 1.02 PM.png": {"/home/me/Screen Shot at 1.02 PM.png"},
		"/two a\n\n /lines b\r\n":             {"/two a", "/lines b"},
		"/two\nlines":                         nil, "words": nil, "": nil, "~/a b.png": {"/home/me/a b.png"},
		"'/a b.png'": {""},
	} {
		var got []string
		for _, l := range lines(in, "/home/me", false) {
			got = append(got, l.Whole)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLook(t *testing.T) {
	broken := errors.New("broken")
	at := func(path string) (string, error) {
		switch path {
		case "/a b", "/c", "/d":
			return "<" + path + ">", nil
		case "/broken":
			return "", broken
		}
		return "", nil
	}
	for _, c := range []struct {
		line Line
		want []string
		err  error
	}{
		{Line{Whole: "/a b", Paths: []string{"/a", "/c"}}, []string{"</a b>"}, nil},
		{Line{Whole: "/c /d", Paths: []string{"/c", "/d"}}, []string{"</c>", "</d>"}, nil},
		{Line{Whole: "/c /e", Paths: []string{"/c", "/e"}}, nil, nil},
		{Line{Whole: "/c e"}, nil, nil},
		{Line{Paths: []string{"/c", "/broken"}}, nil, broken},
	} {
		if got, err := c.line.Look(at); !reflect.DeepEqual(got, c.want) || err != c.err {
			t.Errorf("%q: %q, %v", c.line, got, err)
		}
	}
}

func TestMention(t *testing.T) {
	for in, want := range map[string]string{"a.go": "@a.go", "a b.go": `@"a b.go"`, "文件.md": "@文件.md", "报告，终.md": `@"报告，终.md"`} {
		if got := Mention(in); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzPaths(f *testing.F) {
	f.Add(`'/a b' "c" \ file:///x`)
	f.Fuzz(func(t *testing.T, s string) {
		for _, windows := range []bool{false, true} {
			for _, l := range lines(s, "/home/me", windows) {
				if l.Whole == "" && l.Paths == nil || slices.Contains(l.Paths, "") {
					t.Errorf("%q: an empty path", s)
				}
			}
		}
	})
}
