package ui

import (
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"forge/ui/safe"
	"forge/ui/theme"
)

// The colours a command gave its output. The model's result has none of them: they are
// taken from what was shown while it ran, or from the file that keeps all of it.

// dyes is, for lines of a text that have looks, the line with them.
type dyes map[string]string

// dyesOf finds looks for the lines of a text among lines of safe.Coloured. A line that
// stands there in two looks has none.
func dyesOf(coloured []string, text string) dyes {
	var d dyes
	for _, l := range coloured {
		if strings.IndexByte(l, 0x1b) >= 0 {
			if d == nil {
				d = dyes{}
			}
			d[safe.Plain(l)] = l
		}
	}
	if d == nil {
		return nil
	}
	for _, l := range coloured {
		if p := safe.Plain(l); d[p] != l {
			delete(d, p)
		}
	}
	wanted := make(dyes, len(d))
	for line := range strings.SplitSeq(safe.Output(text), "\n") {
		if l, ok := d[line]; ok {
			wanted[strings.Clone(line)] = strings.Clone(l)
		}
	}
	return wanted
}

// runs is a line of safe.Coloured as pieces to lay out.
func runs(line string, th *theme.Theme, base theme.Style) []safe.Run {
	pieces := safe.Dye(line)
	out := make([]safe.Run, len(pieces))
	col := 0
	for i, p := range pieces {
		text := safe.ExpandTabs(p.Text, col)
		col += safe.Width(text)
		s := th.Foreign(base, foreign(p.Look))
		out[i] = safe.Run{Text: text, Open: s.Open, Close: s.Close}
	}
	return out
}

// dyedRow is one row of at most w cells.
func dyedRow(line string, w int, th *theme.Theme, base theme.Style) string {
	if strings.IndexByte(line, 0x1b) < 0 {
		return base.Apply(clipRow(line, w, th))
	}
	return safe.Truncate(string(safe.AppendRuns(nil, runs(line, th, base))), w, th.Glyphs.Ellipsis)
}

// wrapDyed is wrap for a text of which some lines have looks.
func wrapDyed(text string, w int, d dyes, th *theme.Theme, base theme.Style) []string {
	if len(d) == 0 {
		return wrap(text, w, base)
	}
	var rows []string
	for line := range strings.SplitSeq(safe.Output(text), "\n") {
		l, ok := d[line]
		if !ok {
			rows = append(rows, wrap(line, w, base)...)
			continue
		}
		for _, row := range safe.WrapRuns(runs(l, th, base), max(1, w), max(1, w)) {
			rows = append(rows, string(safe.AppendRuns(nil, row)))
		}
	}
	return rows
}

func foreign(l safe.Look) theme.Foreign {
	f := theme.Foreign{Fore: colourOf(l.Fore), Back: colourOf(l.Back)}
	for _, a := range []struct {
		on   bool
		attr theme.Attr
	}{{l.Bold, theme.Bold}, {l.Dim, theme.Dim}, {l.Italic, theme.Italic}, {l.Underline, theme.Underline}, {l.Reverse, theme.Reverse}, {l.Struck, theme.Strike}} {
		if a.on {
			f.Attr |= a.attr
		}
	}
	return f
}

func colourOf(c safe.Colour) color.Color {
	if n, ok := c.Basic(); ok {
		return ansi.BasicColor(n)
	}
	if n, ok := c.Indexed(); ok {
		return ansi.IndexedColor(n)
	}
	if r, g, b, ok := c.RGB(); ok {
		return color.RGBA{R: r, G: g, B: b, A: 0xff}
	}
	return nil
}
