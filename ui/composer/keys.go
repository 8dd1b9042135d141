package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// key takes one key press. Keys follow readline, with Enter to send and
// Ctrl+J, Shift+Enter, Alt+Enter or a trailing \ for a new line.
func (c *Composer) key(k tea.KeyPressMsg) tea.Cmd {
	if c.menu.open() {
		if cmd, done := c.menuKey(k.String()); done {
			return cmd
		}
	}
	e := &c.ed
	if c.opts.Plain {
		switch k.String() {
		case "enter":
			line := e.text[e.lineStart():e.cur]
			e.snapshot("newline")
			e.insert("\n" + line[:len(line)-len(strings.TrimLeft(line, " \t"))])
			return nil
		case "tab":
			e.snapshot("blank")
			e.insert("\t")
			return nil
		}
	}
	switch k.String() {
	case "enter":
		if before := e.text[:e.cur]; strings.HasSuffix(before, `\`) {
			e.erase(e.cur-1, e.cur, "newline")
			e.insert("\n")
			return nil
		}
		return c.submit()
	case "ctrl+j", "shift+enter", "alt+enter":
		e.snapshot("newline")
		e.insert("\n")
	case "backspace", "ctrl+h", "shift+backspace":
		e.erase(e.prev(e.cur), e.cur, "erase")
	case "delete", "ctrl+d":
		e.erase(e.cur, e.next(e.cur), "erase")
	case "left", "ctrl+b":
		e.left()
	case "right", "ctrl+f":
		e.right()
	case "alt+left", "ctrl+left", "alt+b":
		e.move(e.wordLeft())
	case "alt+right", "ctrl+right", "alt+f":
		e.move(e.wordRight())
	case "home", "ctrl+a":
		e.move(e.lineStart())
	case "end", "ctrl+e":
		e.move(e.lineEnd())
	case "ctrl+home":
		e.move(0)
	case "ctrl+end":
		e.move(len(e.text))
	case "up", "ctrl+p":
		c.vertical(-1)
	case "down", "ctrl+n":
		c.vertical(1)
	case "ctrl+u":
		e.cut(e.lineStart(), e.cur)
	case "ctrl+k":
		to := e.lineEnd()
		if to == e.cur && to < len(e.text) {
			to++ // at the end of a line, join the next
		}
		e.cut(e.cur, to)
	case "ctrl+w":
		e.cut(e.blankLeft(), e.cur)
	case "alt+backspace", "ctrl+backspace":
		e.cut(e.wordLeft(), e.cur)
	case "alt+d", "ctrl+delete", "alt+delete":
		e.cut(e.cur, e.wordRight())
	case "ctrl+y":
		if e.kill != "" {
			e.snapshot("yank")
			e.insert(e.kill)
		}
	case "ctrl+_", "ctrl+/", "ctrl+-":
		e.undo()
	case "alt+_", "alt+/":
		e.redo()
	case "ctrl+x": // reserved as a prefix by the screen
	case "alt+e":
		c.unfold()
	case "tab":
		return c.complete()
	default:
		if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
			return nil
		}
		text := clean(k.Text)
		if strings.TrimSpace(text) == "" {
			e.snapshot("blank") // a word is an undo step
			e.last = ""
		} else {
			e.snapshot("type")
		}
		e.insert(text)
	}
	return c.complete()
}

// menuKey gives the menu the first claim on its keys.
func (c *Composer) menuKey(key string) (cmd tea.Cmd, done bool) {
	switch key {
	case "up", "ctrl+p":
		c.menu.step(-1)
	case "down", "ctrl+n":
		c.menu.step(1)
	case "tab":
		c.accept()
		return c.complete(), true
	case "enter":
		if c.menu.kind == files || c.menu.items[c.menu.at].open {
			c.accept()
			return c.complete(), true
		}
		// A whole command that was typed out runs as it stands; one that was only
		// begun is completed first, and both are sent.
		c.accept()
		return c.submit(), true
	case "esc":
		c.menu.shut = c.ed.text[:c.ed.cur]
		c.menu.close()
	default:
		return nil, false
	}
	return nil, true
}

// vertical moves between rows; at the edge it walks the history, if there is one.
func (c *Composer) vertical(by int) {
	l := c.layout()
	row, col := l.locate(c.ed.cur)
	if to := row + by; to >= 0 && to < len(l.rows) {
		c.ed.move(l.offset(&c.ed, to, col))
		return
	}
	if c.opts.Plain {
		return
	}
	var s string
	var ok bool
	if by < 0 {
		s, ok = c.history.older(c.Draft())
	} else {
		s, ok = c.history.newer()
	}
	if !ok {
		return
	}
	at := c.history
	c.SetValue(s)
	c.history = at
}
