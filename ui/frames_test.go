package ui

import (
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"forge/ui/lang"
	"forge/ui/theme"
)

// cell is what a terminal shows in one place.
type cell struct {
	text   string // empty: the second half of a wide letter
	fg, bg color.Color
	looks  string // "bold italic …"
}

// frameOf draws the view on a terminal emulator and reads it back.
func frameOf(m *Model) [][]cell {
	em := vt.NewEmulator(max(1, m.w), max(1, m.h))
	em.WriteString(strings.ReplaceAll(m.View().Content, "\n", "\r\n"))
	rows := make([][]cell, m.h)
	for y := range rows {
		rows[y] = make([]cell, m.w)
		for x := range rows[y] {
			c := em.CellAt(x, y)
			if c == nil {
				rows[y][x] = cell{text: " "}
				continue
			}
			var looks []string
			for bit, name := range []string{"bold", "dim", "italic", "blink", "blink", "reverse", "hidden", "struck"} {
				if c.Style.Attrs&(1<<bit) != 0 {
					looks = append(looks, name)
				}
			}
			if c.Style.Underline != 0 {
				looks = append(looks, "underlined")
			}
			text := c.Content
			if text == "" && c.Width > 0 {
				text = " "
			}
			rows[y][x] = cell{text, c.Style.Fg, c.Style.Bg, strings.Join(looks, " ")}
		}
	}
	return rows
}

// named is a colour as a frame writes it down.
func named(c color.Color) string {
	switch c := c.(type) {
	case nil:
		return ""
	case ansi.BasicColor:
		return fmt.Sprint(int(c))
	case ansi.IndexedColor:
		return fmt.Sprint(int(c))
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func (c cell) look() string {
	parts := []string{c.looks}
	if c.fg != nil {
		parts = append(parts, named(c.fg))
	}
	if c.bg != nil {
		parts = append(parts, "on "+named(c.bg))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// spelled is the same frame in several themes as text: each row as it reads and, where
// something in it does not look plain, beneath it a letter for the looks of each cell.
// The looks of a letter, one a theme, stand above.
func spelled(t *testing.T, frames [][][]cell) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	var looks []string
	var b strings.Builder
	for y, row := range frames[0] {
		var text, marks strings.Builder
		for x, c := range row {
			text.WriteString(c.text)
			var look []string
			plain := true
			for _, f := range frames {
				other := f[y][x]
				if other.text != c.text {
					t.Errorf("row %d: a theme draws %q where another draws %q", y, other.text, c.text)
				}
				one := other.look()
				if c.text == " " && other.bg == nil && !strings.Contains(one, "reverse") && !strings.Contains(one, "underlined") {
					one = "" // a blank shows nothing
				}
				plain = plain && one == ""
				look = append(look, one)
			}
			if plain {
				marks.WriteByte('.')
				continue
			}
			all := strings.Join(look, " / ")
			i := slices.Index(looks, all)
			if i < 0 {
				i = len(looks)
				looks = append(looks, all)
			}
			marks.WriteByte(letters[i%len(letters)])
		}
		b.WriteString("|" + strings.TrimRight(text.String(), " ") + "\n")
		if m := strings.TrimRight(marks.String(), "."); m != "" {
			b.WriteString("~" + m + "\n")
		}
	}
	var head strings.Builder
	for i, look := range looks {
		fmt.Fprintf(&head, "%c  %s\n", letters[i%len(letters)], look)
	}
	return head.String() + b.String()
}

// staged is a sight on a model that stands still.
func staged(t *testing.T, sc sight, o Options, w, h int, p colorprofile.Profile) *Model {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o.Now = func() time.Time { return now }
	m := newModel(t.Context(), o)
	m.Update(tea.ColorProfileMsg{Profile: p})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.now = now
	sc.play(t, m, func(d time.Duration) {
		now = now.Add(d)
		m.now, m.tr.d.now = now, now
	})
	m.tr.d.now = m.now
	return m
}

// looksOf are the themes every sight is drawn in.
var looksOf = []struct {
	theme string
	p     colorprofile.Profile
}{{"dark", colorprofile.TrueColor}, {"light", colorprofile.TrueColor}, {"ansi", colorprofile.ANSI}}

// TestFrames draws every sight in three sizes, three themes and both languages, with
// what each cell looks like: a colour that changes shows as well as a word.
func TestFrames(t *testing.T) {
	defer lang.Use(lang.English)
	for _, sc := range sights() {
		t.Run(sc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b strings.Builder
				for _, tag := range []string{"en", "zh"} {
					if err := lang.Use(tag); err != nil {
						t.Fatal(err)
					}
					for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 10}} {
						var frames [][][]cell
						for _, l := range looksOf {
							o := sceneOptions()
							o.Theme = l.theme
							frames = append(frames, frameOf(staged(t, sc, o, size[0], size[1], l.p)))
						}
						fmt.Fprintf(&b, "== %s %dx%d: dark / light / ansi\n%s", tag, size[0], size[1], spelled(t, frames))
					}
				}
				golden(t, "frames/"+sc.name, strings.TrimSuffix(b.String(), "\n"))
				time.Sleep(time.Minute) // clocks that scenes started run out
			})
		})
	}
}

// Another theme reaches all that is drawn, whatever was drawn before: panels, open
// questions, rows that are kept.
func TestThemeReachesEverything(t *testing.T) {
	for _, sc := range sights() {
		synctest.Test(t, func(t *testing.T) {
			light := sceneOptions()
			light.Theme = "light"
			want := frameOf(staged(t, sc, light, 80, 24, colorprofile.TrueColor))
			m := staged(t, sc, sceneOptions(), 80, 24, colorprofile.TrueColor)
			m.View()
			s, err := theme.Find("", "light")
			if err != nil {
				t.Fatal(err)
			}
			m.wear(s)
			for y, row := range frameOf(m) {
				for x, c := range row {
					if other := want[y][x]; c.text == other.text && c.look() != other.look() {
						t.Fatalf("%s: row %d, cell %d %q looks %q, want %q", sc.name, y, x, c.text, c.look(), other.look())
					}
				}
			}
			time.Sleep(time.Minute)
		})
	}
}
