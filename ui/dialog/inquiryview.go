package dialog

import (
	"slices"
	"strings"

	"forge/tools"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Heights from which a frame has room for more than what is asked and the answers.
const (
	tabsFrom  = 7  // the names of the topics
	airFrom   = 12 // an empty row between them and the answers
	quoteFrom = 14 // what the bar means
)

// inquiryRow is a row of what scrolls.
type inquiryRow struct {
	text  string
	at    int  // the row of the page it belongs to, -1: none
	first bool // it is where that begins
	caret int  // the cell the caret is in, -1: it is in another row
}

// View implements Dialog.
func (d *Inquiry) View(width, height int, armed bool) Frame {
	t := d.theme
	f := Frame{Rows: []string{d.title(width)}}
	d.drawn = inquiryDrawn{tabs: -1}
	if len(d.pages) > 1 && height >= tabsFrom {
		d.drawn.tabs = len(f.Rows)
		f.Rows = append(f.Rows, d.tabs(width))
	}
	if height >= airFrom {
		f.Rows = append(f.Rows, "")
	}
	var foot []string
	if height >= quoteFrom {
		foot = append(foot, "", t.Faint.Apply(cut("  "+lang.T("what stands behind %s is the model's; no answer here allows anything", t.Glyphs.Quote), width)))
	}
	help := d.note
	if help == "" {
		help = d.help(width - 2)
	}
	foot = append(foot, t.Faint.Apply(cut("  "+safe.Line(help), width)))
	d.drawn.page = max(1, height-len(f.Rows)-len(foot))
	d.drawn.at = slices.Repeat([]int{-1}, len(f.Rows))
	for i, r := range d.window(d.body(width, height, armed), width) {
		if r.caret >= 0 && armed {
			f.X, f.Y, f.Cursor = min(r.caret, max(0, width-1)), len(f.Rows), true
		}
		if r.first && len(f.Rows) < height {
			d.drawn.read = append(d.drawn.read, r.at)
		}
		d.drawn.at = append(d.drawn.at, r.at)
		if f.Rows = append(f.Rows, r.text); len(f.Rows) == height && i == 0 { // a frame of a row or two
			break
		}
	}
	if f.Rows = append(f.Rows, foot...); len(f.Rows) > height {
		f.Rows = f.Rows[:max(1, height)]
	}
	f.Cursor = f.Cursor && f.Y < len(f.Rows)
	return f
}

// title is who asks, and about what: it has none of the marks of a question whether
// something may run.
func (d *Inquiry) title(width int) string {
	t := d.theme
	said := "? " + lang.T("the model asks")
	if n := len(d.q.Topics); n > 1 && d.page().t != nil {
		said = "? " + lang.T("the model asks, %d of %d", d.at+1, n)
	} else if n > 1 {
		said = "? " + lang.T("what the model will be told")
	}
	said = t.Title.Apply(cut(said, width))
	if p := d.page(); p.t != nil {
		said += "  " + t.Faint.Apply(t.Glyphs.Quote) + " " + t.Text.Apply(quotedLine(p.t.Header))
	}
	return cut(said, width)
}

// quotedLine is words of the model on one row.
func quotedLine(s string) string { return safe.Line(safe.Prompt(s)) }

// tabs are the topics beside each other, each with whether it is answered.
func (d *Inquiry) tabs(width int) string {
	t := d.theme
	var names []string
	total := 1
	for _, p := range d.pages {
		name := t.Glyphs.Rite + " " + lang.T("send")
		if p.t != nil {
			if name = t.Glyphs.Ring + " " + quotedLine(p.t.Header); !p.response().Open() {
				name = t.Glyphs.Ok + " " + quotedLine(p.t.Header)
			}
		}
		names = append(names, name)
		total += safe.Width(name) + 2
	}
	most := width
	if total > width { // each gets its part
		most = max(3, (width-1)/len(names)-2)
	}
	row, end := " ", 1
	for i, name := range names {
		name = " " + safe.Truncate(name, most, t.Glyphs.Ellipsis) + " "
		end += safe.Width(name)
		style := t.Muted
		if i == d.at {
			style = t.Selection
		}
		row += style.Apply(name)
		d.drawn.ends = append(d.drawn.ends, end)
	}
	return safe.Truncate(row, width, "")
}

// body is all that scrolls: what is asked and the answers there are.
func (d *Inquiry) body(width, height int, armed bool) []inquiryRow {
	t, p := d.theme, d.page()
	var rows []inquiryRow
	add := func(at int, first bool, text string) { rows = append(rows, inquiryRow{text, at, first, -1}) }
	bar := t.Faint.Apply(t.Glyphs.Quote) + " "
	if p.t == nil {
		for i, of := range d.pages[:len(d.q.Topics)] {
			mark := t.Glyphs.Ok
			said := d.spoken(of.t, of.response())
			if said == "" {
				mark, said = t.Glyphs.Ring, lang.T("not answered")
			}
			lead, pad := d.lead(i, mark, armed)
			text := safe.Wrap(quotedLine(of.t.Header)+lang.T(": ")+said, max(4, width-pad-2))
			for k, row := range text {
				if k > 0 {
					lead = safe.Blanks(pad)
				}
				add(i, k == 0, lead+bar+row)
			}
		}
		lead, _ := d.lead(len(d.q.Topics), t.Glyphs.Rite, armed)
		add(len(d.q.Topics), true, cut(lead+lang.T("send"), width))
		return rows
	}
	for _, row := range safe.Wrap(safe.Prompt(p.t.Text), max(4, width-4)) {
		add(-1, false, "  "+bar+t.Text.Apply(row))
	}
	if height >= airFrom {
		add(-1, false, "")
	}
	for i, o := range p.t.Options {
		lead, pad := d.lead(i, d.marked(p.chosen[i]), armed)
		first := true
		put := func(text string, style func(string) string) {
			for _, row := range safe.Wrap(quotedLine(text), max(4, width-pad-2)) {
				add(i, first, lead+bar+style(row))
				lead, first = safe.Blanks(pad), false
			}
		}
		put(o.Label, t.Text.Apply)
		if o.About != "" {
			put(o.About, t.Muted.Apply)
		}
	}
	own := len(p.t.Options)
	lead, pad := d.lead(own, d.marked(p.owned), armed)
	label := lang.T("in your own words")
	if !d.writing && !p.own.Empty() {
		label += lang.T(": ") + safe.Line(p.own.Value())
	}
	add(own, true, cut(lead+label, width))
	if d.writing {
		written, x, y := p.own.View(max(4, width-pad), 3)
		for i, row := range written {
			add(own, false, safe.Blanks(pad)+row)
			if i == y {
				rows[len(rows)-1].caret = pad + x
			}
		}
	}
	return rows
}

// lead is what stands before the words of a row, and how wide it is.
func (d *Inquiry) lead(row int, mark string, armed bool) (string, int) {
	t := d.theme
	pointer, style := "  ", t.Key
	if d.page().cursor == row && !d.writing {
		pointer = t.Accent.Apply(t.Glyphs.Pointer) + " "
	}
	if !armed {
		style = t.Faint
	}
	return pointer + style.Apply(digit(row)) + " " + t.Accent.Apply(mark) + " ", 5 + safe.Width(mark)
}

// marked is the mark of an answer.
func (d *Inquiry) marked(chosen bool) string {
	g := d.theme.Glyphs
	switch many := d.page().t.Many; {
	case many && chosen:
		return g.Ticked
	case many:
		return g.Unticked
	case chosen:
		return g.Dot
	}
	return g.Ring
}

// spoken is what was said to a topic, in a line; empty: nothing.
func (d *Inquiry) spoken(t *tools.Topic, r tools.Response) string {
	var parts []string
	for _, c := range r.Chosen {
		parts = append(parts, quotedLine(t.Options[c].Label))
	}
	if r.Words != "" {
		parts = append(parts, lang.T("“")+safe.Line(r.Words)+lang.T("”"))
	}
	return strings.Join(parts, lang.T(", "))
}

// window cuts what scrolls to the rows there are.
func (d *Inquiry) window(all []inquiryRow, width int) []inquiryRow {
	p, page := d.page(), d.drawn.page
	if len(all) <= page {
		p.top = 0
		return all
	}
	where := page > 3 // else each row is needed
	if where {
		page--
	}
	if p.follow || d.writing {
		from := slices.IndexFunc(all, func(r inquiryRow) bool { return r.at == p.cursor })
		to := from + 1
		for to < len(all) && all[to].at == p.cursor && (all[to-1].caret < 0 || !d.writing) {
			to++
		}
		p.top = min(max(p.top, to-page), max(from, to-page))
		if !d.writing { // where it has more rows than there are, its begin says the most
			p.top = min(p.top, from)
		}
	}
	p.top = min(max(0, p.top), len(all)-page)
	rows := slices.Clone(all[p.top : p.top+page])
	if where {
		at := d.bound.Named(lang.T("rows %d to %d of %d · pgup pgdown scroll", p.top+1, p.top+page, len(all)), keymap.InquiryPageUp, keymap.InquiryPageDown)
		rows = append(rows, inquiryRow{d.theme.Faint.Apply(cut("  "+at, width)), -1, false, -1})
	}
	return rows
}

// help is what the keys do now, the parts that fit: how to get out is among them.
func (d *Inquiry) help(width int) string {
	if d.writing {
		return d.bound.Named(lang.T("enter answer with it · esc back"), keymap.NoteDone, keymap.NoteClose)
	}
	p := d.page()
	var parts []string
	switch {
	case p.t == nil && p.cursor < len(d.q.Topics):
		parts = append(parts, d.bound.Named(lang.T("enter go there"), keymap.InquiryTake))
	case p.t == nil:
		parts = append(parts, d.bound.Named(lang.T("enter send"), keymap.InquiryTake))
	case p.t.Many:
		parts = append(parts, d.bound.Named(lang.T("space mark"), keymap.InquiryTick), d.goes())
	default:
		parts = append(parts, d.bound.Named(lang.T("↑↓ 1-%d", d.rows()), keymap.InquiryUp, keymap.InquiryDown), d.goes())
	}
	out := d.bound.Named(lang.T("esc no answer"), keymap.InquiryClose)
	if d.beneath {
		out = d.bound.Named(lang.T("esc out of the view above"), keymap.InquiryClose)
	}
	if len(d.pages) > 1 {
		parts = append(parts, d.bound.Named(lang.T("←→ other questions"), keymap.InquiryBefore, keymap.InquiryNext))
	}
	for ; len(parts) > 0; parts = parts[:len(parts)-1] {
		if all := strings.Join(append(slices.Clone(parts), out), lang.T(" · ")); safe.Width(all) <= width {
			return all
		}
	}
	return out
}

// goes is what taking an answer leads to.
func (d *Inquiry) goes() string {
	if len(d.pages) > 1 {
		return d.bound.Named(lang.T("enter next"), keymap.InquiryTake)
	}
	return d.bound.Named(lang.T("enter send"), keymap.InquiryTake)
}
