package theme

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// write makes a theme file in a folder of its own.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestThemeFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "sea", `// my own
{
  "about": "blue and quiet",
  "extends": "high-contrast",
  "palette": {
    "water": {"dark": "#7cc4ff", "light": ["#0b3fa3", 19], "ansi": "bright-blue"},
  },
  "roles": {
    "accent": "water",
    "good": {"dark": "#0f0", "light": 22},
    "muted": "none",
    "bad": {"ansi": "magenta"}, // a last comma is no fault:
  },
} // nor is a comment that ends the file`)
	s, err := Find(dir, "Sea")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "sea" || s.About != "blue and quiet" || !s.Files() {
		t.Errorf("%q %q", s.Name, s.About)
	}
	hc, _ := Find("", "high-contrast")
	for _, c := range []struct {
		dark bool
		p    colorprofile.Profile
		look func(*Theme) Style
		want any
	}{
		{true, colorprofile.TrueColor, func(t *Theme) Style { return t.Accent }, rgb(0x7cc4ff)},
		{true, colorprofile.ANSI256, func(t *Theme) Style { return t.Accent }, colorprofile.ANSI256.Convert(rgb(0x7cc4ff))},
		{true, colorprofile.ANSI, func(t *Theme) Style { return t.Accent }, ansi.BasicColor(12)},
		{false, colorprofile.TrueColor, func(t *Theme) Style { return t.Accent }, rgb(0x0b3fa3)},
		{false, colorprofile.ANSI256, func(t *Theme) Style { return t.Accent }, ansi.IndexedColor(19)},
		{true, colorprofile.TrueColor, func(t *Theme) Style { return t.Ok }, rgb(0x00ff00)},
		{true, colorprofile.ANSI, func(t *Theme) Style { return t.Ok }, hc.Theme(true, colorprofile.ANSI, ASCII()).Ok.Foreground()},
		{false, colorprofile.TrueColor, func(t *Theme) Style { return t.Ok }, ansi.IndexedColor(22)},
		{true, colorprofile.ANSI, func(t *Theme) Style { return t.Error }, ansi.BasicColor(5)},
		{true, colorprofile.TrueColor, func(t *Theme) Style { return t.Error }, hc.Theme(true, colorprofile.TrueColor, ASCII()).Error.Foreground()},
		{true, colorprofile.TrueColor, func(t *Theme) Style { return t.Muted }, nil},
	} {
		th := s.Theme(c.dark, c.p, ASCII())
		if got := c.look(th).Foreground(); got != c.want && !(got == nil && c.want == nil) {
			t.Errorf("dark=%v %v: %v, want %v", c.dark, c.p, got, c.want)
		}
	}
}

func TestThemeFileKeepsToItsGroundAndDepth(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "night", `{"extends": "colour-blind", "ground": "dark", "depth": 256}`)
	s, err := Find(dir, "night")
	if err != nil {
		t.Fatal(err)
	}
	if th := s.Theme(false, colorprofile.TrueColor, ASCII()); !th.Dark || th.Profile != colorprofile.ANSI256 {
		t.Errorf("dark %v, profile %v", th.Dark, th.Profile)
	}
	if th := s.Theme(false, colorprofile.ASCII, ASCII()); th.Profile != colorprofile.ASCII || th.Accent.Foreground() != nil {
		t.Error("NO_COLOR does not win over a theme")
	}
}

// TestFaultyThemeFile says for each fault the file, the line and what was expected, and
// hands out the default.
func TestFaultyThemeFile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\n\"roles\": {\n\"accent\": \"#12\"\n}}", `bad.json:3: accent: "#12" is no colour: expected "#rrggbb"`},
		{"{\n\"roles\": {\"accent\": 7}}", "bad.json:2: accent: 7 is no colour"},
		{"{\"roles\": {\n\n\"accnt\": \"red\"}}", `bad.json:3: there is no role "accnt"; did you mean "accent"?`},
		{"{\"roles\": {\"good\": {\"drak\": \"red\"}}}", `bad.json:1: good: expected "dark", "light" or "ansi", not "drak"`},
		{"{\"roles\": {\"good\": {\"ansi\": \"#123456\"}}}", "bad.json:1: good.ansi: expected one of the 16 names"},
		{"{\"palette\": {\"sea\": \n[\"blu\"]}}", `bad.json:2: palette.sea: "blu" is no colour`},
		{"{\"roles\": []}", "bad.json:1: roles: expected an object"},
		{"{\"colours\": {}}", `bad.json:1: "colours" is no part of a theme`},
		{"{\"ground\": \"grey\"}", `bad.json:1: ground: expected "dark" or "light"`},
		{"{\"depth\": 8}", "bad.json:1: depth: expected 0, 16 or 256"},
		{"{\"about\": 3}", "bad.json:1: about: expected a text"},
		{"{\n  \"roles\": {\n    \"text\" \"red\"\n  }\n}", `bad.json:3: this is no JSON: invalid character '"' after object name`},
		{"{", "bad.json:1: this is no JSON: unexpected EOF"},
		{"[]", "bad.json:1: expected one {…} object"},
		{"", "bad.json:1: this is no JSON"},
		{"{\"extends\": \"bad\"}", "bad.json: extends itself, over bad, bad"},
		{"{\"extends\": \"nowhere\"}", `theme "nowhere" is unknown: there is no file`},
		{"{\"extends\": \"../bad\"}", `theme "../bad" is unknown`},
	} {
		dir := t.TempDir()
		write(t, dir, "bad", c.text)
		s, err := Find(dir, "bad")
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q:\n%v\nwant %s", c.text, err, c.want)
		}
		if s == nil || s.Name != auto || s.Theme(true, colorprofile.TrueColor, ASCII()).Accent != New(true, colorprofile.TrueColor).Accent {
			t.Errorf("%q: the default is not what stays", c.text)
		}
		if !s.Files() {
			t.Errorf("%q: nobody would see that it was mended", c.text)
		}
	}
}

func TestFindNoTheme(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "mine", "{}")
	for _, name := range []string{"solar", "../mine", "/etc/passwd", ".hidden", "a:b"} {
		s, err := Find(dir, name)
		if err == nil || !strings.Contains(err.Error(), "unknown") {
			t.Errorf("%s: %v", name, err)
		}
		if s.Name != auto {
			t.Errorf("%s: %s", name, s.Name)
		}
	}
	for _, name := range []string{"", "auto", "default", "Dark", " ansi16 ", "color-blind", "colorblind", "mine"} {
		if _, err := Find(dir, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	var p *Problem
	if _, err := Find(dir, "folder"); !errors.As(err, &p) {
		t.Errorf("a folder: %v", err)
	}
}

func TestChanged(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "base", `{"roles": {"accent": "red"}}`)
	write(t, dir, "mine", `{"extends": "base"}`)
	s, err := Find(dir, "mine")
	if err != nil || s.Changed() {
		t.Fatalf("changed at once: %v", err)
	}
	write(t, dir, "base", `{"roles": {"accent": "blue"}}`)
	if !s.Changed() {
		t.Error("what it extends was changed, and nobody saw")
	}
	if s, _ = Find(dir, "mine"); s.Theme(true, colorprofile.ANSI, ASCII()).Accent.Foreground() != ansi.BasicColor(4) {
		t.Error("the new colour is not there")
	}
	// The same length in the same second: the time tells.
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "mine.json"), old, old); err != nil {
		t.Fatal(err)
	}
	if !s.Changed() {
		t.Error("another time of change was not seen")
	}
	if s, _ := Find("", "dark"); s.Files() || s.Changed() {
		t.Error("forge's own has files")
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "mine", "{}")
	write(t, dir, "dark", `{"roles": {"accent": "red"}}`) // forge's own name stays forge's
	write(t, dir, "bad", "{")
	write(t, dir, "UPPER", "{}")
	all, problems := List(dir)
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	if got, want := strings.Join(names, " "), strings.Join(Names(), " ")+" mine"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "bad.json:1") {
		t.Errorf("%v", problems)
	}
	if all, problems := List(filepath.Join(dir, "none")); len(all) != len(Names()) || problems != nil {
		t.Errorf("without a folder: %d, %v", len(all), problems)
	}
}

func TestRolesAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range Roles() {
		if n == "" || seen[n] {
			t.Errorf("role %q", n)
		}
		seen[n] = true
	}
	// The default colours each on both grounds at every depth, or says none.
	s, _ := Find("", auto)
	for r, cells := range s.cells {
		for g := range cells {
			for d, c := range cells[g] {
				if !c.set {
					t.Errorf("default: %s, ground %d, depth %d is not said", roleNames[r], g, d)
				}
			}
		}
	}
}
