package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/safe"
	"forge/ui/theme"
)

// line is one row in which a few words are written: what is looked for, the name of
// a file. It stands beneath what is read and takes every key while it is open.
type line struct {
	label string
	text  string
	typed func(string) tea.Cmd // after every change; may be nil
	done  func(string) tea.Cmd // enter
	left  func()               // esc; may be nil
}

// key takes a key and says whether the line is still open.
func (l *line) key(keys *keymap.Map, k tea.KeyPressMsg) (cmd tea.Cmd, open bool) {
	was := l.text
	switch keys.Action(keymap.Line, k.String()) {
	case keymap.LineDone:
		return l.done(l.text), false
	case keymap.LineClose:
		if l.left != nil {
			l.left()
		}
		return nil, false
	case keymap.LineErase:
		if l.text == "" {
			return nil, false
		}
		_, n := utf8.DecodeLastRuneInString(l.text)
		l.text = l.text[:len(l.text)-n]
	case keymap.LineClear:
		l.text = ""
	default:
		l.text += oneRow(k.Text)
	}
	return l.changed(was), true
}

// paste takes text from the clipboard: one line of it.
func (l *line) paste(text string) tea.Cmd {
	was := l.text
	l.text += oneRow(text)
	return l.changed(was)
}

// oneRow is text without what a row cannot hold; its blanks stay.
func oneRow(s string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(safe.Output(s))
}

func (l *line) changed(was string) tea.Cmd {
	if l.typed == nil || l.text == was {
		return nil
	}
	return l.typed(l.text)
}

// view is the row and the column of the caret. note stands at its end.
func (l *line) view(th *theme.Theme, w int, note string) (row string, x int) {
	room := max(1, w-safe.Width(l.label)-safe.Width(note)-3)
	text := safe.TruncateLeft(l.text, room, th.Glyphs.Ellipsis)
	x = safe.Width(l.label) + safe.Width(text)
	gap := safe.Blanks(max(1, w-x-safe.Width(note)-1))
	return th.Accent.Apply(l.label) + th.Text.Apply(text) + gap + th.Muted.Apply(note), min(x, max(0, w-1))
}
