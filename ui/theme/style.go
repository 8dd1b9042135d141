package theme

import (
	"image/color"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Attr is a set of text attributes besides colour.
type Attr uint8

// The attributes a role may carry. They survive NO_COLOR, which forbids
// colours and nothing else.
const (
	Bold Attr = 1 << iota
	Dim
	Italic
	Underline
	Reverse
	Strike
)

// Style is one role's look, already turned into the bytes a terminal takes:
// hot paths write Open, text and Close and never compute anything.
//
// Close ends only what Open began (never SGR 0), so a style may be applied
// inside another one: a changed word inside a coloured diff line keeps the
// line's background after it.
type Style struct {
	Open, Close string

	fg, bg color.Color // nil: the terminal's own
	attr   Attr
}

// newStyle converts the colours to what profile can show and writes the
// sequences once. A nil colour stays the terminal's default.
func newStyle(p colorprofile.Profile, fg, bg color.Color, attr Attr) Style {
	if p == colorprofile.NoTTY {
		return Style{}
	}
	s := Style{attr: attr}
	if fg != nil {
		s.fg = p.Convert(fg)
	}
	if bg != nil {
		s.bg = p.Convert(bg)
	}
	var open, end []string
	add := func(on, off string) { open = append(open, on); end = append(end, off) }
	if attr&Bold != 0 {
		add("1", "22")
	}
	if attr&Dim != 0 {
		add("2", "22")
	}
	if attr&Italic != 0 {
		add("3", "23")
	}
	if attr&Underline != 0 {
		add("4", "24")
	}
	if attr&Reverse != 0 {
		add("7", "27")
	}
	if attr&Strike != 0 {
		add("9", "29")
	}
	if s.fg != nil {
		add(colorCode(s.fg, false), "39")
	}
	if s.bg != nil {
		add(colorCode(s.bg, true), "49")
	}
	if len(open) > 0 {
		s.Open = "\x1b[" + strings.Join(open, ";") + "m"
		s.Close = "\x1b[" + strings.Join(end, ";") + "m"
	}
	return s
}

func colorCode(c color.Color, bg bool) string {
	base := 30
	if bg {
		base = 40
	}
	switch c := c.(type) {
	case ansi.BasicColor:
		if c >= 8 {
			return strconv.Itoa(base + 60 + int(c) - 8)
		}
		return strconv.Itoa(base + int(c))
	case ansi.IndexedColor:
		return strconv.Itoa(base+8) + ";5;" + strconv.Itoa(int(c))
	}
	r, g, b, _ := c.RGBA()
	return strconv.Itoa(base+8) + ";2;" + strconv.Itoa(int(r>>8)) + ";" +
		strconv.Itoa(int(g>>8)) + ";" + strconv.Itoa(int(b>>8))
}

// Apply returns text in this style. Text must be one line: a style that spans
// a line feed would colour the rest of the terminal's row.
func (s Style) Apply(text string) string {
	if s.Open == "" || text == "" {
		return text
	}
	return s.Open + text + s.Close
}

// Append writes text in this style to b and returns the longer slice.
func (s Style) Append(b []byte, text string) []byte {
	if text == "" {
		return b
	}
	b = append(b, s.Open...)
	b = append(b, text...)
	return append(b, s.Close...)
}

// Foreground is the colour of the letters, nil for the terminal's own.
func (s Style) Foreground() color.Color { return s.fg }

// Background is the colour behind the letters, nil for the terminal's own.
func (s Style) Background() color.Color { return s.bg }

// Attrs are the style's attributes.
func (s Style) Attrs() Attr { return s.attr }

// Lipgloss is the same look for code that lays out with lipgloss. It is built
// on each call; keep it out of loops over rows.
func (s Style) Lipgloss() lipgloss.Style {
	l := lipgloss.NewStyle()
	if s.fg != nil {
		l = l.Foreground(s.fg)
	}
	if s.bg != nil {
		l = l.Background(s.bg)
	}
	return l.Bold(s.attr&Bold != 0).Faint(s.attr&Dim != 0).Italic(s.attr&Italic != 0).
		Underline(s.attr&Underline != 0).Reverse(s.attr&Reverse != 0).Strikethrough(s.attr&Strike != 0)
}
