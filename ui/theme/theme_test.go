package theme

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// styles lists every Style of a theme by its field name.
func styles(t *Theme) map[string]Style {
	out := map[string]Style{}
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		if s, ok := v.Interface().(Style); ok {
			out[prefix] = s
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					walk(prefix+"."+f.Name, v.Field(i))
				}
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", prefix, i), v.Index(i))
			}
		}
	}
	walk("", reflect.ValueOf(*t))
	return out
}

var sgr = regexp.MustCompile(`^\x1b\[[0-9;]+m$`)

func TestEveryProfileKeepsItsPromise(t *testing.T) {
	has := func(open string, codes ...string) bool {
		for _, c := range codes {
			if strings.Contains(open, c) {
				return true
			}
		}
		return false
	}
	colour := regexp.MustCompile(`[\[;](3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)
	for _, dark := range []bool{true, false} {
		for _, p := range []colorprofile.Profile{colorprofile.NoTTY, colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
			for _, name := range Names() {
				th, err := Named(name, dark, p, Unicode())
				if err != nil {
					t.Fatal(err)
				}
				coloured := 0
				for name, s := range styles(th) {
					if s.Open != "" && !sgr.MatchString(s.Open) {
						t.Fatalf("%s %v: %q is not one SGR sequence", name, p, s.Open)
					}
					if (s.Open == "") != (s.Close == "") {
						t.Fatalf("%s %v: open %q without close %q", name, p, s.Open, s.Close)
					}
					if colour.MatchString(s.Open) {
						coloured++
					}
					switch {
					case p == colorprofile.NoTTY && s.Open != "":
						t.Errorf("%s: NoTTY got %q", name, s.Open)
					case p == colorprofile.ASCII && colour.MatchString(s.Open):
						t.Errorf("%s: a colour without a colour profile: %q", name, s.Open)
					case p == colorprofile.ANSI && has(s.Open, "38;", "48;"):
						t.Errorf("%s: 16 colours got %q", name, s.Open)
					case p == colorprofile.ANSI256 && has(s.Open, "38;2", "48;2"):
						t.Errorf("%s: 256 colours got %q", name, s.Open)
					}
				}
				if p >= colorprofile.ANSI && coloured < 20 && name != "mono" {
					t.Errorf("%s dark=%v %v: only %d roles have a colour", name, dark, p, coloured)
				}
				if name == "mono" && coloured > 0 {
					t.Errorf("mono dark=%v %v: %d roles have a colour", dark, p, coloured)
				}
			}
		}
	}
}

func TestStatesDifferWithoutColour(t *testing.T) {
	th := New(true, colorprofile.ASCII)
	if th.AddWord.Open == th.Add.Open || th.DelWord.Open == th.Del.Open {
		t.Error("changed words look like the rest of their line")
	}
	if th.Selection.Open == th.Text.Open || th.Marker.Open == th.Text.Open {
		t.Error("a selection or a marker looks like plain text")
	}
	for _, g := range []Glyphs{Unicode(), Narrow(), ASCII()} {
		states := map[string]bool{g.Ok: true, g.Fail: true, g.Warn: true, g.Info: true}
		if len(states) != 4 {
			t.Errorf("%s: two states share a glyph", g.Name)
		}
	}
}

func TestCloseEndsOnlyItself(t *testing.T) {
	th := New(true, colorprofile.TrueColor)
	row := th.Add.Open + "a" + th.AddSign.Apply("b") + "c" + th.Add.Close
	for name, s := range styles(th) {
		if s.Close == "\x1b[m" || s.Close == "\x1b[0m" {
			t.Errorf("%s resets everything", name)
		}
	}
	if got := ansi.Strip(row); got != "abc" {
		t.Fatalf("got %q", got)
	}
	if !strings.HasSuffix(th.Add.Close, "49m") {
		t.Errorf("Add ends with %q, want its background ended", th.Add.Close)
	}
	if strings.Contains(th.AddSign.Close, "49") {
		t.Errorf("AddSign has no background but ends one: %q", th.AddSign.Close)
	}
}

func TestNames(t *testing.T) {
	for _, n := range Names() {
		th, err := Named(n, true, colorprofile.TrueColor, ASCII())
		if err != nil {
			t.Fatal(err)
		}
		if abouts.Get()[n] == "" {
			t.Errorf("%s says nothing of itself", n)
		}
		if want := n != "light"; th.Dark != want {
			t.Errorf("%s on a dark background: Dark=%v", n, th.Dark)
		}
	}
	if th, _ := Named("ansi", false, colorprofile.TrueColor, ASCII()); th.Profile != colorprofile.ANSI || th.Dark {
		t.Errorf("ansi: profile %v dark %v", th.Profile, th.Dark)
	}
	if _, err := Named("solar", true, colorprofile.ANSI, ASCII()); err == nil || !strings.Contains(err.Error(), "auto, dark, light, high-contrast, colour-blind, ansi, mono") {
		t.Errorf("unknown name: %v", err)
	}
}

func TestGlyphsAreOneCell(t *testing.T) {
	three := map[string]bool{"Ticked": true, "Unticked": true}
	for _, g := range []Glyphs{Unicode(), Narrow(), ASCII()} {
		opt := displaywidth.Options{EastAsianWidth: g.Name == "narrow"}
		v := reflect.ValueOf(g)
		check := func(name, s string) {
			want := 1
			if three[name] {
				want = 3
			}
			if got := opt.String(s); got != want {
				t.Errorf("%s.%s %q is %d cells, want %d", g.Name, name, s, got, want)
			}
			if g.Name == "ascii" {
				for i := range len(s) {
					if s[i] < 0x20 || s[i] > 0x7e {
						t.Errorf("ascii.%s is %q", name, s)
					}
				}
			}
		}
		for i := range v.NumField() {
			switch name := v.Type().Field(i).Name; name {
			case "Name":
			case "Spinner":
				for _, f := range g.Spinner {
					check(name, f)
				}
			default:
				check(name, v.Field(i).String())
			}
		}
	}
}

func TestGlyphsFor(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"", "unicode"}, {"LANG=en_US.UTF-8", "unicode"}, {"LANG=C.utf8", "unicode"}, {"LC_CTYPE=UTF-8", "unicode"},
		{"LANG=C", "ascii"}, {"LANG=POSIX", "ascii"}, {"LANG=de_DE.ISO-8859-1", "ascii"},
		{"LANG=ja_JP.UTF-8", "narrow"}, {"LANG=zh_CN.UTF-8", "narrow"}, {"LANG=zh_CN.GB18030", "ascii"},
		{"LANG=ja_JP.UTF-8 LC_ALL=en_US.UTF-8", "unicode"}, {"LANG=en_US.UTF-8 TERM=linux", "ascii"}, {"LANG=en_US.UTF-8 LC_CTYPE=C", "ascii"},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		if got := GlyphsFor(func(k string) string { return env[k] }).Name; got != c.want {
			t.Errorf("%q: %s, want %s", c.env, got, c.want)
		}
	}
}

func TestApplyAllocatesOnce(t *testing.T) {
	s := New(true, colorprofile.TrueColor).Accent
	buf := make([]byte, 0, 128)
	if n := testing.AllocsPerRun(100, func() { buf = s.Append(buf[:0], "word") }); n != 0 {
		t.Errorf("Append allocates %v times", n)
	}
	if got := s.Apply("x"); got != s.Open+"x"+s.Close {
		t.Errorf("got %q", got)
	}
	if got := s.Apply(""); got != "" {
		t.Errorf("empty text got %q", got)
	}
}
