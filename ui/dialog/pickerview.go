package dialog

import (
	"strings"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// View implements Dialog.
func (p *Picker) View(width, height int, _ bool) Frame {
	t := p.Theme
	rows := []string{t.Title.Apply(cut(safe.Output(p.Title), width))}
	filter, x, y := p.filter.View(width, 1)
	f := Frame{X: x, Y: y + len(rows), Cursor: true}
	rows = append(rows, filter...)
	room := max(1, height-len(rows)-1)
	if p.Behind {
		room = min(room, max(2, height/2-len(rows)-1))
	}
	var preview []string
	if p.Peek != nil && room >= 9 {
		preview = p.previewRows(width, room/2)
		room -= len(preview)
	}
	if p.Show != nil && len(p.shown) > 0 && room >= 9 {
		for _, r := range p.Show(p.shown[p.at], width-2) {
			preview = append(preview, "  "+cut(r, width-2))
		}
		preview = append([]string{t.Border.Apply(strings.Repeat(t.Glyphs.Rule, width))}, preview...)
		room -= len(preview)
	}
	first := min(max(0, p.at-room/2), max(0, len(p.shown)-room))
	if p.pinned = p.pinned && p.at >= p.first && p.at < p.first+room; p.pinned {
		first = p.first
	}
	p.first, p.listed, p.room = first, len(rows), room
	for i := first; i < min(first+room, len(p.shown)); i++ {
		rows = append(rows, p.row(p.entries[p.shown[i]], i == p.at, width))
	}
	if len(p.shown) == 0 {
		rows = append(rows, t.Muted.Apply(cut("  "+lang.T("nothing matches"), width)))
	}
	help := p.Help
	if help == "" {
		help = lang.T("enter choose · esc close")
	}
	help = p.bound.Named(help, append([]keymap.Action{keymap.ListChoose}, append(p.extra(), keymap.ListClose)...)...)
	if n := len(p.shown); n > room {
		help = lang.T("%d of %d · %s", p.at+1, n, help)
	}
	rows = append(rows, preview...)
	f.Rows = append(rows, t.Faint.Apply(cut(help, width)))
	return f
}

// previewRows shows what was read of the entry chosen, under a rule.
func (p *Picker) previewRows(width, room int) []string {
	if p.preview == "" {
		return nil
	}
	t := p.Theme
	var rows []string
	for l := range strings.Lines(p.preview) {
		for _, r := range safe.Wrap(safe.Output(strings.TrimRight(l, "\n")), max(1, width-2)) {
			rows = append(rows, "  "+t.Muted.Apply(r))
		}
	}
	if len(rows) >= room {
		rows = rows[len(rows)-room+1:]
	}
	return append([]string{t.Faint.Apply(strings.Repeat(t.Glyphs.Rule, width))}, rows...)
}

func (p *Picker) row(e Entry, chosen bool, width int) string {
	t := p.Theme
	mark := "  "
	if chosen {
		mark = t.Glyphs.Pointer + " "
	}
	now := ""
	if e.Chosen {
		now = " " + t.Glyphs.Ok
	}
	if e.Mark != "" {
		mark += e.Mark + " "
	}
	label := cut(oneLine(e.Label), max(1, width-1-safe.Width(mark)-len(now)))
	left := mark + label + now
	room := width - safe.Width(left) - 2
	detail := ""
	if room > 8 && e.Detail != "" {
		detail = "  " + cut(oneLine(e.Detail), room)
	}
	if chosen {
		return t.Selection.Apply(safe.Fit(left+detail, width, ""))
	}
	return left + t.Muted.Apply(detail)
}

// oneLine makes untrusted text fit for a row.
func oneLine(s string) string {
	return strings.Join(strings.Fields(safe.Output(s)), " ")
}

// extra are the actions of the picker's own that its help names.
func (p *Picker) extra() (out []keymap.Action) {
	for _, a := range []keymap.Action{keymap.ListFavorite, keymap.ListRename, keymap.ListDelete} {
		if p.Keys[a] != nil || p.Do[a] != nil {
			out = append(out, a)
		}
	}
	return out
}
