package composer

import tea "charm.land/bubbletea/v2"

// Point puts the cursor at a cell of the last View, counted from its first row and
// column. Beside the text it goes to the nearest place in it.
func (c *Composer) Point(row, col int) tea.Cmd {
	c.ed.move(c.cell(row, col))
	c.settle()
	return c.complete()
}

// cell is the offset nearest to a cell of the last View.
func (c *Composer) cell(row, col int) int {
	l := c.layout()
	at := max(0, min(c.first+row, len(l.rows)-1))
	col -= gutter
	if at == 0 && c.Shell() { // the ! stands where the glyph does
		col += len(shellSign)
	}
	return l.offset(&c.ed, at, max(0, col))
}

// MenuPoint takes the item in a row of MenuView.
func (c *Composer) MenuPoint(row int) tea.Cmd {
	at := c.menu.first() + row
	if !c.menu.open() || row < 0 || row >= menuRows || at >= len(c.menu.items) {
		return nil
	}
	c.menu.at = at
	c.accept()
	return c.complete()
}

// first is the item in the first row that is shown.
func (m *menu) first() int { return min(max(0, m.at-menuRows/2), max(0, len(m.items)-menuRows)) }
