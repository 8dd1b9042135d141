package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/tools/diff"
	"forge/ui/dialog"
	"forge/ui/lang"
)

// Takeback is what taking changes back, or bringing them again, would do now.
type Takeback struct {
	Label string    // the prompt whose changes they are
	When  time.Time // of the last one
	Redo  bool
	Turns int // model turns that changed something
	Files []TakebackFile
	// Apply does it, and tells what it changed and what stays as it is. Its error says
	// that nothing was changed. It is called between runs, off the loop.
	Apply func() (changed, kept []TakebackFile, err error)
}

// TakebackDo is what becomes of a file.
type TakebackDo string

// What becomes of files.
const (
	TakebackRestore TakebackDo = "restore"
	TakebackRemove  TakebackDo = "remove"
	TakebackMerge   TakebackDo = "merge" // later edits are kept
	TakebackMode    TakebackDo = "mode"
	TakebackKeep    TakebackDo = "keep" // it stays as it is: Why
)

// TakebackFile is one path of a Takeback. Hunks are what would change in it; of one
// that stays because of a conflict, what it was to be.
type TakebackFile struct {
	Path  string
	Do    TakebackDo
	Dir   bool
	Why   string
	Hunks []diff.Hunk
}

// Said is a line of what was done.
func (t Takeback) Said(changed, kept []TakebackFile) string {
	text := lang.T("took back the changes to %s", listed(changed))
	if t.Redo {
		text = lang.T("brought the changes to %s again", listed(changed))
	}
	if len(kept) > 0 {
		text += lang.T("; as they are stay %s", listed(kept))
	}
	return text
}

// listed names the first of some files.
func listed(files []TakebackFile) string {
	var names []string
	for _, f := range files {
		if !f.Dir || len(files) == 1 {
			names = append(names, f.Path)
		}
	}
	if len(names) == 0 && len(files) > 0 {
		names = append(names, files[0].Path)
	}
	more := ""
	if n := len(names); n > 3 {
		names, more = names[:3], lang.T(" and %d more", n-3)
	}
	return strings.Join(names, ", ") + more
}

// Messages of taking back.
type (
	takebackMsg struct {
		t     *Takeback
		redo  bool
		after func() tea.Cmd // what follows once it was done; nil: nothing
	}
	tookBack struct {
		t             *Takeback
		changed, kept []TakebackFile
		after         func() tea.Cmd
	}
	rewindMsg struct {
		to Earlier
		t  *Takeback // nil: no file was changed since
	}
)

func (m *Model) cmdUndo(arg string) tea.Cmd {
	switch {
	case arg == "":
		return m.planTakeback("")
	case strings.HasPrefix("turn", arg):
		return m.planTakeback("turn")
	}
	return m.say(lang.T("/undo takes back what the last prompt changed, /undo turn its last step; /rewind goes further"))
}

func completeUndo(_ *Model, prefix string) []string { return beginning([]string{"turn"}, prefix) }

func (m *Model) cmdRedo(string) tea.Cmd { return m.planTakeback("redo") }

func (m *Model) cmdRewind(string) tea.Cmd { return m.rewind() }

// planTakeback finds out what would be done, and shows it.
func (m *Model) planTakeback(what string) tea.Cmd {
	plan := m.o.Undo
	if plan == nil {
		return m.say(lang.T("changes cannot be taken back here"))
	}
	return m.between(func() tea.Msg {
		t, err := plan(what)
		if err != nil {
			return failed{what, err}
		}
		return takebackMsg{t: t, redo: what == "redo"}
	})
}

// askTakeback shows what would be done. Nothing is done without a yes.
func (m *Model) askTakeback(msg takebackMsg) tea.Cmd {
	switch {
	case m.busy():
		return nil // a prompt was sent in the meantime
	case msg.t == nil && msg.redo:
		return m.say(lang.T("there is nothing to bring again"))
	case msg.t == nil:
		return m.say(lang.T("no file was changed in this conversation that could be taken back"))
	}
	t := msg.t
	d := dialog.NewTakeback(m.th, takebackTitle(t, m.now), t.Redo, takebackRows(t), func() tea.Cmd {
		return m.between(func() tea.Msg {
			changed, kept, err := t.Apply()
			if err != nil {
				return failed{"", err}
			}
			return tookBack{t, changed, kept, msg.after}
		})
	})
	if t.Turns > 1 && !t.Redo && msg.after == nil {
		d.Less = func() tea.Cmd { return m.planTakeback("turn") }
	}
	return m.dialogs.Push(d)
}

func takebackTitle(t *Takeback, now time.Time) string {
	label := t.Label
	if label == "" {
		label = lang.T("(no prompt)")
	}
	if t.Redo {
		return lang.T("Bring again: %s", label)
	}
	return lang.T("Take back (%s): %s", ago(now.Sub(t.When)), label)
}

func takebackRows(t *Takeback) []dialog.TakebackRow {
	rows := make([]dialog.TakebackRow, 0, len(t.Files))
	for _, f := range t.Files {
		r := dialog.TakebackRow{Path: f.Path, Hunks: f.Hunks, Kept: f.Do == TakebackKeep, Merged: f.Do == TakebackMerge}
		if f.Dir {
			r.Path += "/"
		}
		added, removed := diff.Stats(f.Hunks)
		switch f.Do {
		case TakebackRestore:
			r.What = lang.T("will be restored")
		case TakebackRemove:
			r.What = lang.T("will be removed")
		case TakebackMerge:
			r.What = lang.T("will be restored, your later edits are kept")
		case TakebackMode:
			r.What = lang.T("permissions will be restored")
		case TakebackKeep:
			r.What = lang.T("stays as it is: %s", lang.Said(f.Why))
		}
		if len(f.Hunks) > 0 && !r.Kept {
			r.What += " " + lang.T("+%d −%d", added, removed)
		}
		rows = append(rows, r)
	}
	return rows
}

// tellTookBack tells what was done.
func (m *Model) tellTookBack(d tookBack) tea.Cmd {
	if len(d.changed) == 0 {
		return m.say(lang.T("nothing was changed: %s stays as it is", listed(d.kept)))
	}
	m.tr.add(newNotice(d.t.Said(d.changed, d.kept)))
	m.tr.toEnd()
	next := m.say(lang.T("/redo brings them again"))
	if d.t.Redo {
		next = m.say(lang.T("/undo takes them back"))
	}
	if d.after != nil {
		return tea.Batch(next, d.after())
	}
	return next
}
