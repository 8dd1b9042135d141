// Package theme says how the screen looks: one table of roles (what a piece of
// text means) to looks, and one set of glyphs. It owns every colour and every
// symbol of the full-screen face; nothing else names one.
//
// It is quiet on purpose: one accent, the terminal's own text colour for prose,
// greys for what may be skipped. Hues are entries of the terminal's own palette
// wherever that is readable, since the palette is what the person has tuned;
// greys and backgrounds are fixed colours, used from 256 colours upwards.
// State is never told by colour alone: each role that means a state has a glyph
// beside it in Glyphs or carries an attribute.
//
// Package ui and its sub-packages call it from the UI goroutine; a Theme is
// read-only after New and so safe to share with rendering goroutines. It
// imports nothing of forge.
package theme

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Code holds the roles of source code. The open block's highlighter and the
// final renderer both use them, so that a code block keeps its colours when it
// is finished.
type Code struct {
	Text, Keyword, Type, Func, String, Number, Comment, Punct, Meta Style
}

// Heading roles, by level 1 to 6, are in Theme.Headings[level-1].

// Theme is the whole look. Compare themes by pointer: caches are keyed by it.
type Theme struct {
	Name    string // dark, light or ansi
	Dark    bool   // drawn for a dark background
	Profile colorprofile.Profile
	Glyphs  Glyphs

	Text   Style // prose: the terminal's own colour
	Strong Style // bold prose
	Emph   Style // italic prose
	Struck Style // struck-through prose
	Muted  Style // secondary text: paths, hints, times
	Faint  Style // what may be skipped: line numbers, rules, folded counts
	Accent Style // the one accent: prompt, focus, names
	Title  Style // accent and bold: dialog titles, headings of panes
	Link   Style // link targets

	Ok, Warn, Error, Info Style

	Selection Style // the chosen entry of a list
	Match     Style // letters that a search or filter hit
	Border    Style // frames
	Focus     Style // frame of the pane with the focus
	Key       Style // a key's name in a hint
	Marker    Style // markers for hidden characters in prompts; no text from outside can look like this
	User      Style // what the person said
	Thinking  Style // reasoning of the model
	Status    Style // the status line
	Banner    Style // background strip of a warning

	Add, Del         Style // whole diff lines: soft background where there are colours for it
	AddWord, DelWord Style // changed words inside them
	AddSign, DelSign Style // the + and - column and counts
	AddCode, DelCode Code  // source on such lines: colours that are readable on their backgrounds
	Hunk             Style // hunk headers
	LineNo           Style // line numbers

	Risk [4]Style // low, medium, high, critical, in that order

	Headings   [6]Style
	CodeSpan   Style // code inside prose
	CodeLabel  Style // language of a code block
	Quote      Style // text of a block quote
	QuoteBar   Style // its bar
	ListMark   Style // bullets and numbers
	Rule       Style // horizontal rules
	TableHead  Style
	TableFrame Style
	Code       Code
}

// Names lists the values the setting "theme" takes.
func Names() []string { return []string{"auto", "dark", "light", "ansi"} }

// New returns the theme for a dark or light background at a colour profile,
// with Unicode glyphs. NO_COLOR is the profile ASCII (colorprofile.Detect says
// so): attributes stay, colours go.
func New(dark bool, p colorprofile.Profile) *Theme {
	t, _ := Named("auto", dark, p, Unicode())
	return t
}

// Named returns the theme a setting names. darkBackground is what the terminal
// said of itself and counts for auto and ansi; ansi keeps to the 16 colours of
// the palette whatever the profile.
func Named(name string, darkBackground bool, p colorprofile.Profile, g Glyphs) (*Theme, error) {
	dark := darkBackground
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "", "auto":
		name = "light"
		if dark {
			name = "dark"
		}
	case "dark":
		name, dark = "dark", true
	case "light":
		name, dark = "light", false
	case "ansi":
		name = "ansi"
		if p > colorprofile.ANSI {
			p = colorprofile.ANSI
		}
	default:
		return nil, fmt.Errorf("theme %q is unknown: use one of %s", name, strings.Join(Names(), ", "))
	}
	if p == colorprofile.Unknown {
		p = colorprofile.ANSI
	}
	t := &Theme{Name: name, Dark: dark, Profile: p, Glyphs: g}
	t.fill(paletteFor(dark, p))
	return t, nil
}

// palette is the small set of colours everything else is made of.
type palette struct {
	text, muted, faint                           color.Color
	accent, red, green, yellow, blue, cyan, mage color.Color
	addBg, delBg, addWordBg, delWordBg           color.Color
	onDiff                                       color.Color    // text on these four
	code                                         [6]color.Color // source on these four: keyword, type, func, string, number, comment
	selBg, codeBg, bannerBg                      color.Color
}

func rgbs(v ...uint32) (c [6]color.Color) {
	for i := range c {
		c[i] = rgb(v[i])
	}
	return c
}

func indexed(v ...uint8) (c [6]color.Color) {
	for i := range c {
		c[i] = ansi.IndexedColor(v[i])
	}
	return c
}

func rgb(v uint32) color.Color {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// paletteFor chooses colours. In 16 colours there are no backgrounds (a
// saturated one behind text is unreadable somewhere) and no grey but "bright
// black", which some palettes (Solarized) draw nearly invisible, so muted text
// is the terminal's own colour, dimmed by attribute in fill.
func paletteFor(dark bool, p colorprofile.Profile) palette {
	basic := func(n uint8) color.Color { return ansi.BasicColor(n) }
	fixed := p >= colorprofile.ANSI256
	if dark {
		c := palette{
			accent: basic(6), red: basic(9), green: basic(2), yellow: basic(3),
			blue: basic(12), cyan: basic(6), mage: basic(5),
		}
		if fixed {
			// 16's bright red and blue are orange and grey in some palettes;
			// magenta and blue are too dark on black in others.
			c.red, c.blue, c.mage = ansi.IndexedColor(203), ansi.IndexedColor(75), ansi.IndexedColor(176)
			c.cyan = ansi.IndexedColor(80)
			c.muted, c.faint = ansi.IndexedColor(248), ansi.IndexedColor(243)
			c.addBg, c.delBg = ansi.IndexedColor(22), ansi.IndexedColor(52)
			// The next green, 28, is too light to read white letters on.
			c.addWordBg, c.delWordBg = c.addBg, c.delBg
			c.onDiff = ansi.IndexedColor(255)
			c.code = indexed(219, 159, 153, 157, 222, 252)
			c.selBg, c.codeBg, c.bannerBg = ansi.IndexedColor(237), ansi.IndexedColor(235), ansi.IndexedColor(58)
		}
		if p == colorprofile.TrueColor {
			c.addBg, c.delBg, c.onDiff = rgb(0x12301c), rgb(0x3a1a1d), rgb(0xe8e8e8)
			c.addWordBg, c.delWordBg = rgb(0x1f6136), rgb(0x7a2a31)
			c.code = rgbs(0xf2cdfa, 0xaeeeee, 0xc4dcff, 0xc8f2b8, 0xffdc9a, 0xd2d6da)
			c.selBg, c.codeBg, c.bannerBg = rgb(0x2f3540), rgb(0x262a31), rgb(0x3d3312)
		}
		return c
	}
	c := palette{
		// Yellow and cyan of most palettes vanish on white, so in 16 colours
		// magenta warns and blue stands in for cyan.
		accent: basic(4), red: basic(1), green: basic(2), yellow: basic(5),
		blue: basic(4), cyan: basic(4), mage: basic(5),
	}
	if fixed {
		c.accent = ansi.IndexedColor(25)
		c.red, c.green, c.yellow = ansi.IndexedColor(124), ansi.IndexedColor(22), ansi.IndexedColor(94)
		c.blue, c.cyan, c.mage = ansi.IndexedColor(25), ansi.IndexedColor(24), ansi.IndexedColor(90)
		c.muted, c.faint = ansi.IndexedColor(240), ansi.IndexedColor(243)
		c.addBg, c.delBg = ansi.IndexedColor(194), ansi.IndexedColor(224)
		c.addWordBg, c.delWordBg = ansi.IndexedColor(157), ansi.IndexedColor(217)
		c.onDiff = ansi.IndexedColor(234)
		c.code = indexed(90, 23, 19, 22, 52, 239)
		c.selBg, c.codeBg, c.bannerBg = ansi.IndexedColor(254), ansi.IndexedColor(255), ansi.IndexedColor(230)
	}
	if p == colorprofile.TrueColor {
		c.addBg, c.delBg, c.onDiff = rgb(0xe3f6e6), rgb(0xfde8e8), rgb(0x1f1f1f)
		c.addWordBg, c.delWordBg = rgb(0xaee6b8), rgb(0xf8b9b9)
		c.code = rgbs(0x6f1f86, 0x00505a, 0x0b3fa3, 0x0f511c, 0x7a3b00, 0x4a4a4a)
		c.selBg, c.codeBg, c.bannerBg = rgb(0xe2e8f2), rgb(0xf0f1f3), rgb(0xfdf3d0)
	}
	return c
}

func (t *Theme) fill(c palette) {
	s := func(fg, bg color.Color, a Attr) Style { return newStyle(t.Profile, fg, bg, a) }
	// Without a grey, what is secondary is dimmed instead.
	dim := Attr(0)
	if c.muted == nil {
		dim = Dim
	}
	// Without a background, what is chosen is shown reversed.
	chosen := Attr(0)
	if c.selBg == nil {
		chosen = Reverse
	}
	// Without a background of their own, changed words are underlined.
	word := Attr(0)
	if c.addWordBg == c.addBg || t.Profile <= colorprofile.ASCII {
		word = Underline
	}
	if t.Profile <= colorprofile.ASCII {
		dim, chosen = Dim, Reverse
	}

	t.Text = s(c.text, nil, 0)
	t.Strong = s(c.text, nil, Bold)
	t.Emph = s(c.text, nil, Italic)
	t.Struck = s(c.text, nil, Strike)
	t.Muted = s(c.muted, nil, dim)
	t.Faint = s(c.faint, nil, dim)
	t.Accent = s(c.accent, nil, 0)
	t.Title = s(c.accent, nil, Bold)
	t.Link = s(c.blue, nil, Underline)

	t.Ok = s(c.green, nil, 0)
	t.Warn = s(c.yellow, nil, 0)
	t.Error = s(c.red, nil, 0)
	t.Info = s(c.blue, nil, 0)

	t.Selection = s(c.text, c.selBg, Bold|chosen)
	t.Match = s(c.accent, nil, Bold|Underline)
	t.Border = s(c.faint, nil, dim)
	t.Focus = s(c.accent, nil, 0)
	t.Key = s(c.accent, nil, Bold)
	t.Marker = s(c.red, nil, Reverse)
	t.User = s(c.text, nil, Bold)
	t.Thinking = s(c.muted, nil, Italic|dim)
	t.Status = s(c.muted, nil, dim)
	t.Banner = s(c.yellow, c.bannerBg, Bold)

	// On a background of the theme's own stands a text of the theme's own: what the
	// terminal said of itself may be wrong, or it was not asked.
	addFg, delFg := c.onDiff, c.onDiff
	if c.addBg == nil {
		addFg, delFg = c.green, c.red
	}
	t.Add, t.Del = s(addFg, c.addBg, 0), s(delFg, c.delBg, 0)
	t.AddWord, t.DelWord = s(addFg, c.addWordBg, Bold|word), s(delFg, c.delWordBg, Bold|word)
	t.AddSign, t.DelSign = s(c.green, nil, Bold), s(c.red, nil, Bold)
	t.Hunk = s(c.accent, nil, 0)
	t.LineNo = s(c.faint, nil, dim)

	t.Risk = [4]Style{s(c.green, nil, 0), s(c.yellow, nil, 0), s(c.red, nil, Bold), s(c.red, nil, Bold|Reverse)}

	t.Headings = [6]Style{s(c.accent, nil, Bold|Underline), s(c.accent, nil, Bold), s(c.text, nil, Bold),
		s(c.text, nil, Bold), s(c.muted, nil, Bold), s(c.muted, nil, Bold)}
	t.CodeSpan = s(c.cyan, nil, 0)
	t.CodeLabel = s(c.faint, nil, dim)
	t.Quote = s(c.muted, nil, Italic)
	t.QuoteBar = s(c.faint, nil, dim)
	t.ListMark = s(c.accent, nil, 0)
	t.Rule = s(c.faint, nil, dim)
	t.TableHead = s(c.text, nil, Bold)
	t.TableFrame = s(c.faint, nil, dim)
	t.Code = Code{
		Text: s(c.text, nil, 0), Keyword: s(c.mage, nil, 0), Type: s(c.cyan, nil, 0), Func: s(c.blue, nil, 0),
		String: s(c.green, nil, 0), Number: s(c.yellow, nil, 0), Comment: s(c.muted, nil, Italic),
		Punct: s(c.text, nil, 0), Meta: s(c.yellow, nil, 0),
	}
	t.AddCode, t.DelCode = t.diffCode(c, addFg), t.diffCode(c, delFg)
}

// diffCode is the look of source on an added or deleted line, whose plain text is
// in fg. Without a background of the theme's own the line's colour stays that of
// plain text, strings and comments, so that what comes and what goes is seen at a
// glance. The styles set no background: they go over the line's.
func (t *Theme) diffCode(c palette, fg color.Color) Code {
	look := c.code
	if c.addBg == nil {
		look = [6]color.Color{c.mage, c.cyan, c.blue, fg, c.yellow, fg}
	}
	s := func(i int, a Attr) Style { return newStyle(t.Profile, look[i], nil, a) }
	return Code{Keyword: s(0, 0), Type: s(1, 0), Func: s(2, 0), String: s(3, 0), Number: s(4, 0), Comment: s(5, Italic), Meta: s(4, 0)}
}
