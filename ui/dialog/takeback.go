package dialog

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"forge/tools/diff"
	"forge/ui/diffview"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// TakebackRow is one path of a Takeback: what becomes of it, in words.
type TakebackRow struct {
	Path, What   string
	Kept, Merged bool
	Hunks        []diff.Hunk
}

// Takeback shows what taking changes back would do, and does it after a yes. Where
// files stay as they are, enter is no yes: the rest goes on only if the person says
// so with its key.
type Takeback struct {
	// Less offers to take back less: nil: there is no less.
	Less func() tea.Cmd

	bound *keymap.Map
	theme *theme.Theme
	title string
	redo  bool
	rows  []TakebackRow
	yes   func() tea.Cmd
	all   bool // diffs are shown
	top   int
	lines int // as last drawn
	room  int
}

// NewTakeback returns the dialog; yes is called once, if the person agrees.
func NewTakeback(t *theme.Theme, title string, redo bool, rows []TakebackRow, yes func() tea.Cmd) *Takeback {
	return &Takeback{theme: t, title: title, redo: redo, rows: rows, yes: yes}
}

// ID implements Dialog; it is never withdrawn.
func (d *Takeback) ID() string { return "" }

// Guarded implements Dialog: a person opened it, so keys are meant for it.
func (d *Takeback) Guarded() bool { return false }

// Cancel implements Dialog.
func (d *Takeback) Cancel() {}

func (d *Takeback) kept() (n int) {
	for _, r := range d.rows {
		if r.Kept {
			n++
		}
	}
	return n
}

// SetKeys changes which key does what.
func (d *Takeback) SetKeys(m *keymap.Map) { d.bound = m }

// Update implements Dialog.
func (d *Takeback) Update(msg tea.Msg) (cmd tea.Cmd, handled, done bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		_, paste := msg.(tea.PasteMsg)
		return nil, paste, false
	}
	kept := d.kept()
	switch a := d.bound.Action(keymap.Takeback, key.String()); a {
	case keymap.TakebackClose:
		return nil, true, true
	case keymap.TakebackSure, keymap.TakebackDo:
		if kept == len(d.rows) || kept > 0 && a == keymap.TakebackDo {
			return nil, true, false
		}
		return d.yes(), true, true
	case keymap.TakebackLess:
		if d.Less != nil {
			return d.Less(), true, true
		}
	case keymap.TakebackDiff:
		d.all, d.top = !d.all, 0
	case keymap.TakebackUp:
		d.top--
	case keymap.TakebackDown:
		d.top++
	case keymap.TakebackPageUp:
		d.top -= d.room
	case keymap.TakebackPageDown:
		d.top += d.room
	case keymap.TakebackTop:
		d.top = 0
	case keymap.TakebackEnd:
		d.top = d.lines
	}
	return nil, true, false
}

// View implements Dialog.
func (d *Takeback) View(width, height int, _ bool) Frame {
	t := d.theme
	f := Frame{Rows: []string{t.Title.Apply(cut(oneLine(d.title), width))}}
	var rows []string
	for _, r := range d.rows {
		mark, style := t.Glyphs.Ok, t.Text
		switch {
		case r.Kept:
			mark, style = t.Glyphs.Warn, t.Warn
		case r.Merged:
			mark = lang.T("±")
		}
		path := cut(mark+" "+oneLine(r.Path), max(1, width-2))
		line := "  " + style.Apply(path)
		if room := width - 4 - safe.Width(path); room > 12 || safe.Width(oneLine(r.What)) <= room {
			line += "  " + t.Muted.Apply(cut(oneLine(r.What), room))
			rows = append(rows, line)
		} else {
			rows = append(rows, line)
			for _, w := range safe.Wrap(oneLine(r.What), max(4, width-4)) {
				rows = append(rows, "    "+t.Muted.Apply(w))
			}
		}
		if d.all || r.Kept {
			v := diffview.New(r.Hunks, diffview.Options{Theme: t, Width: max(8, width-4)})
			for _, row := range v.Rows(0, v.Len()) {
				rows = append(rows, "    "+row)
			}
		}
	}
	keys := d.keys()
	d.room = max(1, height-2-len(keys))
	d.lines = len(rows)
	d.top = max(0, min(d.top, len(rows)-d.room))
	f.Rows = append(f.Rows, rows[d.top:min(len(rows), d.top+d.room)]...)
	for _, k := range keys {
		f.Rows = append(f.Rows, choice(t, k[0], k[1], width, true))
	}
	help := d.bound.Named(lang.T("d differences"), keymap.TakebackDiff)
	if len(rows) > d.room {
		help = fmt.Sprintf("%d-%d/%d"+d.bound.Named(lang.T(" · ↑↓ · "), keymap.TakebackUp, keymap.TakebackDown), d.top+1, min(len(rows), d.top+d.room), len(rows)) + help
	}
	f.Rows = append(f.Rows, t.Faint.Apply(cut("  "+help, width)))
	return f
}

// keys are the answers there are.
func (d *Takeback) keys() (out [][2]string) {
	kept := d.kept()
	switch {
	case kept == len(d.rows):
	case kept > 0 && d.redo:
		out = append(out, [2]string{d.bound.First(keymap.TakebackSure), lang.T("bring the others again; what is marked stays as it is")})
	case kept > 0:
		out = append(out, [2]string{d.bound.First(keymap.TakebackSure), lang.T("take the others back; what is marked stays as it is")})
	case d.redo:
		out = append(out, [2]string{d.bound.First(keymap.TakebackSure), lang.T("bring them again")})
	default:
		out = append(out, [2]string{d.bound.First(keymap.TakebackSure), lang.T("take them back")})
	}
	if d.Less != nil {
		out = append(out, [2]string{d.bound.First(keymap.TakebackLess), lang.T("only what the last step changed")})
	}
	return append(out, [2]string{d.bound.First(keymap.TakebackClose), lang.T("leave everything as it is")})
}
