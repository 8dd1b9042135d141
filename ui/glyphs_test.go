package ui

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/clipperhouse/displaywidth"

	"forge/ui/display"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Where a terminal draws signs of ambiguous width in two cells, forge writes none of
// its own: a row with one would push what stands behind it out of its place. What a
// model or a tool said stays as it said it.
func TestNarrowGlyphs(t *testing.T) {
	defer lang.Use(lang.English)
	defer lang.Plainly(false)
	for _, set := range []string{"narrow", "ascii"} {
		for _, sc := range sights() {
			synctest.Test(t, func(t *testing.T) {
				for _, tag := range lang.Tags() {
					if err := lang.Use(tag); err != nil {
						t.Fatal(err)
					}
					o := sceneOptions()
					o.Glyphs = set
					for y, row := range frameOf(staged(t, sc, o, 80, 24, colorprofile.TrueColor)) {
						var line strings.Builder
						for _, c := range row {
							line.WriteString(c.text)
						}
						for _, c := range row {
							wide := displaywidth.Options{EastAsianWidth: true}.String(c.text)
							if wide == displaywidth.String(c.text) {
								continue
							}
							t.Errorf("%s %s %s: %q in row %d: %s", set, tag, sc.name, c.text, y, line.String())
						}
					}
				}
				time.Sleep(time.Minute)
			})
		}
	}
}

// Nothing is told by colour alone: without colours each state still has a word, a sign
// or an attribute of its own.
func TestStatesWithoutColour(t *testing.T) {
	for _, sc := range sights() {
		if !slices.Contains([]string{"cards", "trouble", "mcp", "context", "usage", "permission", "review"}, sc.name) {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			o := sceneOptions()
			m := staged(t, sc, o, 80, 40, colorprofile.ASCII)
			var b strings.Builder
			for _, row := range frameOf(m) {
				for _, c := range row {
					if c.fg != nil || c.bg != nil {
						t.Fatalf("%s: a colour without colours", sc.name)
					}
					b.WriteString(c.text)
				}
				b.WriteByte('\n')
			}
			for _, want := range map[string][]string{
				"cards":      {"✓ read stats.go", "✗ run go test ./...  exit code 1", "✗ run rm -rf build  not allowed", "running 3 s", "writing"},
				"trouble":    {"▲ retrying", "✓ read", "● mend the median", "○ run the tests"},
				"mcp":        {"▲ docs   needs login", "● files  ready", "✗ gone   failed", "◐ new    starting", "MCP: 1 failed"},
				"context":    {"● pinned", "✗ dropped", "47%"},
				"usage":      {"▲ 84%", "  47%"},
				"permission": {"▲ HIGH"},
				"review":     {"✓ keep", " - ", " + "},
			}[sc.name] {
				if !strings.Contains(b.String(), want) {
					t.Errorf("%s: no %q in\n%s", sc.name, want, b.String())
				}
			}
			time.Sleep(time.Minute)
		})
	}
}

// The terminal is asked how wide it draws characters of ambiguous width, unless the
// setting says it: one that draws them in two cells gets symbols of one, and what models
// say is laid out as it is drawn.
func TestMeasure(t *testing.T) {
	defer lang.Plainly(false)
	defer safe.UseWide(false)
	for _, c := range []struct {
		env, glyphs  string
		asked, wide0 bool
		cells        int
		want         string
		wide         bool
	}{
		{"zh_CN.UTF-8", "", true, false, 1, "unicode", false},
		{"zh_CN.UTF-8", "auto", true, false, 2, "narrow", true},
		{"zh_CN.UTF-8", "", true, false, 0, "narrow", false}, // no answer
		{"zh_CN.UTF-8", "narrow", false, true, 0, "narrow", true},
		{"en_US.UTF-8", "", true, false, 1, "unicode", false},
		{"en_US.UTF-8", "", true, false, 2, "narrow", true},
		{"en_US.UTF-8", "ascii", true, false, 2, "ascii", true},
		{"en_US.UTF-8", "unicode", false, false, 0, "unicode", false},
		{"", "", true, false, 2, "narrow", true}, // over ssh, where the locale stayed behind
		{"en_US.UTF-8", "", true, false, 5, "unicode", false},
		{"C", "", false, false, 0, "ascii", false},
	} {
		safe.UseWide(false)
		o := testOptions(&fakeAgent{})
		o.Glyphs = c.glyphs
		o.Getenv = func(k string) string { return map[string]string{"LANG": c.env}[k] }
		m := still(t, o, 80, 24)
		cmd := m.measure()
		if asks := cmd != nil && reflect.DeepEqual(cmd(), display.Measure()); asks != c.asked || safe.Wide() != c.wide0 {
			t.Errorf("%v: asked %v, wide %v", c, asks, safe.Wide())
		}
		if c.cells > 0 {
			m.Update(display.Ambiguous{Cells: c.cells})
		}
		if m.glyphs.Name != c.want || m.th.Glyphs.Name != c.want || safe.Wide() != c.wide {
			t.Errorf("%v: %s, drawn with %s, wide %v", c, m.glyphs.Name, m.th.Glyphs.Name, safe.Wide())
		}
		if got := lang.T("…"); (got == "…") != (c.want == "unicode") {
			t.Errorf("%v: words with %s", c, got)
		}
	}
}
