package bridge

import (
	"fmt"
	"strings"
	"testing"

	"forge/ide"
	"forge/ui/lang"
)

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		at   ide.Context
		want string
	}{
		{ide.Context{}, ""},
		{ide.Context{Path: "/w/a/main.go"}, "main.go open"},
		{ide.Context{Path: "/w/a/main.go", Text: "x", First: 3, Last: 3}, "main.go:3 selected"},
		{ide.Context{Path: "/w/a/main.go", Text: "x", First: 3, Last: 9}, "main.go:3-9 selected"},
		{ide.Context{Path: "/w/a/main.go", Text: "x"}, "main.go, something selected"},
	} {
		if got := Place(c.at, "/w"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.at, got, c.want)
		}
	}
}

// What an editor says cannot move the cursor of a terminal, nor write a second line.
func TestWhatAnEditorSaysIsMadeSafe(t *testing.T) {
	evil := "a\x1b[2J\nb\u202ec"
	s := ide.State{Connected: true, Bridge: ide.Bridge{ID: "x", Name: evil, Port: 1}, At: ide.Context{Path: "/w/" + evil}}
	label, detail := Found(s.Bridge, s)
	for _, got := range []string{Place(s.At, "/w"), State(s, "/w"), Name(s.Bridge), Path(s.At.Path, "/w"), label, detail, Why(fmt.Errorf("the editor refused: %s", evil))} {
		if strings.ContainsAny(got, "\x1b\n\u202e") {
			t.Errorf("%q", got)
		}
	}
}

func TestState(t *testing.T) {
	b := ide.Bridge{ID: "companion:7", Name: "Code", Port: 7}
	for want, s := range map[string]ide.State{
		"not connected":                                     {},
		"connected to Code":                                 {Connected: true, Bridge: b},
		"connected to Code, a/main.go open":                 {Connected: true, Bridge: b, At: ide.Context{Path: "/w/a/main.go"}},
		"connected to Code, a/main.go:1-2 selected":         {Connected: true, Bridge: b, At: ide.Context{Path: "/w/a/main.go", Text: "x", First: 1, Last: 2}},
		"not connected to Code: the editor does not answer": {Bridge: b, Why: ide.ErrSlow},
		"connected to the editor":                           {Connected: true, Bridge: ide.Bridge{ID: "companion:7"}},
	} {
		if got := State(s, "/w"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Every reason has words in every language, and something to do about it.
func TestReasons(t *testing.T) {
	defer lang.Use(lang.English)
	for _, f := range fixes.Get() {
		if err := lang.Use(lang.English); err != nil {
			t.Fatal(err)
		}
		why, fix := Why(fmt.Errorf("%w", f.err)), Fix(fmt.Errorf("x: %w", f.err))
		if err := lang.Use("zh"); err != nil {
			t.Fatal(err)
		}
		if why == "" || fix == "" || why == Why(f.err) || fix == Fix(f.err) {
			t.Errorf("%q %q: %q %q", why, fix, Why(f.err), Fix(f.err))
		}
	}
	if got := Why(fmt.Errorf("%w: it is a link", ide.ErrBroken)); got != "它的文件无法读取：它是一个链接" {
		t.Error(got)
	}
}
