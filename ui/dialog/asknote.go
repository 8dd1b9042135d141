package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
)

// What the person writes beside an answer: why not, or a word to the model.

// writing is what the person writes beside the answer.
type writing int

const (
	nothing writing = iota
	refusal         // why not: enter denies
	remark          // a word to the model: enter keeps it, y or n sends it
)

// words implements Stack.Words.
func (d *Ask) words() string {
	if d.writing != nothing {
		return d.comment.Draft()
	}
	return d.note
}

// remark is the note with the place it is about, as the model reads it.
func (d *Ask) remark() string {
	if d.note == "" || d.about == "" {
		return d.note
	}
	return d.note + " (" + d.about + ")"
}

// write opens the line for words to the model.
func (d *Ask) write(what writing) {
	d.writing = what
	hint := lang.T("what should it do instead?")
	if what == remark {
		hint = lang.T("goes along with your yes or no")
	}
	d.comment.SetPlaceholder(hint)
	if d.comment.Value() != d.note {
		d.comment.SetValue(d.note)
	}
}

func (d *Ask) commentKey(k tea.KeyPressMsg) (cmd tea.Cmd, handled, done bool) {
	switch d.bound.Action(keymap.Note, k.String()) {
	case keymap.NoteClose:
		d.writing = nothing
		return nil, true, false
	case keymap.NoteDone:
		text := strings.TrimSpace(d.comment.Value())
		if d.writing == refusal {
			d.deny(text)
			return nil, true, true
		}
		d.note, d.writing = text, nothing
		return nil, true, false
	}
	d.comment.Update(k)
	return nil, true, false
}

// commentRows is the line for words to the model, and puts the cursor there.
func (d *Ask) commentRows(f *Frame, width int) []string {
	title, help := lang.T("no, and tell the model:"), d.bound.Named(lang.T("enter deny and send · esc back"), keymap.NoteDone, keymap.NoteClose)
	if d.writing == remark {
		title, help = lang.T("tell the model, with a yes or a no:"), d.bound.Named(lang.T("enter keep it for the answer · esc back"), keymap.NoteDone, keymap.NoteClose)
	}
	foot := []string{d.theme.Muted.Apply(cut("  "+title, width))}
	rows, x, y := d.comment.View(width-2, 4)
	f.X, f.Y, f.Cursor = x+2, y+len(foot), true
	for _, r := range rows {
		foot = append(foot, "  "+r)
	}
	return append(foot, d.theme.Faint.Apply(cut("  "+help, width)))
}
