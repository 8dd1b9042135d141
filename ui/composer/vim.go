package composer

import (
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"forge/ui/vim"
)

// modal is the keys of vi over the text, where the person wants them.
type modal struct {
	machine *vim.Vim // nil: off
	keep    int      // undo steps that stand when a change has been written to its end

	begun time.Time // when the first of the two characters of Options.VimEscape was typed
	at    int       // where that left the cursor
}

// escapeTime is how quickly the second of them follows: two of one letter in a word take
// a person longer where they are meant.
const escapeTime = 250 * time.Millisecond

// SetVimEscape changes the two characters that leave insert mode; empty: none do.
func (c *Composer) SetVimEscape(two string) { c.opts.VimEscape = two }

// vimEscape takes a character that is typed in insert mode. The first of the two is
// written as any other; the second, right behind it, takes it away and is Esc. Nothing
// waits for it.
func (c *Composer) vimEscape(text string) bool {
	first, size := utf8.DecodeRuneInString(c.opts.VimEscape)
	if mode, _ := c.Mode(); c.modal.machine == nil || mode != vim.Insert || size == 0 {
		return false
	}
	now, m, e := time.Now, &c.modal, &c.ed
	if c.opts.Now != nil {
		now = c.opts.Now
	}
	begun := m.begun
	m.begun = time.Time{}
	before := e.text[:min(e.cur, len(e.text))]
	if text == c.opts.VimEscape[size:] && !begun.IsZero() && now().Sub(begun) < escapeTime && e.cur == m.at && !e.selecting && strings.HasSuffix(before, string(first)) {
		e.text, e.cur = e.text[:e.cur-size]+e.text[e.cur:], e.cur-size
		return c.vimKey("esc")
	}
	if text == string(first) {
		m.begun, m.at = now(), e.cur+size
	}
	return false
}

// SetVim switches the keys of vi on or off; on, the composer begins in insert mode.
func (c *Composer) SetVim(on bool) {
	switch {
	case !on:
		c.modal = modal{}
	case c.modal.machine == nil:
		c.modal.machine = &vim.Vim{}
	}
}

// Vim reports whether the keys of vi are on.
func (c *Composer) Vim() bool { return c.modal.machine != nil }

// Mode is what keys mean while the keys of vi are on, and what was pressed of a
// command that is not whole yet. Without them it is insert mode.
func (c *Composer) Mode() (mode vim.Mode, pending string) {
	if c.modal.machine == nil {
		return vim.Insert, ""
	}
	return c.modal.machine.Mode(), c.modal.machine.Pending()
}

// Claims reports whether a key is the text's before it is the screen's: Esc while it
// ends insert mode, ctrl+r while it is redo.
func (c *Composer) Claims(key string) bool {
	return c.modal.machine != nil && !c.menu.open() && c.modal.machine.Claims(key)
}

// vimText is the text as the machine sees it.
func (c *Composer) vimText() vim.Text {
	kept := ""
	if n := len(c.ed.ring.cuts); n > 0 {
		kept = c.ed.ring.cuts[n-1]
	}
	step := editor{}
	next := func(text string, at int) int { step.text = text; return step.next(at) }
	return vim.Text{Text: c.ed.text, Cur: c.ed.cur, Next: next, Kind: class, Kept: kept}
}

// vimKey takes a key of vi; false: it is one of the prompt's.
func (c *Composer) vimKey(key string) bool {
	v, e := c.modal.machine, &c.ed
	if v == nil || c.opts.Plain {
		return false
	}
	was := v.Mode()
	d := v.Key(key, c.vimText())
	if !d.Handled {
		return false
	}
	e.selecting = false
	if d.Changed {
		e.snapshot("vim")
		e.text = d.Text
	}
	if d.Changed || d.Undo == 0 && d.Rows == 0 {
		e.move(d.Cur)
	}
	if d.Cut != "" {
		e.keep(d.Cut, false, false)
	}
	for ; d.Undo > 0; d.Undo-- {
		e.undo()
	}
	for ; d.Undo < 0; d.Undo++ {
		e.redo()
	}
	for ; d.Rows < 0; d.Rows++ {
		c.vertical(-1)
	}
	for ; d.Rows > 0; d.Rows-- {
		c.vertical(1)
	}
	switch now := v.Mode(); {
	case now == vim.Insert && was != vim.Insert:
		if c.modal.keep = len(e.done); !d.Changed {
			c.modal.keep++ // that of the first letter
		}
	case now != vim.Insert && was == vim.Insert:
		// All that was written since is one step to undo.
		if c.modal.keep > 0 && len(e.done) > c.modal.keep {
			e.done = e.done[:c.modal.keep]
		}
	}
	c.settle()
	return true
}

// vimLeft takes a key with alt that means nothing: where it ends insert mode it is Esc
// and a key right behind it, which terminals send as the same bytes.
func (c *Composer) vimLeft(key string) tea.Cmd {
	rest, alt := strings.CutPrefix(key, "alt+")
	if mode, _ := c.Mode(); !alt || mode != vim.Insert || !c.vimKey("esc") {
		return nil
	}
	c.vimKey(rest)
	return c.vimDo()
}

// settle keeps the cursor of normal mode on a character.
func (c *Composer) settle() {
	if v := c.modal.machine; v != nil && v.Mode() == vim.Normal && !c.ed.selecting {
		c.ed.cur = v.Settle(c.vimText())
	}
}

// marked is what is selected, by the selecting keys or in a visual mode.
func (c *Composer) marked() (from, to int, ok bool) {
	if v := c.modal.machine; v != nil {
		if from, to, ok = v.Selected(c.vimText()); ok {
			return from, to, true
		}
	}
	return c.ed.selected()
}

// vimDo does what may follow a key of vi: the menu of completions is for writing.
func (c *Composer) vimDo() tea.Cmd {
	if c.modal.machine.Mode() == vim.Insert {
		return c.complete()
	}
	c.menu.close()
	return nil
}
