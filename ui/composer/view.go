package composer

import (
	"strings"

	"forge/lazy"
	"forge/ui/lang"
)

// gutter is the cells before the text: the glyph and a blank.
const gutter = 2

// View returns at most maxRows rows for a width, the ones around the cursor,
// and where the cursor stands in them.
func (c *Composer) View(width, maxRows int) (rows []string, x, y int) {
	c.width = max(width, gutter+2)
	maxRows = max(maxRows, 1)
	l := c.layout()
	curRow, curCol := l.locate(c.ed.cur)
	first := 0
	if len(l.rows) > maxRows {
		first = min(max(0, curRow-maxRows+1), len(l.rows)-maxRows)
	}
	last := min(first+maxRows, len(l.rows))
	c.first = first
	wrong := c.wrong()
	for i := first; i < last; i++ {
		from := l.rows[i].from
		lead := "  "
		if i == 0 && c.Shell() { // the ! stands where the glyph does
			lead = paint(c.opts.Styles.Shell, shellSign) + " "
			from += len(shellSign)
		} else if i == 0 {
			lead = paint(c.opts.Styles.Prompt, c.opts.Glyph) + " "
		} else if i == first {
			lead = paint(c.opts.Styles.Muted, lang.T("↑")) + " "
		}
		if i == last-1 && last < len(l.rows) {
			lead = paint(c.opts.Styles.Muted, lang.T("↓")) + " "
		}
		rows = append(rows, lead+c.drawRow(from, l.rows[i].to, wrong))
	}
	if c.ed.text == "" && c.ghost.text != "" {
		return c.ghostView(paint(c.opts.Styles.Prompt, c.opts.Glyph)+" ", maxRows), gutter, 0
	}
	hint := ""
	switch c.ed.text {
	case "":
		hint = c.opts.Placeholder
	case shellSign:
		hint = c.opts.ShellHint
	}
	if hint != "" {
		for cells(hint) > c.width-gutter {
			cut := strings.LastIndexByte(hint, ',') // half a phrase says nothing
			if cut < 0 {
				cut = max(0, strings.LastIndexByte(hint, ' '))
			}
			hint = strings.TrimSpace(hint[:cut])
			if hint == "" {
				break
			}
		}
		rows[0] += paint(c.opts.Styles.Placeholder, hint)
	}
	x = gutter + curCol
	if curRow == 0 && c.Shell() {
		x = gutter + curCol - len(shellSign)
		if c.ed.cur == 0 {
			x = 0
		}
	}
	// In a frame too narrow for two wide characters the cursor stays in it.
	return rows, min(x, c.width-1), curRow - first
}

// drawRow draws a row, what is selected in it marked, and what looks wrong; a line end
// that is selected is a blank.
func (c *Composer) drawRow(from, to int, wrong [][2]int) string {
	text := c.ed.text
	a, b, ok := c.marked()
	if !ok || b <= from || a > to {
		return c.drawn(from, to, wrong)
	}
	mark := text[max(a, from):min(b, to)]
	if b > to && a <= to && to < len(text) && text[to] == '\n' {
		mark += " "
	}
	out := c.drawn(from, max(a, from), wrong) + paint(c.opts.Styles.Selected, c.draw(mark))
	if b < to {
		out += c.drawn(b, to, wrong)
	}
	return out
}

func (c *Composer) draw(s string) string {
	s = strings.ReplaceAll(s, "\t", strings.Repeat(" ", tabCells))
	s = unturned.Get().Replace(s)
	if c.opts.Styles.Paste == nil || len(c.pastes.names) == 0 {
		return s
	}
	return placeholder.Get().ReplaceAllStringFunc(s, c.opts.Styles.Paste)
}

// unturned takes out the marks that turn the direction of text: they have no
// cells, and would mix up the row in a terminal that obeys them. What is sent
// keeps them.
var unturned = lazy.Value[*strings.Replacer]{Of: func() *strings.Replacer {
	return strings.NewReplacer("\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "",
		"\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "")
}}

func paint(f func(string) string, s string) string {
	if f == nil {
		return s
	}
	return f(s)
}
