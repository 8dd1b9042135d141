package composer

import tea "charm.land/bubbletea/v2"

// Copied is the message of text that was copied or cut; the screen puts it on the
// clipboard.
type Copied struct{ Text string }

// selected returns what is selected, from before to.
func (e *editor) selected() (from, to int, ok bool) {
	if !e.selecting {
		return 0, 0, false
	}
	return min(e.anchor, e.cur), max(e.anchor, e.cur), true
}

// extend moves the cursor and takes what it passes into the selection.
func (e *editor) extend(to int) {
	if !e.selecting {
		e.anchor = e.cur
	}
	e.cur, e.last = to, ""
	e.selecting = e.cur != e.anchor
}

func (e *editor) selectAll() {
	e.anchor, e.cur, e.last = 0, len(e.text), ""
	e.selecting = e.text != ""
}

// Deselect gives the selection up, and reports whether there was one.
func (c *Composer) Deselect() bool {
	had := c.ed.selecting
	c.ed.selecting = false
	return had
}

// Selection is the text that is selected, pastes in full.
func (c *Composer) Selection() string {
	from, to, _ := c.marked()
	return c.pastes.expand(c.ed.text[from:to])
}

// copied hands what is selected to the clipboard; cut takes it out too.
func (c *Composer) copied(cut bool) tea.Cmd {
	text := c.Selection()
	if text == "" {
		return nil
	}
	if cut {
		c.ed.cut(0, 0)
	}
	return func() tea.Msg { return Copied{text} }
}

// erase takes out what is selected, or else what is between two offsets.
func (c *Composer) erase(from, to int) {
	if a, b, ok := c.ed.selected(); ok {
		from, to = a, b
	}
	c.ed.erase(from, to, "erase")
}
