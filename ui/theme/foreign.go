package theme

import (
	"image/color"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Foreign is how a program wanted a piece of its output to look. A nil colour is none.
type Foreign struct {
	Fore, Back color.Color
	Attr       Attr
}

// Foreign is such a look in this theme, over the style the piece has otherwise. The
// terminal's 16 colours are told by the theme's own for what they usually mean, so that
// they can be read on its background: red is what failed, green what went well. What a
// program coloured behind its letters is shown reversed, unless it chose the letters'
// colour to go with it. Without colours the attributes are left.
func (t *Theme) Foreign(base Style, f Foreign) Style {
	if f == (Foreign{}) {
		return base
	}
	fore, back, attr := base.fg, base.bg, base.attr&^Dim|f.Attr
	switch {
	case t.Profile <= colorprofile.ASCII:
		if f.Back != nil {
			attr |= Reverse
		}
	case f.Back != nil && f.Fore != nil && !isBasic(f.Back) && !isBasic(f.Fore):
		fore, back = f.Fore, f.Back
	case f.Back != nil:
		if fore = t.basic(f.Back); fore != nil {
			attr ^= Reverse
		}
	case f.Fore != nil:
		fore = t.basic(f.Fore)
	default:
		fore = t.Text.fg // bold, and not grey
	}
	return newStyle(t.Profile, fore, back, attr)
}

func isBasic(c color.Color) bool {
	_, ok := c.(ansi.BasicColor)
	return ok
}

// basic is the theme's colour for one of the terminal's 16; another stays as it is.
// Black and white are the colour of the letters.
func (t *Theme) basic(c color.Color) color.Color {
	b, ok := c.(ansi.BasicColor)
	if !ok {
		return c
	}
	switch b {
	case ansi.BrightBlack:
		return t.Faint.fg
	case ansi.Red, ansi.BrightRed:
		return t.Error.fg
	case ansi.Green, ansi.BrightGreen:
		return t.Ok.fg
	case ansi.Yellow, ansi.BrightYellow:
		return t.Warn.fg
	case ansi.Blue, ansi.BrightBlue:
		return t.Info.fg
	case ansi.Magenta, ansi.BrightMagenta:
		return t.Code.Keyword.fg
	case ansi.Cyan, ansi.BrightCyan:
		return t.Accent.fg
	}
	return t.Text.fg
}
