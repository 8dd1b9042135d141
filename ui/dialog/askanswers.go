package dialog

import (
	"strings"

	"forge/tools"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// What a question offers as answers: how it names them, with which keys, and in how many rows.

// once is what y does now, in a word where there is no room for more.
func (d *Ask) once(small bool) string {
	switch {
	case d.review != nil && !d.review.ready():
		return lang.T("working out the changes")
	case !d.ready() && d.review != nil:
		if n, _ := d.review.clashes(); n > 0 {
			return d.review.label()
		}
		n, _ := d.review.unseen()
		if small {
			return lang.T("read on")
		}
		return lang.T("read on, %s not shown · %s: %s", lang.Count(n, "1 hunk", "%d hunks"), d.bound.First(keymap.ReviewAll), d.review.label())
	case !d.ready():
		return lang.T("scroll to the end first")
	case d.review != nil:
		return d.review.label()
	}
	return lang.T("allow once")
}

// grants is what s would store, wrapped; nil where it is not offered. It is shown
// whole or not at all: a grant nobody read is no consent.
func (d *Ask) grants(width, height int) []string {
	var texts []string
	for _, g := range d.r.Grants {
		texts = append(texts, safe.Prompt(lang.Grant(g.Text)))
	}
	if d.granted = false; len(texts) == 0 || d.review != nil && !d.review.untouched() {
		return nil // a yes to some hunks says nothing of others
	}
	lines := safe.Wrap(lang.T("allow for this session: %s", strings.Join(texts, lang.T("; "))), max(4, width-6))
	d.granted = len(lines) <= max(1, height/4)
	if !d.granted {
		return []string{lang.T("what it would store does not fit here: enlarge the window")}
	}
	return lines
}

// rules is what p would store, wrapped; nil where it is not offered. It is shown
// whole or not at all, as grants are.
func (d *Ask) rules(width, height int) []string {
	d.ruled = false
	if len(d.r.Rules) == 0 || !d.granted {
		return nil
	}
	var texts []string
	for _, r := range d.r.Rules {
		texts = append(texts, safe.Prompt(r))
	}
	lines := safe.Wrap(lang.T("always allow, as a rule in %s: %s", safe.Prompt(d.r.StoredIn), strings.Join(texts, lang.T("; "))), max(4, width-6))
	room := max(2, height/4)
	if d.review != nil { // the rows are the diff's
		room = max(1, height/9)
	}
	if d.ruled = len(lines) <= room; !d.ruled {
		return nil
	}
	return lines
}

// keys is choices for a small frame: all on as few rows as they need.
func (d *Ask) keys(width, height int, armed bool) []string {
	t := d.theme
	var rows []string
	lines := d.grants(width, height)
	if d.review != nil && len(lines) > 1 { // the rows are the diff's
		d.granted = false
	}
	if d.granted {
		rows = append(rows, choice(t, d.bound.First(keymap.AskSession), lines[0], width, armed && d.ready()))
		for _, l := range lines[1:] {
			rows = append(rows, "      "+l)
		}
	}
	d.ruled = false // no room for a text that is to be read with care
	rows = append(rows, d.noteRows(width)...)
	style := t.Key
	if !armed {
		style = t.Faint
	}
	all := [][2]string{{d.bound.First(keymap.AskOnce), d.once(true)}, {d.bound.First(keymap.AskDeny), lang.T("deny")},
		{d.bound.First(keymap.AskInstead), lang.T("say why")}}
	if !d.beneath {
		all = append(all, [2]string{d.bound.First(keymap.AskStop), lang.T("stop")})
	}
	if d.review != nil {
		all = append(all, [2]string{d.bound.First(keymap.ReviewDrop), lang.T("drop")})
		if len(d.review.files) > 1 {
			all = append(all, [2]string{d.bound.First(keymap.ReviewFiles), lang.T("list")})
		}
		all = append(all, [2]string{d.bound.First(keymap.ReviewHelp), lang.T("keys")})
	}
	row, used := "", 0
	for _, k := range all {
		w := 3 + safe.Width(k[0]) + safe.Width(k[1])
		if used > 0 && used+w > width {
			rows = append(rows, cut(row, width))
			row, used = "", 0
		}
		row += "  " + style.Apply(k[0]) + " " + k[1]
		used += w
	}
	return append(rows, cut(row, width))
}

// noteRows is what goes to the model with the answer, and what the review has to
// say.
func (d *Ask) noteRows(width int) (rows []string) {
	if d.review != nil && d.review.note != "" {
		rows = append(rows, d.theme.Warn.Apply(cut("  "+safe.Line(d.review.note), width)))
	}
	if d.note != "" {
		rows = append(rows, cut("  "+d.theme.Muted.Apply(lang.T("with the answer:"))+" "+safe.Line(d.note), width))
	}
	return rows
}

func (d *Ask) choices(width, height int, armed bool) []string {
	t := d.theme
	var rows []string
	if facts := d.facts(); len(facts) > 0 {
		for _, row := range safe.Wrap(strings.Join(facts, lang.T(" · ")), max(4, width-2)) {
			rows = append(rows, "  "+t.Muted.Apply(row))
		}
	}
	rows = append(rows, d.noteRows(width)...)
	mark := func(n int, a keymap.Action) { d.answers.mark(t, rows, n, string(a), width) }
	rows = append(rows, choice(t, d.bound.First(keymap.AskOnce), d.once(false), width, armed && d.ready()))
	mark(1, keymap.AskOnce)
	if lines := d.grants(width, height); len(lines) > 0 {
		rows = append(rows, choice(t, d.bound.First(keymap.AskSession), lines[0], width, armed && d.ready() && d.granted))
		for _, l := range lines[1:] {
			rows = append(rows, "      "+l)
		}
		mark(len(lines), keymap.AskSession)
	}
	if lines := d.rules(width, height); len(lines) > 0 {
		rows = append(rows, choice(t, d.bound.First(keymap.AskRule), lines[0], width, armed && d.ready()))
		for _, l := range lines[1:] {
			rows = append(rows, "      "+l)
		}
		mark(len(lines), keymap.AskRule)
	}
	if d.review != nil || d.tight { // the rows are the diff's, or the command's
		style := t.Key
		if !armed {
			style = t.Faint
		}
		deny := lang.T("deny") + "   " + style.Apply(d.bound.First(keymap.AskInstead)) + " " + lang.T("deny and say what to do instead")
		rows = append(rows, choice(t, d.bound.First(keymap.AskDeny), deny, width, armed))
		mark(1, keymap.AskDeny)
	} else {
		rows = append(rows, choice(t, d.bound.First(keymap.AskDeny), lang.T("deny"), width, armed))
		mark(1, keymap.AskDeny)
		rows = append(rows, choice(t, d.bound.First(keymap.AskInstead), lang.T("deny and say what to do instead"), width, armed))
		mark(1, keymap.AskInstead)
	}
	help := d.bound.Named(lang.T("esc deny and stop · c comment"), keymap.AskStop, keymap.AskNote)
	if d.beneath {
		help = d.bound.Named(lang.T("esc out of the view above · c comment"), keymap.AskStop, keymap.AskNote)
	}
	if d.review != nil {
		d.review.abroad.editor = ""
		if d.EditorName != nil {
			d.review.abroad.editor = d.EditorName()
		}
		help = d.review.hints(width-2, d.beneath)
	}
	if d.answers.hint != "" {
		help = d.answers.hint
	}
	return append(rows, t.Faint.Apply(cut("  "+help, width)))
}

// besides says whether what else there is to know of a command is shown beside it: of one
// that asks for less of the sandbox its risk says it.
func besides(e tools.Effect) bool { return e.Kind == tools.Exec && e.Escape == tools.Confined }
