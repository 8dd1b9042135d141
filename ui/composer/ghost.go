package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
)

// ghost is a prompt that is offered while nothing is written: it stands where it would
// stand if it was, and is no text before it is taken.
type ghost struct{ text, hint string }

// ghostRows is how many rows an offer may take.
const ghostRows = 3

// SetGhost offers one line of text in the place of the placeholder; hint stands behind it,
// or in a row beneath, and says how it is taken. Empty: nothing is offered.
func (c *Composer) SetGhost(text, hint string) { c.ghost = ghost{text, hint} }

// Ghost is what is offered; empty: nothing.
func (c *Composer) Ghost() string { return c.ghost.text }

// TakeGhost makes the offer the text, with the cursor at its end. Undo empties it again.
func (c *Composer) TakeGhost() tea.Cmd {
	text := c.ghost.text
	c.ghost = ghost{}
	c.SetValue(text)
	c.settle()
	return nil
}

// ghostView draws the offer over the row of an empty prompt, laid out as the text will be.
func (c *Composer) ghostView(lead string, maxRows int) (rows []string) {
	width := c.width - gutter - 1
	l := wrap(&editor{text: c.ghost.text}, width)
	most := min(maxRows, ghostRows)
	for i, r := range l.rows[:min(len(l.rows), most)] {
		text := c.draw(l.text[r.from:r.to])
		last := i == min(len(l.rows), most)-1
		if last && len(l.rows) > most {
			for e := (&editor{text: text}); text != "" && cells(text) >= width; {
				text = text[:e.prev(len(text))]
			}
			text += lang.T("…")
		}
		row := lead + paint(c.opts.Styles.Placeholder, text)
		rows, lead = append(rows, row), strings.Repeat(" ", gutter)
		if note := c.ghost.hint; last && note != "" { // without it, some eyes would take it for a text
			switch note = "  " + note; {
			case cells(text)+cells(note) <= width:
				rows[i] += paint(c.opts.Styles.Muted, note)
			case len(rows) < maxRows && cells(note) <= c.width:
				rows = append(rows, paint(c.opts.Styles.Muted, note))
			}
		}
	}
	return rows
}
