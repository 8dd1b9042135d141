// Package theme says how the screen looks: one table of roles (what a piece of
// text means) to looks, and one set of glyphs. It owns every colour and every
// symbol of the full-screen face; nothing else names one.
//
// Themes are data: files of roles and colours (read.go), forge's own among them
// (themes/), each over the one it extends; find.go looks for one by name. style.go and
// fill turn them into the bytes a terminal takes.
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
// imports the catalogue of words and nothing else of forge.
package theme

import (
	"image/color"

	"github.com/charmbracelet/colorprofile"
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
	Name    string // as a setting names it
	Dark    bool   // drawn for a dark background
	Profile colorprofile.Profile
	Glyphs  Glyphs
	Links   bool // the terminal is told where addresses and paths lead, so that they can be clicked

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

func rgb(v uint32) color.Color {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// fill makes the looks of the colours a scheme has for this terminal.
func (t *Theme) fill(from *Scheme) {
	c := from.colours(t.Dark, t.Profile)
	s := func(fg, bg color.Color, a Attr) Style { return newStyle(t.Profile, fg, bg, a) }
	// Without a grey, what is secondary is dimmed instead.
	dim := Attr(0)
	if c[muted] == nil {
		dim = Dim
	}
	// Without a background, what is chosen is shown reversed.
	chosen := Attr(0)
	if c[selection] == nil {
		chosen = Reverse
	}
	// Without a background of their own, changed words are underlined.
	word := Attr(0)
	if c[addedWord] == c[addedLine] || t.Profile <= colorprofile.ASCII {
		word = Underline
	}
	code := Attr(0)
	if t.Profile <= colorprofile.ASCII {
		dim, chosen, code = Dim, Reverse, Bold
	}

	t.Text = s(c[text], nil, 0)
	t.Strong = s(c[text], nil, Bold)
	t.Emph = s(c[text], nil, Italic)
	t.Struck = s(c[text], nil, Strike)
	t.Muted = s(c[muted], nil, dim)
	t.Faint = s(c[faint], nil, dim)
	t.Accent = s(c[accent], nil, 0)
	t.Title = s(c[accent], nil, Bold)
	t.Link = s(c[link], nil, Underline)

	t.Ok = s(c[good], nil, 0)
	t.Warn = s(c[warn], nil, 0)
	t.Error = s(c[bad], nil, 0)
	t.Info = s(c[info], nil, 0)

	t.Selection = s(c[text], c[selection], Bold|chosen)
	t.Match = s(c[accent], nil, Bold|Underline)
	t.Border = s(c[line], nil, dim)
	t.Focus = s(c[accent], nil, 0)
	t.Key = s(c[accent], nil, Bold)
	t.Marker = s(c[bad], nil, Reverse)
	t.User = s(c[text], nil, Bold)
	t.Thinking = s(c[muted], nil, Italic|dim)
	t.Status = s(c[muted], nil, dim)
	t.Banner = s(c[warn], c[banner], Bold)

	// On a background of the theme's own stands a text of the theme's own: what the
	// terminal said of itself may be wrong, or it was not asked.
	addFg, delFg := c[diffText], c[diffText]
	if c[addedLine] == nil {
		addFg, delFg = c[added], c[removed]
	}
	t.Add, t.Del = s(addFg, c[addedLine], 0), s(delFg, c[removedLine], 0)
	t.AddWord, t.DelWord = s(addFg, c[addedWord], Bold|word), s(delFg, c[removedWord], Bold|word)
	t.AddSign, t.DelSign = s(c[added], nil, Bold), s(c[removed], nil, Bold)
	t.Hunk = s(c[accent], nil, 0)
	t.LineNo = s(c[faint], nil, dim)

	t.Risk = [4]Style{s(c[good], nil, 0), s(c[warn], nil, 0), s(c[bad], nil, Bold), s(c[bad], nil, Bold|Reverse)}

	t.Headings = [6]Style{s(c[accent], nil, Bold|Underline), s(c[accent], nil, Bold), s(c[text], nil, Bold),
		s(c[text], nil, Bold), s(c[muted], nil, Bold), s(c[muted], nil, Bold)}
	t.CodeSpan = s(c[codeSpan], nil, code)
	t.CodeLabel = s(c[faint], nil, dim)
	t.Quote = s(c[muted], nil, Italic)
	t.QuoteBar = s(c[line], nil, dim)
	t.ListMark = s(c[accent], nil, 0)
	t.Rule = s(c[line], nil, dim)
	t.TableHead = s(c[text], nil, Bold)
	t.TableFrame = s(c[line], nil, dim)
	t.Code = Code{
		Text: s(c[text], nil, 0), Keyword: s(c[codeKeyword], nil, 0), Type: s(c[codeType], nil, 0), Func: s(c[codeFunction], nil, 0),
		String: s(c[codeString], nil, 0), Number: s(c[codeNumber], nil, 0), Comment: s(c[codeComment], nil, Italic),
		Punct: s(c[text], nil, 0), Meta: s(c[codeNumber], nil, 0),
	}
	t.AddCode, t.DelCode = t.diffCode(c, addFg), t.diffCode(c, delFg)
}

// diffCode is the look of source on an added or deleted line, whose plain text is
// in fg. Without a background of the theme's own the line's colour stays that of
// plain text, strings and comments, so that what comes and what goes is seen at a
// glance. The styles set no background: they go over the line's.
func (t *Theme) diffCode(c [roles]color.Color, fg color.Color) Code {
	look := [6]color.Color{c[diffKeyword], c[diffType], c[diffFunction], c[diffString], c[diffNumber], c[diffComment]}
	if c[addedLine] == nil {
		look = [6]color.Color{c[codeKeyword], c[codeType], c[codeFunction], fg, c[codeNumber], fg}
	}
	s := func(i int, a Attr) Style { return newStyle(t.Profile, look[i], nil, a) }
	return Code{Keyword: s(0, 0), Type: s(1, 0), Func: s(2, 0), String: s(3, 0), Number: s(4, 0), Comment: s(5, Italic), Meta: s(4, 0)}
}
