package dialog

import (
	"fmt"
	"net/url"
	"strings"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// View implements Dialog.
func (d *Question) View(width, height int, armed bool) Frame {
	seen := d.seen
	f := d.view(width, height, armed)
	if !seen && d.seen { // its end has just been shown: the answers say so at once
		f = d.view(width, height, armed)
	}
	return f
}

func (d *Question) view(width, height int, armed bool) Frame {
	t := d.theme
	title := t.Glyphs.Warn + " " + safe.Prompt(d.q.Title)
	f := Frame{Rows: []string{t.Title.Apply(cut(title, width))}}
	var foot []string
	d.answers.rows = nil
	if d.form == nil {
		foot = d.choices(width, armed)
	}
	help := d.help()
	switch {
	case d.answers.hint != "":
		help = d.answers.hint
	case d.note != "":
		help = d.note
	}
	foot = append(foot, t.Faint.Apply(cut("  "+safe.Line(help), width)))
	room := max(1, height-1-len(foot))
	if d.form == nil {
		d.page = room
		f.Rows = append(append(f.Rows, d.window(d.body(width), width)...), foot...)
		d.answers.drawn(len(f.Rows), len(foot))
		return f
	}
	body := d.body(width)
	if most := max(1, room/2); len(body) > most { // the form matters more
		body = append(body[:most-1:most-1], t.Muted.Apply("  "+t.Glyphs.Ellipsis))
	}
	f.Rows = append(f.Rows, body...)
	rows, x, y := d.form.view(width, max(2, room-len(body)))
	f.X, f.Y, f.Cursor = x, y+len(f.Rows), y >= 0 && armed // before, what is typed is written elsewhere
	f.Rows = append(append(f.Rows, rows...), foot...)
	return f
}

// body is what is asked: the text, and the page it is about, whole.
func (d *Question) body(width int) []string {
	var rows []string
	if d.q.Body != "" {
		for _, row := range safe.Wrap(safe.Prompt(d.q.Body), max(4, width-2)) {
			rows = append(rows, "  "+row)
		}
	}
	if d.q.URL == "" {
		return rows
	}
	rows = append(rows, "")
	shown := safe.Prompt(d.q.URL)
	before, host, after := shown, "", ""
	if u, err := url.Parse(d.q.URL); err == nil && u.Host != "" {
		if at := strings.Index(shown, u.Host); at >= 0 { // where someone could be misled, it has no marker in it
			before, host, after = shown[:at], u.Host, shown[at+len(u.Host):]
		}
	}
	pos := 0
	for _, row := range safe.Chop(before+host+after, max(4, width-2)) {
		from, to := pos, pos+len(row)
		pos = to
		row = d.paint(row, from, len(before), len(before)+len(host))
		rows = append(rows, "  "+row)
	}
	return rows
}

// paint marks the part of a row that belongs to the host. row begins at from; the
// host is between a and b.
func (d *Question) paint(row string, from, a, b int) string {
	a, b = min(max(a-from, 0), len(row)), min(max(b-from, 0), len(row))
	if a >= b {
		return row
	}
	return row[:a] + d.theme.Warn.Apply(row[a:b]) + row[b:]
}

// window cuts the body to the page and remembers whether its end was shown.
func (d *Question) window(all []string, width int) []string {
	if d.rows = len(all); d.rows <= d.page {
		d.top, d.seen = 0, true
		return all
	}
	page := max(1, d.page-1)
	d.top = min(max(0, d.top), d.rows-page)
	d.seen = d.seen || d.top+page >= d.rows
	at := d.bound.Named(lang.T("rows %d to %d of %d · ↑↓ scroll", d.top+1, d.top+page, d.rows), keymap.QuestionUp, keymap.QuestionDown)
	return append(append([]string(nil), all[d.top:d.top+page]...), d.theme.Faint.Apply(cut("  "+at, width)))
}

func (d *Question) choices(width int, armed bool) (rows []string) {
	t := d.theme
	if d.q.URL != "" {
		label := lang.T("open it in the browser")
		switch {
		case d.opening:
			label = lang.T("opening the browser")
		case d.Open == nil:
			label = lang.T("no browser here: %s", d.Why)
		case !d.seen:
			label = lang.T("scroll to the end first")
		}
		rows = append(rows, choice(t, d.bound.First(keymap.QuestionOpen), label, width, armed && d.Open != nil))
		d.answers.mark(t, rows, 1, string(keymap.QuestionOpen), width)
		rows = append(rows, choice(t, d.bound.First(keymap.QuestionCopy), lang.T("copy the address"), width, armed))
		d.answers.mark(t, rows, 1, string(keymap.QuestionCopy), width)
	}
	for i, c := range d.q.Choices {
		label, ready := safe.Prompt(c.Label), armed
		if !d.seen && i < len(d.q.Choices)-1 && d.rows > d.page {
			label, ready = lang.T("scroll to the end first"), false
		}
		rows = append(rows, choice(t, keyName(c.Key, i), label, width, ready))
		d.answers.mark(t, rows, 1, c.ID, width)
	}
	return rows
}

func (d *Question) help() string {
	if d.beneath && d.form == nil {
		return d.bound.Named(lang.T("esc out of the view above"), keymap.QuestionClose)
	}
	if n := len(d.q.Choices); d.form == nil && d.q.URL == "" && n > 1 { // unanswered is the careful answer
		return d.bound.Named(lang.T("esc: %s", safe.Line(d.q.Choices[n-1].Label)), keymap.QuestionClose)
	}
	if d.form == nil {
		return d.bound.Named(lang.T("esc close"), keymap.QuestionClose)
	}
	help := d.form.help()
	if len(d.q.Choices) > 1 {
		help += d.bound.Named(lang.T(" · ctrl+d %s", strings.ToLower(safe.Line(d.q.Choices[1].Label))), keymap.FormDecline)
	}
	if d.beneath {
		return help + lang.T(" · ") + d.bound.Named(lang.T("esc out of the view above"), keymap.FormClose)
	}
	return help + d.bound.Named(lang.T(" · esc cancel"), keymap.FormClose)
}

func digit(i int) string { return fmt.Sprint(i + 1) }

func keyName(key string, i int) string {
	if key == "" {
		return digit(i)
	}
	return key
}

// choice is a row "y  allow once"; its key is faint while keys go elsewhere.
func choice(t *theme.Theme, key, label string, width int, armed bool) string {
	style := t.Key
	if !armed {
		style = t.Faint
	}
	pad := strings.Repeat(" ", max(1, 4-safe.Width(key)))
	return "  " + style.Apply(key) + pad + cut(label, max(1, width-2-safe.Width(key)-len(pad)))
}
