package theme

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// The 16 entries as drawn by VS Code's terminal, a common palette, for a dark
// and for a light background.
var (
	paletteDark = [16]uint32{0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5,
		0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xe5e5e5}
	paletteLight = [16]uint32{0x000000, 0xcd3131, 0x107c10, 0x949800, 0x0451a5, 0xbc05bc, 0x0598bc, 0x555555,
		0x666666, 0xcd3131, 0x14ce14, 0xb5ba00, 0x0451a5, 0xbc05bc, 0x0598bc, 0xa5a5a5}
)

// linear is a colour in linear light, as a terminal with these palettes draws it.
func linear(c color.Color, dark bool) [3]float64 {
	if b, ok := c.(ansi.BasicColor); ok {
		c = rgb(paletteLight[b])
		if dark {
			c = rgb(paletteDark[b])
		}
	}
	var out [3]float64
	r, g, b, _ := c.RGBA()
	for i, v := range []uint32{r, g, b} {
		f := float64(v>>8) / 255
		if out[i] = math.Pow((f+0.055)/1.055, 2.4); f <= 0.04045 {
			out[i] = f / 12.92
		}
	}
	return out
}

// contrast is WCAG's, from 1 to 21.
func contrast(a, b color.Color, dark bool) float64 {
	l := func(c color.Color) float64 {
		v := linear(c, dark)
		return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2] + 0.05
	}
	x, y := l(a), l(b)
	return max(x, y) / min(x, y)
}

// grounds are backgrounds terminals have, letters what they write in by themselves.
var (
	grounds = map[bool][]uint32{true: {0x000000, 0x1e1e1e}, false: {0xffffff, 0xfafafa}}
	letters = map[bool]uint32{true: 0xe5e5e5, false: 0x202020}
)

// eachLook calls f for every theme on every ground at every depth.
func eachLook(t *testing.T, f func(t *testing.T, name string, th *Theme)) {
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			for _, p := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
				th, err := Named(name, dark, p, Unicode())
				if err != nil {
					t.Fatal(err)
				}
				f(t, fmt.Sprintf("%s dark=%v %v", name, th.Dark, th.Profile), th)
			}
		}
	}
}

// TestReadable holds WCAG contrast of every role on usual backgrounds and on its own:
// 4.5 for text and 3 for frames; 7 and 4.5 in high contrast. Of the 16 colours the
// terminal's palette decides: 3, in high contrast 4.5.
func TestReadable(t *testing.T) {
	frames := regexp.MustCompile(`Border|QuoteBar|Rule|TableFrame`)
	eachLook(t, func(t *testing.T, at string, th *Theme) {
		least, least16, leastFrame := 4.5, 3.0, 3.0
		if th.Name == "high-contrast" {
			least, least16, leastFrame = 7, 4.5, 4.5
		}
		check := func(what string, want float64, fg, bg color.Color) {
			t.Helper()
			if th.Profile <= colorprofile.ANSI {
				want = min(want, least16)
			}
			if got := contrast(fg, bg, th.Dark); got < want {
				t.Errorf("%s %s: contrast %.2f, want %.1f", at, what, got, want)
			}
		}
		for name, s := range styles(th) {
			want := least
			if frames.MatchString(name) {
				want = leastFrame
			}
			for _, ground := range grounds[th.Dark] {
				var fg, bg color.Color = rgb(letters[th.Dark]), rgb(ground)
				if s.Foreground() != nil {
					fg = s.Foreground()
				}
				if s.Background() != nil {
					bg = s.Background()
				}
				check(fmt.Sprintf("%s on %06x", name, ground), want, fg, bg)
			}
		}
		// Source on the diff backgrounds, and in the words marked there.
		for _, line := range []struct {
			code       Code
			line, word Style
		}{{th.AddCode, th.Add, th.AddWord}, {th.DelCode, th.Del, th.DelWord}} {
			for name, s := range map[string]Style{"text": line.code.Text, "keyword": line.code.Keyword, "type": line.code.Type, "func": line.code.Func,
				"string": line.code.String, "number": line.code.Number, "comment": line.code.Comment} {
				if s.Background() != nil {
					t.Errorf("%s code %s brings a background of its own", at, name)
				}
				for i, bg := range []color.Color{line.line.Background(), line.word.Background()} {
					if bg == nil {
						continue
					}
					fg := s.Foreground()
					if fg == nil {
						fg = line.line.Foreground()
					}
					check(fmt.Sprintf("code %s on %v", name, bg), []float64{least, least - 0.5}[i], fg, bg)
				}
			}
		}
	})
}

// Colours as eyes without red or without green cones see them, in linear light: the
// matrices of Machado, Oliveira and Fernandes (2009) at full severity.
var blindness = map[string][3][3]float64{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// lab is a colour in CIE L*a*b*, where distances are about what eyes see.
func lab(v [3]float64) [3]float64 {
	x := (0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.95047
	y := 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
	z := (0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.08883
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	return [3]float64{116*f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))}
}

// apart is ΔE between two colours for such eyes; 1 is the least that can be seen.
func apart(a, b color.Color, dark bool, m [3][3]float64) float64 {
	see := func(c color.Color) [3]float64 {
		v := linear(c, dark)
		var out [3]float64
		for i := range m {
			out[i] = min(1, max(0, m[i][0]*v[0]+m[i][1]*v[1]+m[i][2]*v[2]))
		}
		return lab(out)
	}
	x, y := see(a), see(b)
	return math.Sqrt(math.Pow(x[0]-y[0], 2) + math.Pow(x[1]-y[1], 2) + math.Pow(x[2]-y[2], 2))
}

// TestColourBlind keeps apart, in the theme for such eyes, what comes and what goes,
// and what is good and what is bad.
func TestColourBlind(t *testing.T) {
	eachLook(t, func(t *testing.T, at string, th *Theme) {
		if th.Name != "colour-blind" {
			return
		}
		for name, m := range blindness {
			for what, p := range map[string]struct {
				a, b color.Color
				want float64
			}{
				"+ and -":      {th.AddSign.Foreground(), th.DelSign.Foreground(), 40},
				"good and bad": {th.Ok.Foreground(), th.Error.Foreground(), 40},
				"warn and bad": {th.Warn.Foreground(), th.Error.Foreground(), 8},
				"lines":        {th.Add.Background(), th.Del.Background(), 15},
				"words":        {th.AddWord.Background(), th.DelWord.Background(), 25},
			} {
				if p.a == nil || p.b == nil {
					if th.Profile > colorprofile.ANSI {
						t.Errorf("%s: no colour for %s", at, what)
					}
					continue
				}
				if got := apart(p.a, p.b, th.Dark, m); got < p.want {
					t.Errorf("%s, %s: %s are ΔE %.0f apart, want %.0f", at, name, what, got, p.want)
				}
			}
		}
	})
	// The measure itself: red and green of the default are what such eyes mix up.
	red, green := rgb(0xb05050), rgb(0x6f6f2f)
	if got := apart(red, green, true, blindness["deuteranopia"]); got > 25 {
		t.Errorf("red and green of one lightness are ΔE %.0f apart for eyes without green cones", got)
	}
}
