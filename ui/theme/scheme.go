package theme

import (
	"image/color"
	"slices"

	"github.com/charmbracelet/colorprofile"
)

// role is a meaning that a theme gives a colour.
type role int

// The roles, in the order of roleNames.
const (
	text role = iota
	muted
	faint
	line
	accent
	link
	good
	warn
	bad
	info
	selection
	banner
	added
	removed
	addedLine
	removedLine
	addedWord
	removedWord
	diffText
	diffKeyword
	diffType
	diffFunction
	diffString
	diffNumber
	diffComment
	codeKeyword
	codeType
	codeFunction
	codeString
	codeNumber
	codeComment
	codeSpan
	roles int = iota
)

var roleNames = [roles]string{
	"text", "muted", "faint", "line", "accent", "link", "good", "warn", "bad", "info", "selection", "banner",
	"added", "removed", "added.line", "removed.line", "added.word", "removed.word",
	"diff.text", "diff.keyword", "diff.type", "diff.function", "diff.string", "diff.number", "diff.comment",
	"code.keyword", "code.type", "code.function", "code.string", "code.number", "code.comment", "code.span",
}

// Roles lists what a theme file may colour.
func Roles() []string { return slices.Clone(roleNames[:]) }

// depth is how many colours a terminal shows.
type depth int

const (
	deep    depth = iota // any
	indexed              // 256
	basic                // the 16 of its palette
	depths  int   = iota
)

// cell is a role's colour on one ground at one depth. nil is the terminal's own.
type cell struct {
	c   color.Color
	set bool
}

// Scheme is a theme as its file says it, with what it extends filled in, before it is
// known what the terminal can show. It is read-only once Find has returned it.
type Scheme struct {
	Name  string
	About string // one line, in English where it is forge's own
	// Ground is "dark" or "light" for a theme that is drawn for one of them; empty:
	// for both, and the terminal says which.
	Ground string

	most  colorprofile.Profile // it uses no more colours than this
	cells [roles][2][depths]cell
	files []stamp // it was read from
}

const (
	onDark = iota
	onLight
)

// Theme makes the looks for a terminal: dark is what it said of its background, p what
// colours it can show. NO_COLOR is the profile ASCII: attributes stay, colours go.
func (s *Scheme) Theme(dark bool, p colorprofile.Profile, g Glyphs) *Theme {
	if s.Ground != "" {
		dark = s.Ground == "dark"
	}
	if p == colorprofile.Unknown {
		p = colorprofile.ANSI
	}
	t := &Theme{Name: s.Name, Dark: dark, Profile: min(p, s.most), Glyphs: g}
	t.fill(s)
	return t
}

// colours are those of every role for one terminal.
func (s *Scheme) colours(dark bool, p colorprofile.Profile) (out [roles]color.Color) {
	ground, d := onLight, deep
	if dark {
		ground = onDark
	}
	switch {
	case p <= colorprofile.ASCII:
		return out
	case p == colorprofile.ANSI:
		d = basic
	case p == colorprofile.ANSI256:
		d = indexed
	}
	for r := range out {
		out[r] = s.cells[r][ground][d].c
	}
	return out
}

// over puts what is set in top over s.
func (s *Scheme) over(top *[roles][2][depths]cell) {
	for r := range top {
		for g := range top[r] {
			for d, c := range top[r][g] {
				if c.set {
					s.cells[r][g][d] = c
				}
			}
		}
	}
}
