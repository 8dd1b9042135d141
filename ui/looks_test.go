package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/theme"
)

func themeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func accent(m *Model) any { return m.th.Accent.Foreground() }

// Themes are worn while one moves over them; esc puts the one before on again, enter
// keeps the last and stores it.
func TestThemePicker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		themeFile(t, dir, "sea", `{"about": "mine", "roles": {"accent": "#123456"}}`)
		themeFile(t, dir, "torn", `{"roles": {"accent": }}`)
		var stored []string
		o := testOptions(&fakeAgent{})
		o.ThemeDir = dir
		o.Settings = &Settings{Set: func(name, value string) error { stored = append(stored, name+"="+value); return nil }}
		m := still(t, o, 80, 24)
		before := accent(m)

		work(m, m.runCommand("/theme", "theme", ""))
		text := shot(m)
		for _, want := range []string{"❯ dark ✓", "high-contrast", "sea  mine", "torn.json:1: this is no JSON", "✓ done", "func Median", "enter keep"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		work(m, m.key(keyMsg("up")))
		work(m, m.key(keyMsg("up"))) // around to the last
		if m.worn.Name != "sea" || accent(m) == before {
			t.Fatalf("%s is worn\n%s", m.worn.Name, shot(m))
		}
		if m.tr.d.th != m.th {
			t.Error("the transcript keeps the old colours")
		}
		work(m, m.key(keyMsg("esc")))
		if m.worn.Name != "dark" || accent(m) != before || stored != nil {
			t.Errorf("after esc %s is worn, stored %v", m.worn.Name, stored)
		}

		work(m, m.runCommand("/theme", "theme", ""))
		typeText(m, "sea")
		if m.worn.Name != "sea" {
			t.Errorf("filtered: %s is worn", m.worn.Name)
		}
		work(m, m.key(keyMsg("enter")))
		if m.worn.Name != "sea" || len(stored) != 1 || stored[0] != "theme=sea" {
			t.Errorf("%s is worn, stored %v", m.worn.Name, stored)
		}
	})
}

func TestThemeByName(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Settings = &Settings{Set: func(string, string) error { return errors.New("read-only") }}
		m := still(t, o, 80, 24)
		work(m, m.runCommand("/theme mono", "theme", "mono"))
		if m.worn.Name != "mono" || accent(m) != nil {
			t.Errorf("%s is worn", m.worn.Name)
		}
		if text := shot(m); !strings.Contains(text, "not stored: read-only") {
			t.Errorf("%s", text)
		}
		work(m, m.runCommand("/theme nonsense", "theme", "nonsense"))
		if m.worn.Name != "mono" || !strings.Contains(shot(m), `theme "nonsense" is unknown`) {
			t.Errorf("%s is worn\n%s", m.worn.Name, shot(m))
		}
	})
}

// A theme's file is read anew when it has changed and something happens anyway; what is
// faulty is told once and changes nothing.
func TestThemeReload(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		themeFile(t, dir, "sea", `{"roles": {"accent": "#123456"}}`)
		o := testOptions(&fakeAgent{})
		o.Theme, o.ThemeDir = "sea", dir
		m := still(t, o, 80, 24)
		now := m.now
		m.o.Now = func() time.Time { return now }
		first := accent(m)
		focus := func() { // whatever the clock says
			_, cmd := m.Update(tea.FocusMsg{})
			work(m, cmd)
		}
		focus()
		if accent(m) != first {
			t.Fatal("read anew without a cause")
		}
		themeFile(t, dir, "sea", `{"roles": {"accent": "#aabbccdd"}}`)
		focus()
		text := shot(m)
		if accent(m) != first || strings.Count(text, "sea.json:1:") != 1 || !strings.Contains(text, "stays as it was") {
			t.Errorf("a faulty file:\n%s", text)
		}
		focus()
		if strings.Count(shot(m), "sea.json:1") != 1 {
			t.Errorf("told again:\n%s", shot(m))
		}
		themeFile(t, dir, "sea", `{"roles": {"accent": "#00ff00"}}`)
		_, cmd := m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
		work(m, cmd)
		if accent(m) != first {
			t.Error("looked at more often than once in a second")
		}
		now = now.Add(2 * time.Second)
		_, cmd = m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
		work(m, cmd)
		if accent(m) == first {
			t.Errorf("not read anew:\n%s", shot(m))
		}
	})
}

// Where the system tells of changes a theme is read anew with nobody touching a key, as
// often as it changes.
func TestThemeReloadByItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		themeFile(t, dir, "sea", `{"roles": {"accent": "#123456"}}`)
		touched := make(chan bool)
		o := testOptions(&fakeAgent{})
		o.Theme, o.ThemeDir = "sea", dir
		o.WatchThemes = func(got string) (func() bool, error) {
			if got != dir {
				t.Errorf("%s is watched", got)
			}
			return func() bool { return <-touched }, nil
		}
		s := start(t, o, 80, 24)
		for _, colour := range []string{"#00ff00", "#ff0000"} {
			themeFile(t, dir, "sea", `{"roles": {"accent": "`+colour+`"}}`)
			touched <- true
			s.see("theme sea was read again")
			s.gone("theme sea was read again")
		}
		close(touched) // the folder is gone
		s.send("\x03\x03")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A theme that cannot be read leaves the default and one line that says where it is
// faulty; mended, it is worn.
func TestFaultyThemeAtStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		themeFile(t, dir, "sea", "{\n  \"roles\": {\n    \"accnt\": \"red\"\n  }\n}")
		o := testOptions(&fakeAgent{})
		o.Theme, o.ThemeDir = "sea", dir
		m := still(t, o, 80, 24)
		if text := shot(m); !strings.Contains(text, `sea.json:3:`) || !strings.Contains(text, "did you mean") {
			t.Errorf("%s", text)
		}
		if m.worn.Name != "auto" {
			t.Errorf("%s is worn", m.worn.Name)
		}
		themeFile(t, dir, "sea", `{"roles": {"accent": "red"}}`)
		_, cmd := m.Update(tea.FocusMsg{})
		work(m, cmd)
		if m.worn.Name != "sea" || accent(m) != ansi.BasicColor(1) {
			t.Errorf("mended, %s is worn", m.worn.Name)
		}
	})
}

// An idle screen does not look: nothing wakes it.
func TestNoLookWithoutFiles(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	if m.lookAgain(tea.FocusMsg{}) != nil {
		t.Error("a theme of forge's own has no file to look at")
	}
	if got := theme.GlyphsNamed("narrow", func(string) string { return "" }).Name; got != "narrow" {
		t.Errorf("glyphs: %s", got)
	}
}
