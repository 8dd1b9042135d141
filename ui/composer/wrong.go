package composer

// SetWrong changes what says which pieces of the text look wrong, as offsets in their
// order, beside the caret; nil: nothing is marked. It is called for a frame and must
// not wait.
func (c *Composer) SetWrong(wrong func(text string, caret int) [][2]int) { c.opts.Wrong = wrong }

// Written is the text as it stands there, with placeholders for pastes and pictures, and
// the caret in it.
func (c *Composer) Written() (text string, caret int) { return c.ed.text, c.ed.cur }

// Replace puts other words in the place of a piece of the text. The caret stays where it
// was in what was written, or goes behind them.
func (c *Composer) Replace(from, to int, with string) {
	with = clean(with)
	if from < 0 || to < from || to > len(c.ed.text) {
		return
	}
	c.ed.snapshot("replace")
	cur := c.ed.cur
	switch {
	case cur >= to:
		cur += len(with) - (to - from)
	case cur > from:
		cur = from + len(with)
	}
	c.ed.text = c.ed.text[:from] + with + c.ed.text[to:]
	c.ed.cur, c.ed.selecting, c.ed.last = cur, false, ""
	c.menu.close()
}

// drawn draws a piece of the text, what looks wrong in it marked.
func (c *Composer) drawn(from, to int, wrong [][2]int) (out string) {
	for _, w := range wrong {
		a, b := max(w[0], from), min(w[1], to)
		if a >= b {
			continue
		}
		out += c.draw(c.ed.text[from:a]) + paint(c.opts.Styles.Wrong, c.draw(c.ed.text[a:b]))
		from = b
	}
	return out + c.draw(c.ed.text[from:to])
}

// wrong are the pieces that look wrong.
func (c *Composer) wrong() [][2]int {
	if c.opts.Wrong == nil || c.opts.Plain {
		return nil
	}
	return c.opts.Wrong(c.ed.text, c.ed.cur)
}
