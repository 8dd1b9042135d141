package dialog

import (
	"bytes"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/diff"
	"forge/ui/composer"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Open asks the screen to let the person's own editor have a text. Back makes the
// message that brings what the editor left; err says why there is nothing.
type Open struct {
	Path string // the file the text is from or of, for the editor's syntax
	Text []byte
	Back func(text []byte, err error) tea.Msg
}

// reworked carries a file that was compared anew to the review it is for.
type reworked struct {
	to   *review
	file int
	as   reviewFile
	err  error
	away bool // an editor had the terminal
}

// toMany marks messages that may be for a dialog that still waits.
func (reviewed) toMany() bool   { return false }
func (m reworked) toMany() bool { return m.away }

// rework makes a file anew off the loop.
func (r *review) rework(file int, make func(reviewFile) (reviewFile, error)) tea.Cmd {
	f := r.files[file]
	r.busy++
	return func() tea.Msg {
		as, err := make(f)
		as.moved = f.moved
		return reworked{to: r, file: file, as: as, err: err}
	}
}

// Editing here is for a few lines: what is longer, or holds what an editor of text
// would lose, goes to the person's own.
const (
	editLines = 1000
	editBytes = 64 << 10
)

const bom = "\ufeff"

// hunkEdit is a hunk being edited in place.
type hunkEdit struct {
	file, hunk int
	was        string // the text as it was handed over
	comp       *composer.Composer
	sure       bool // esc was pressed once: the next one throws the edit away
}

// text is what was typed, its last line ended: that end is not shown.
func (e *hunkEdit) text() []byte {
	if e.comp.Empty() {
		return nil // all of it is gone
	}
	return []byte(e.comp.Value() + "\n")
}

// startEdit opens the small editor on what a hunk leaves.
func (r *review) startEdit(file, hunk int) {
	f := &r.files[file]
	r.note = ""
	text := f.leaves(hunk)
	shown := strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), bom), "\n")
	switch {
	case f.change.Op == tools.Delete, f.change.Op == tools.Move:
		r.note = lang.T("what goes or moves cannot be edited: keep that or drop it")
		return
	case len(shown) > editBytes || strings.Count(shown, "\n") > editLines:
		r.note = r.bound.Named(lang.T("this is too long to edit here: o opens it in your editor"), keymap.ReviewEditor)
		return
	case !composer.Editable(shown) || safe.Suspicious(shown):
		r.note = r.bound.Named(lang.T("this holds characters that cannot be edited here: o opens it in your editor"), keymap.ReviewEditor)
		return
	}
	e := &hunkEdit{file: file, hunk: hunk, was: shown, comp: composer.New(composer.Options{Plain: true, Glyph: " ", Keys: r.bound})}
	e.comp.SetValue(shown)
	e.comp.Seek(f.firstChange(hunk))
	r.edit = e
}

// leaves is the text of a hunk after the change; of a file without one, all of it.
func (f *reviewFile) leaves(hunk int) []byte {
	if hunk >= len(f.hunks) {
		return f.after
	}
	return f.hunks[hunk].After()
}

// firstChange is the offset of the first new line in the text that is edited.
func (f *reviewFile) firstChange(hunk int) (at int) {
	if hunk >= len(f.hunks) {
		return 0
	}
	for _, l := range f.hunks[hunk].Lines {
		if l.Op != diff.Equal {
			return at
		}
		at += len(strings.TrimPrefix(strings.ReplaceAll(l.Text, "\r\n", "\n"), bom))
	}
	return at
}

// editKey takes a key of the small editor.
func (r *review) editKey(k tea.KeyPressMsg) tea.Cmd {
	e := r.edit
	sure := e.sure
	e.sure = false
	switch r.bound.Action(keymap.Hunk, k.String()) {
	case keymap.HunkTake:
		r.edit = nil
		if e.comp.Value() == e.was {
			return nil
		}
		return r.edited(e.file, e.hunk, e.text())
	case keymap.HunkLeave:
		if sure || e.comp.Value() == e.was {
			r.edit = nil
		} else {
			e.sure = true
		}
	case keymap.HunkEditor:
		r.edit = nil
		return r.openText(e.file, e.hunk, e.text())
	default:
		return e.comp.Update(k)
	}
	return nil
}

// edited puts a text of the person's own in place of what a hunk leaves, in the
// line ends that stood there.
func (r *review) edited(file, hunk int, text []byte) tea.Cmd {
	return r.rework(file, func(f reviewFile) (reviewFile, error) {
		return f.rewrite(hunk, diff.LikeBefore(f.leaves(hunk), text)), nil
	})
}

// settle takes one side of the conflicts in a hunk.
func (r *review) settle(file, hunk int, proposed bool) tea.Cmd {
	f := &r.files[file]
	if f.change.Conflicts == 0 || hunk >= len(f.hunks) || diff.Unsettled(f.hunks[hunk].After()) == 0 {
		return nil
	}
	return r.rework(file, func(f reviewFile) (reviewFile, error) {
		return f.rewrite(hunk, diff.Settle(f.hunks[hunk].After(), proposed)), nil
	})
}

// open lets the person's own editor have what a hunk leaves, or, with hunk -1, the
// whole file as it would be written now.
func (r *review) open(file, hunk int) tea.Cmd {
	f := &r.files[file]
	r.note = ""
	switch {
	case f.change.Op == tools.Delete, f.change.Op == tools.Move:
		r.note = lang.T("what goes or moves cannot be edited: keep that or drop it")
		return nil
	case hunk >= 0:
		return r.openText(file, hunk, f.leaves(hunk))
	}
	return r.openText(file, -1, f.kept())
}

func (r *review) openText(file, hunk int, text []byte) tea.Cmd {
	r.busy++
	f := r.files[file]
	back := func(now []byte, err error) tea.Msg {
		switch {
		case err != nil:
			return reworked{to: r, file: file, err: err, away: true}
		case hunk < 0 && bytes.Equal(now, text):
			return reworked{to: r, file: file, as: f, away: true}
		case hunk >= 0:
			return reworked{to: r, file: file, as: f.rewrite(hunk, diff.LikeBefore(f.leaves(hunk), now)), away: true}
		}
		known := diff.Hunks(f.before, newReviewFile(f.change).after)
		as := f.with(diff.LikeBefore(text, now), known)
		if _, err := as.coding.Encode(as.after); err != nil {
			return reworked{to: r, file: file, err: errors.New(lang.T("the editor's text cannot be written: %s", err)), away: true}
		}
		return reworked{to: r, file: file, as: as, away: true}
	}
	path := f.change.Path
	return func() tea.Msg { return Open{Path: path, Text: text, Back: back} }
}
