package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// pager shows rows over the transcript until it is closed: help, a long diff.
type pager struct {
	title string
	// resume, where not nil, is what r does; hint tells of it.
	resume func() tea.Cmd
	hint   string
	// draw makes the rows for a width; they are kept until it changes.
	draw func(th *theme.Theme, w int) []string

	other func() *pager // what tab goes to, hint tells of it too; nil: nowhere

	list []string
	w, h int
	th   *theme.Theme
	top  int
}

func (p *pager) rows(th *theme.Theme, w int) []string {
	if p.list == nil || p.w != w || p.th != th {
		p.list, p.w, p.th = p.draw(th, w), w, th
	}
	return p.list
}

func (p *pager) scroll(by int) {
	p.top = max(0, min(p.top+by, len(p.list)-p.h))
}

// view returns exactly h rows.
func (p *pager) view(th *theme.Theme, w, h int) []string {
	p.h = max(1, h-3) // title and blank rows
	rows := p.rows(th, w)
	p.scroll(0)
	out := make([]string, 0, h)
	hint := lang.T("esc closes")
	if p.hint != "" {
		hint = p.hint + " · " + hint
	}
	if len(rows) > p.h {
		hint = fmt.Sprintf("%d%%  %s", 100*(p.top+p.h)/len(rows), hint)
	}
	title := safe.Truncate(safe.Line(p.title), max(1, w-safe.Width(hint)-2), th.Glyphs.Ellipsis)
	gap := safe.Blanks(max(1, w-safe.Width(title)-safe.Width(hint)))
	out = append(out, th.Title.Apply(title)+gap+th.Faint.Apply(hint), "")
	out = append(out, clamp(rows, p.top, p.top+p.h)...)
	for len(out) < h {
		out = append(out, "")
	}
	return out[:h]
}

// pagerKey takes every key while the pager is open.
func (m *Model) pagerKey(k tea.KeyPressMsg) tea.Cmd {
	p := m.pager
	switch k.String() {
	case "esc", "q", "ctrl+c", "enter", "?":
		m.pager = nil
	case "r":
		if p.resume != nil {
			if m.busy() {
				return m.say(lang.T("a run is on; esc stops it"))
			}
			m.pager = nil
			return p.resume()
		}
	case "tab":
		if p.other != nil {
			m.pager = p.other()
		}
	case "up", "k", "ctrl+p":
		p.scroll(-1)
	case "down", "j", "ctrl+n":
		p.scroll(1)
	case "pgup", "b", "ctrl+b":
		p.scroll(-p.h)
	case "pgdown", "space", " ", "ctrl+f":
		p.scroll(p.h)
	case "home", "g", "ctrl+home":
		p.scroll(-len(p.list))
	case "end", "G", "ctrl+end":
		p.scroll(len(p.list))
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+z":
		return tea.Suspend
	}
	return nil
}
