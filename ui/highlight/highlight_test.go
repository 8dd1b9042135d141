package highlight

import (
	"slices"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"forge/ui/safe"
	"forge/ui/theme"
)

func TestHighlight(t *testing.T) {
	c := &theme.New(true, colorprofile.TrueColor).Code
	type look struct{ text, open string }
	for _, tc := range []struct {
		lang, src string
		want      []look
	}{
		{"go", "return f(x, 12) // done", []look{{"return", c.Keyword.Open}, {"f", c.Func.Open}, {"12", c.Number.Open}, {"// done", c.Comment.Open}}},
		{"go", "s := \"a\\\"b // no\"", []look{{"\"a\\\"b // no\"", c.String.Open}}},
		{"python", "x = 1  # c", []look{{"1", c.Number.Open}, {"# c", c.Comment.Open}}},
		{"bash", "curl http://x/#a # real", []look{{"# real", c.Comment.Open}}},
		{"sql", "SELECT a FROM t", []look{{"SELECT", c.Keyword.Open}, {"FROM", c.Keyword.Open}}},
		{"yaml", "key: true", []look{{"key", c.Type.Open}, {"true", c.Number.Open}}},
		{"diff", "-old", []look{{"-old", c.Keyword.Open}}},
		{"nolang", "return", []look{{"return", c.Text.Open}}},
	} {
		l := Lexer{Lang: Of(tc.lang)}
		runs := l.Line(nil, tc.src, c)
		text := ""
		for _, r := range runs {
			text += r.Text
		}
		if text != tc.src {
			t.Errorf("%s: text became %q", tc.lang, text)
		}
		for _, w := range tc.want {
			if !slices.ContainsFunc(runs, func(r safe.Run) bool { return r.Text == w.text && r.Open == w.open }) {
				t.Errorf("%s: %q has not the look it should in %q", tc.lang, w.text, runs)
			}
		}
	}
	// State goes over lines.
	l := Lexer{Lang: Of("go")}
	l.Line(nil, "x /* open", c)
	if runs := l.Line(nil, "still */ if", c); runs[0].Text != "still */" || runs[0].Open != c.Comment.Open || runs[len(runs)-1].Open != c.Keyword.Open {
		t.Errorf("after an open comment: %q", runs)
	}
	l = Lexer{Lang: Of("py")}
	l.Line(nil, `"""doc`, c)
	if runs := l.Line(nil, `end""" + 1`, c); runs[0].Text != `end"""` || runs[0].Open != c.String.Open {
		t.Errorf("after an open string: %q", runs)
	}
}

func TestForPath(t *testing.T) {
	for name, want := range map[string]*Language{
		"a.go": langGo, "x/y.PY": langPython, "go.mod": langGo, "sub/Dockerfile": langDocker, "Dockerfile.dev": langDocker,
		"Makefile": langDocker, ".bashrc": langShell, "Gemfile": langRuby, "README.md": nil, "LICENSE": nil, "a.unknown": nil, "": nil,
		"x.d.ts": langJS, ".env": langTOML, "main.tf": langHCL, ".vimrc": langVim, "etc/nginx.conf": langNginx, "a.php": langPHP,
	} {
		if got := ForPath(name); got != want {
			t.Errorf("%s: %p, want %p", name, got, want)
		}
	}
}
