package theme

import (
	"fmt"
	"image/color"
	"math"
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
			th := New(dark, p)
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
			if p >= colorprofile.ANSI && coloured < 20 {
				t.Errorf("dark=%v %v: only %d roles have a colour", dark, p, coloured)
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
		if want := n != "light"; th.Dark != want {
			t.Errorf("%s on a dark background: Dark=%v", n, th.Dark)
		}
	}
	if th, _ := Named("ansi", false, colorprofile.TrueColor, ASCII()); th.Profile != colorprofile.ANSI || th.Dark {
		t.Errorf("ansi: profile %v dark %v", th.Profile, th.Dark)
	}
	if _, err := Named("solar", true, colorprofile.ANSI, ASCII()); err == nil || !strings.Contains(err.Error(), "auto, dark, light, ansi") {
		t.Errorf("unknown name: %v", err)
	}
}

// The 16 entries as drawn by VS Code's terminal, a common palette, for a dark
// and for a light background.
var (
	paletteDark = [16]uint32{0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5,
		0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xe5e5e5}
	paletteLight = [16]uint32{0x000000, 0xcd3131, 0x107c10, 0x949800, 0x0451a5, 0xbc05bc, 0x0598bc, 0x555555,
		0x666666, 0xcd3131, 0x14ce14, 0xb5ba00, 0x0451a5, 0xbc05bc, 0x0598bc, 0xa5a5a5}
)

func luminance(c color.Color, dark bool) float64 {
	if b, ok := c.(ansi.BasicColor); ok {
		c = rgb(paletteLight[b])
		if dark {
			c = rgb(paletteDark[b])
		}
	}
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v>>8) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

func contrast(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return (a + 0.05) / (b + 0.05)
}

// TestReadable holds WCAG contrast on usual backgrounds: 4.5 for text, 3 for
// what may be skipped and for frames.
func TestReadable(t *testing.T) {
	skippable := regexp.MustCompile(`Faint|Border|LineNo|QuoteBar|Rule|TableFrame|CodeLabel`)
	grounds := map[bool][]uint32{true: {0x000000, 0x1e1e1e}, false: {0xffffff, 0xfafafa}}
	letters := map[bool]color.Color{true: rgb(0xe5e5e5), false: rgb(0x202020)}
	for _, dark := range []bool{true, false} {
		for _, p := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
			th := New(dark, p)
			for name, s := range styles(th) {
				fg := s.Foreground()
				if fg == nil {
					fg = letters[dark]
				}
				for _, ground := range grounds[dark] {
					bg := rgb(ground)
					if s.Background() != nil {
						bg = s.Background()
					}
					want := 4.5
					if skippable.MatchString(name) {
						want = 3
					}
					if p == colorprofile.ANSI {
						want = 3 // the palette decides, not this package
					}
					if got := contrast(luminance(fg, dark), luminance(bg, dark)); got < want {
						t.Errorf("dark=%v %v %s on %06x: contrast %.1f, want %.1f", dark, p, name, ground, got, want)
					}
				}
			}
			// Source on the diff backgrounds, and in the words marked there.
			for _, line := range []struct {
				code       Code
				line, word Style
			}{{th.AddCode, th.Add, th.AddWord}, {th.DelCode, th.Del, th.DelWord}} {
				for name, s := range map[string]Style{"text": line.code.Text, "keyword": line.code.Keyword, "type": line.code.Type, "func": line.code.Func,
					"string": line.code.String, "number": line.code.Number, "comment": line.code.Comment} {
					for want, bg := range map[float64]color.Color{4.5: line.line.Background(), 4: line.word.Background()} {
						if bg == nil {
							continue
						}
						fg := s.Foreground()
						if fg == nil {
							fg = line.line.Foreground()
						}
						if s.Background() != nil {
							t.Errorf("%s brings a background of its own", name)
						}
						if got := contrast(luminance(fg, dark), luminance(bg, dark)); got < want {
							t.Errorf("dark=%v %v code %s on %v: contrast %.1f, want %.1f", dark, p, name, bg, got, want)
						}
					}
				}
			}
		}
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
