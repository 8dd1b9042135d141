package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/lazy"
	"forge/ui/keymap"
)

// key takes one key press: a key of the menu, one that does something, or text.
func (c *Composer) key(k tea.KeyPressMsg) tea.Cmd {
	s := k.String()
	if c.menu.open() {
		if do := menuActs.Get()[c.opts.Keys.Action(keymap.Menu, s)]; do != nil {
			return do(c)
		}
	}
	if c.vimKey(s) {
		return c.vimDo()
	}
	if a := c.opts.Keys.Action(keymap.Prompt, s); a != "" {
		return c.Do(a)
	}
	if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
		return c.vimLeft(s)
	}
	text := clean(k.Text)
	if c.vimEscape(text) {
		return c.vimDo()
	}
	c.joinLines(text)
	if strings.TrimSpace(text) == "" {
		c.ed.snapshot("blank") // a word is an undo step
		c.ed.last = ""
	} else {
		c.ed.snapshot("type")
	}
	c.ed.insert(text)
	c.closeEmoji(text)
	return c.complete()
}

// Do does what an action of keymap.Prompt says; others do nothing.
func (c *Composer) Do(a keymap.Action) tea.Cmd {
	do := acts.Get()[a]
	if do == nil {
		return nil
	}
	cmd, over := do(c)
	c.settle()
	if over {
		return cmd
	}
	return tea.Batch(cmd, c.complete())
}

// edits is an action that changes the text or moves in it; the menu of completions
// follows.
func edits(do func(c *Composer, e *editor)) func(*Composer) (tea.Cmd, bool) {
	return func(c *Composer) (tea.Cmd, bool) { do(c, &c.ed); return nil, false }
}

// acts is what each action of the prompt does. over says that nothing is to be
// completed behind it.
var acts = lazy.Value[map[keymap.Action]func(*Composer) (cmd tea.Cmd, over bool)]{Of: func() map[keymap.Action]func(*Composer) (cmd tea.Cmd, over bool) {
	return map[keymap.Action]func(*Composer) (cmd tea.Cmd, over bool){
		keymap.Send:     (*Composer).send,
		keymap.Complete: (*Composer).tab,
		keymap.Newline:  edits(func(c *Composer, e *editor) { e.snapshot("newline"); e.insert("\n") }),
		keymap.Expand:   edits(func(c *Composer, _ *editor) { c.unfold() }),

		keymap.Left:      edits(func(_ *Composer, e *editor) { e.left() }),
		keymap.Right:     edits(func(_ *Composer, e *editor) { e.right() }),
		keymap.Up:        edits(func(c *Composer, _ *editor) { c.vertical(-1) }),
		keymap.Down:      edits(func(c *Composer, _ *editor) { c.vertical(1) }),
		keymap.WordLeft:  edits(func(_ *Composer, e *editor) { e.move(e.wordLeft()) }),
		keymap.WordRight: edits(func(_ *Composer, e *editor) { e.move(e.wordRight()) }),
		keymap.LineStart: edits(func(_ *Composer, e *editor) { e.move(e.lineStart()) }),
		keymap.LineEnd:   edits(func(_ *Composer, e *editor) { e.move(e.lineEnd()) }),
		keymap.TextStart: edits(func(_ *Composer, e *editor) { e.move(0) }),
		keymap.TextEnd:   edits(func(_ *Composer, e *editor) { e.move(len(e.text)) }),

		keymap.EraseLeft:    edits(func(c *Composer, e *editor) { c.erase(e.prev(e.cur), e.cur) }),
		keymap.EraseRight:   edits(func(c *Composer, e *editor) { c.erase(e.cur, e.next(e.cur)) }),
		keymap.CutStart:     edits(func(_ *Composer, e *editor) { e.cut(e.lineStart(), e.cur) }),
		keymap.CutEnd:       edits(func(_ *Composer, e *editor) { e.cut(e.cur, e.restOfLine()) }),
		keymap.CutBlank:     edits(func(_ *Composer, e *editor) { e.cut(e.blankLeft(), e.cur) }),
		keymap.CutWordLeft:  edits(func(_ *Composer, e *editor) { e.cut(e.wordLeft(), e.cur) }),
		keymap.CutWordRight: edits(func(_ *Composer, e *editor) { e.cut(e.cur, e.wordRight()) }),
		keymap.Yank:         edits(func(c *Composer, e *editor) { e.yank(c.folded) }),
		keymap.YankEarlier:  edits(func(c *Composer, e *editor) { e.yankEarlier(c.folded) }),
		keymap.Undo:         edits(func(_ *Composer, e *editor) { e.undo() }),
		keymap.Redo:         edits(func(_ *Composer, e *editor) { e.redo() }),

		keymap.SelectLeft:      edits(func(_ *Composer, e *editor) { e.extend(e.prev(e.cur)) }),
		keymap.SelectRight:     edits(func(_ *Composer, e *editor) { e.extend(e.next(e.cur)) }),
		keymap.SelectUp:        edits(func(c *Composer, _ *editor) { c.extendRow(-1) }),
		keymap.SelectDown:      edits(func(c *Composer, _ *editor) { c.extendRow(1) }),
		keymap.SelectWordLeft:  edits(func(_ *Composer, e *editor) { e.extend(e.wordLeft()) }),
		keymap.SelectWordRight: edits(func(_ *Composer, e *editor) { e.extend(e.wordRight()) }),
		keymap.SelectLineStart: edits(func(_ *Composer, e *editor) { e.extend(e.lineStart()) }),
		keymap.SelectLineEnd:   edits(func(_ *Composer, e *editor) { e.extend(e.lineEnd()) }),
		keymap.SelectTextStart: edits(func(_ *Composer, e *editor) { e.extend(0) }),
		keymap.SelectTextEnd:   edits(func(_ *Composer, e *editor) { e.extend(len(e.text)) }),
		keymap.SelectAll:       edits(func(_ *Composer, e *editor) { e.selectAll() }),
		keymap.Copy:            func(c *Composer) (tea.Cmd, bool) { return c.copied(false), true },
		keymap.Cut:             func(c *Composer) (tea.Cmd, bool) { return c.copied(true), false },
	}
}}

// send sends, ends a line behind a backslash, or, in an editor for a file, ends the
// line and keeps its indentation.
func (c *Composer) send() (cmd tea.Cmd, over bool) {
	e := &c.ed
	switch {
	case c.opts.Plain:
		line := e.text[e.lineStart():e.cur]
		e.snapshot("newline")
		e.insert("\n" + line[:len(line)-len(strings.TrimLeft(line, " \t"))])
	case !e.selecting && strings.HasSuffix(e.text[:e.cur], `\`):
		e.erase(e.cur-1, e.cur, "newline")
		e.insert("\n")
	default:
		return c.submit(), true
	}
	return nil, true
}

// tab completes, also what Esc closed the menu for, or in an editor for a file writes
// one.
func (c *Composer) tab() (cmd tea.Cmd, over bool) {
	if c.opts.Plain {
		c.ed.snapshot("blank")
		c.ed.insert("\t")
		return nil, true
	}
	if c.Shell() {
		return c.completePath(), true
	}
	c.menu.shut = ""
	c.menu.due = c.menu.old // keys that come together leave no time to look
	return nil, c.menu.due
}

// menuActs is what the keys of the menu do: it has the first claim on them.
var menuActs = lazy.Value[map[keymap.Action]func(*Composer) tea.Cmd]{Of: func() map[keymap.Action]func(*Composer) tea.Cmd {
	return map[keymap.Action]func(*Composer) tea.Cmd{
		keymap.MenuUp:   func(c *Composer) tea.Cmd { c.menu.step(-1); return nil },
		keymap.MenuDown: func(c *Composer) tea.Cmd { c.menu.step(1); return nil },
		keymap.MenuTake: func(c *Composer) tea.Cmd {
			if c.menu.foreign() {
				c.menu.due = true // what fits is on its way
				return nil
			}
			return c.take()
		},
		keymap.MenuRun: func(c *Composer) tea.Cmd {
			if c.menu.named() || c.menu.foreign() || c.menu.unchosen() {
				c.menu.close()
				return c.submit()
			}
			if c.menu.kind == files || c.menu.kind == emojis || c.menu.kind == paths || c.menu.items[c.menu.at].open {
				c.accept()
				return c.complete()
			}
			// A whole command that was typed out runs as it stands; one that was only
			// begun is completed first, and both are sent.
			c.accept()
			return c.submit()
		},
		keymap.MenuClose: func(c *Composer) tea.Cmd {
			c.menu.shut = c.ed.text[:c.ed.cur]
			c.menu.close()
			return nil
		},
	}
}}

// vertical moves between rows; at the edge it walks the history, if there is one.
func (c *Composer) vertical(by int) {
	if c.row(by, c.ed.move) || c.opts.Plain {
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
	c.history, c.menu.shut = at, c.ed.text // a menu would take the keys that go on through it
}

// extendRow selects to the row before or after; at the edge to the end of the text.
func (c *Composer) extendRow(by int) {
	switch {
	case c.row(by, c.ed.extend):
	case by < 0:
		c.ed.extend(0)
	default:
		c.ed.extend(len(c.ed.text))
	}
}

// row goes to the row before or after, to the column that such moves began in, and
// reports whether there is one.
func (c *Composer) row(by int, to func(int)) bool {
	e := &c.ed
	l := c.layout()
	at, col := l.locate(e.cur)
	if e.last != "row" {
		e.goal = col
	}
	at += by
	if at < 0 || at >= len(l.rows) {
		return false
	}
	to(l.offset(e, at, e.goal))
	e.last = "row"
	return true
}
