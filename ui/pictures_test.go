package ui

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/lang"
)

var pictures = flag.String("pictures", "", "write the pictures of the documentation into this folder")

// A picture's cell, in pixels.
const (
	cellWide = 8.4
	cellHigh = 18
)

// inks are the 16 colours of a palette as a picture draws them, for dark and light
// ground, and what is there without a colour.
var inks = map[bool]struct {
	basic      [16]string
	text, base string
}{
	true: {[16]string{"#000000", "#cd3131", "#0dbc79", "#c9c91a", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
		"#8a8a8a", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"}, "#dcdcdc", "#16181d"},
	false: {[16]string{"#000000", "#cd3131", "#107c10", "#949800", "#0451a5", "#bc05bc", "#0598bc", "#555555",
		"#666666", "#cd3131", "#14ce14", "#b5ba00", "#0451a5", "#bc05bc", "#0598bc", "#a5a5a5"}, "#202020", "#fdfdfd"},
}

// picture is a frame as an SVG.
func picture(rows [][]cell, dark bool) string {
	ink := inks[dark]
	paint := func(c color.Color, none string) string {
		switch c := c.(type) {
		case nil:
			return none
		case ansi.BasicColor:
			return ink.basic[c]
		}
		r, g, b, _ := c.RGBA()
		return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	const edge = 10
	w, h := float64(len(rows[0]))*cellWide+2*edge, float64(len(rows))*cellHigh+2*edge
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', monospace" font-size="14" xml:space="preserve">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", ink.base)
	for y, row := range rows {
		for x := 0; x < len(row); {
			c := row[x]
			end, text, wide := x, "", x+1 < len(row) && row[x+1].text == "" && c.text != ""
			for end < len(row) && row[end].look() == c.look() {
				if d := end+1 < len(row) && row[end+1].text == "" && row[end].text != ""; d != wide && row[end].text != "" {
					break // wide letters stand in a piece of their own: fonts differ there
				}
				text += row[end].text
				end++
			}
			end = max(end, x+1)
			fg, bg := paint(c.fg, ink.text), paint(c.bg, "")
			if strings.Contains(c.looks, "reverse") {
				fg, bg = paint(c.bg, ink.base), fg
			}
			left, top, long := edge+float64(x)*cellWide, edge+float64(y)*cellHigh, float64(end-x)*cellWide
			if bg != "" {
				fmt.Fprintf(&b, `<rect x="%.1f" y="%.0f" width="%.1f" height="%d" fill="%s"/>`, left, top, long, cellHigh, bg)
			}
			if strings.TrimSpace(text) != "" {
				b.WriteString(letters(c.looks, fg, text, left, top, long))
			}
			x = end
		}
		b.WriteByte('\n')
	}
	return b.String() + "</svg>\n"
}

func letters(looks, fg, text string, left, top, long float64) string {
	var more string
	for _, a := range [][2]string{{"bold", ` font-weight="bold"`}, {"italic", ` font-style="italic"`}, {"dim", ` fill-opacity="0.65"`}} {
		if strings.Contains(looks, a[0]) {
			more += a[1]
		}
	}
	if strings.Contains(looks, "underlined") {
		more += ` text-decoration="underline"`
	} else if strings.Contains(looks, "struck") {
		more += ` text-decoration="line-through"`
	}
	var safe bytes.Buffer
	xml.EscapeText(&safe, []byte(text))
	return fmt.Sprintf(`<text x="%.1f" y="%.0f" textLength="%.1f" fill="%s"%s>%s</text>`, left, top+13, long, fg, more, safe.String())
}

// TestPictures draws what the documentation shows: with -pictures it is written there.
// Each is a whole SVG that is small enough to be kept.
func TestPictures(t *testing.T) {
	defer lang.Use(lang.English)
	const most = 200_000
	all := append(sights(), sight{"trying", func(_ *testing.T, m *Model, later func(time.Duration)) {
		toolCards(m, later)
		workNow(m, m.runCommand("/theme", "theme", ""))
		press(m, "down", "down", "down", "down")
	}})
	draw := func(t *testing.T, name, of, tag, theme string, dark bool, p colorprofile.Profile) {
		if err := lang.Use(tag); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(all, func(s sight) bool { return s.name == of })
		o := sceneOptions()
		o.Theme = theme
		m := staged(t, all[i], o, 84, 24, p)
		if of != "trying" { // there a theme was tried on
			m.dark = dark
			m.retheme()
			m.View()
			_, cmd := m.Update(tickMsg{}) // finished prose is read anew, off the loop
			workNow(m, cmd)
		}
		svg := picture(frameOf(m), dark)
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if len(svg) > most {
			t.Errorf("%s has %d bytes", name, len(svg))
		}
		if *pictures != "" {
			if err := os.WriteFile(filepath.Join(*pictures, name+".svg"), []byte(svg), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for _, l := range []struct {
			name, theme string
			dark        bool
			p           colorprofile.Profile
		}{{"theme-dark", "dark", true, colorprofile.TrueColor}, {"theme-light", "light", false, colorprofile.TrueColor},
			{"theme-high-contrast-dark", "high-contrast", true, colorprofile.TrueColor}, {"theme-high-contrast-light", "high-contrast", false, colorprofile.TrueColor},
			{"theme-colour-blind-dark", "colour-blind", true, colorprofile.TrueColor}, {"theme-colour-blind-light", "colour-blind", false, colorprofile.TrueColor},
			{"theme-ansi", "ansi", true, colorprofile.ANSI}, {"theme-mono", "mono", true, colorprofile.TrueColor}} {
			draw(t, l.name, "review", "en", l.theme, l.dark, l.p)
		}
		for _, s := range []string{"answer", "cards", "permission", "context", "usage", "mcp", "trying"} {
			draw(t, "screen-"+s, s, "en", "dark", true, colorprofile.TrueColor)
		}
		draw(t, "screen-answer-zh", "answer", "zh", "light", false, colorprofile.TrueColor)
		draw(t, "screen-permission-zh", "permission", "zh", "light", false, colorprofile.TrueColor)
		time.Sleep(time.Minute)
	})
}
