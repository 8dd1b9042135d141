package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent/mark"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/vim"
)

// Rows of the parts beneath the transcript.
const (
	queueRows = 3
	todoRows  = 8
	flashRows = 3 // of what the status line has no room for
	// flashShort is the bytes of a notice that is read at a glance.
	flashShort = 60
)

// View draws the screen: the transcript takes what the rest leaves over. Its
// cost is that of the rows that are visible.
func (m *Model) View() tea.View {
	v := tea.View{AltScreen: !m.flat()}
	m.dress(&v)
	v.KeyboardEnhancements.ReportAlternateKeys = true // what known goes by
	if !m.o.NoMouse && v.AltScreen {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.w < 1 || m.h < 1 {
		return v
	}
	rows, x, y, cursor := m.screen()
	v.SetContent(strings.Join(rows, "\n"))
	if cursor {
		v.Cursor = tea.NewCursor(min(x, m.w-1), y)
		v.Cursor.Shape = tea.CursorBar
		if mode, _ := m.comp.Mode(); mode != vim.Insert {
			v.Cursor.Shape = tea.CursorBlock
		}
	}
	return v
}

func (m *Model) title() string {
	name := "forge"
	switch {
	case len(m.asks) > 0:
		name = "? " + name
	case m.busy():
		name = m.th.Glyphs.Dot + " " + name
	}
	for _, part := range m.titleShows() {
		if text := m.titlePart(part); text != "" {
			name += " " + safe.Line(text)
		}
	}
	return name
}

// screen returns exactly h rows and where the cursor stands.
func (m *Model) screen() (rows []string, x, y int, cursor bool) {
	w, h := m.w, m.h
	m.fitTalk()
	foot, fx, fy, cursor := m.foot(w, h)
	m.status.vim, m.status.listening = m.vimMode(), m.listening()
	m.status.queued = len(m.queue) + len(m.steering)
	last := m.lastRows(w, h)
	cut := max(0, len(foot)-max(0, h-len(last))) // the end of it holds the composer
	fy -= cut
	foot = foot[cut:]
	room := h - len(last) - len(foot)
	switch {
	case room > 0 && m.flat():
		rows = m.live(room)
	case room > 0:
		rows = append(rows, m.head(w, room)...)
	}
	if lx, ly, ok := m.lineCaret(w, len(rows)); ok {
		rows = append(append(rows, foot...), last...)
		return rows[:min(len(rows), h)], lx, ly, true
	}
	m.laid.over += len(rows) - cut
	m.laid.comp += len(rows) - cut
	y = len(rows) + fy
	rows = append(append(rows, foot...), last...)
	return rows[:min(len(rows), h)], fx, y, cursor && fy >= 0 && y < h
}

// lastRows is the status line. What is said in it has the next step at its end: where
// one row cannot hold it, it stands above the line in rows of its own, while there are
// rows to spare.
func (m *Model) lastRows(w, h int) []string {
	spinning := m.talk.spinning() || (m.busy() || m.errand != nil) && len(m.asks) == 0
	line := m.status
	line.covered = m.covered() || m.reads != nil || m.dialogs.Active()
	var rows []string
	if h >= 10 && line.flash != "" && !line.fits(w, m.th, m.now, spinning) {
		said := safe.Wrap(safe.Line(line.flash), w)
		if len(said) > flashRows {
			said = append(said[:flashRows-1:flashRows-1], safe.Truncate(strings.Join(said[flashRows-1:], " "), w, m.th.Glyphs.Ellipsis))
		}
		for _, r := range said {
			rows = append(rows, m.th.Warn.Apply(strings.TrimRight(r, " ")))
		}
		line.flash = ""
	}
	// The mode and what confines commands are on the line whatever goes on. That a
	// question waits the question says itself.
	if line.crowded(w, m.th, m.now, spinning) && (h >= 10 || m.dialogs.Active()) {
		if !m.dialogs.Active() {
			rows = append(rows, safe.Truncate(line.waited(m.th, m.now, spinning), w, m.th.Glyphs.Ellipsis))
		}
		line.waiting = ""
	}
	if row, ok := m.scriptRow(w); ok && (h >= 10 || !m.dialogs.Active() && h >= 6) {
		rows = append(rows, row)
	}
	return append(rows, safe.Truncate(line.view(w, m.th, m.now, spinning), w, ""))
}

// head is the transcript, or what lies over it, and the row beneath.
func (m *Model) head(w, h int) []string {
	if m.pager != nil {
		m.pager.keys = m.o.Keys
		rows := m.pager.view(m.th, w, h)
		if m.pager.line != nil {
			rows[h-1], _ = m.pager.line.view(m.th, w, m.pager.count())
		}
		return rows
	}
	if m.servers.panel != nil {
		return m.servers.panel.View(m.th, w, h, m.now)
	}
	if m.window != nil {
		return m.window.View(m.th, w, h)
	}
	talk := m.talkWidth()
	return m.withPanel(m.said(talk, h), talk)
}

// said is the transcript, or a sub-agent's, and the row beneath.
func (m *Model) said(w, h int) []string {
	if m.inside != nil {
		return m.inside.view(m, w, h)
	}
	if h < 3 {
		return m.tr.view(h)
	}
	rows := m.withBar(m.tr, m.tr.view(h-1), w)
	if m.reads != nil {
		mark, _ := m.readRow(w)
		return append(rows, mark)
	}
	mark := m.tipRow(w)
	if m.tr.fresh && !m.tr.follow {
		text := m.th.Glyphs.Down + " " + lang.T("new output")
		mark = safe.Blanks(max(0, w-safe.Width(text)-1)) + m.th.Accent.Apply(safe.Truncate(text, w, ""))
	}
	return append(rows, mark)
}

// lineCaret is where the caret stands in a line that is written beneath what is read.
func (m *Model) lineCaret(w, head int) (x, y int, ok bool) {
	switch {
	case head < 1 || m.dialogs.Armed():
		return 0, 0, false
	case m.pager != nil && m.pager.line != nil:
		_, x = m.pager.line.view(m.th, w, m.pager.count())
		return x, head - 1, true
	case m.pager == nil && m.servers.panel == nil && m.reads != nil && m.reads.line != nil && head >= 3:
		_, x = m.readRow(m.talkWidth())
		return x, head - 1, true
	}
	return 0, 0, false
}

// foot is everything between the transcript and the status line.
func (m *Model) foot(w, h int) (rows []string, x, y int, cursor bool) {
	if m.showsTodos(h) {
		rows = append(rows, m.todoPanel(w, h)...)
	}
	rows = append(rows, m.waiting(w)...)
	comp, cx, cy := m.comp.View(w, max(1, min(12, h/3)))
	roomy, beneath := h >= 16, 1             // else every row counts
	if m.dialogs.Asked() && m.comp.Empty() { // it would invite to write while the question has the keys
		comp, beneath = nil, 0
	}
	room := max(3, h-len(comp)-len(rows)-3-beneath)
	if !roomy { // what is asked needs the rows more than what was said before
		room = max(3, h-len(comp)-len(rows)-1)
	}
	var over dialog.Frame
	lead := 0 // rows above what the dialog drew
	switch {
	case m.dialogs.Active() && m.pager != nil && m.pager.aside:
		comp = nil
		over.Rows = []string{m.th.Warn.Apply(clip(m.o.Keys.Named(lang.T("the question waits: esc goes back to it"), keymap.PagerClose), w, m.th))}
	case m.dialogs.Active():
		m.dialogs.Beneath = m.leads(m.o.Keys.First(keymap.AskStop))
		over = m.dialogs.View(w, room)
		if roomy {
			over.Rows = append([]string{m.th.Border.Apply(strings.Repeat(m.th.Glyphs.Rule, w))}, over.Rows...)
			lead = 1
			if over.Y++; beneath > 0 {
				over.Rows = append(over.Rows, "")
			}
		}
	case m.comp.MenuOpen():
		over.Rows = m.comp.MenuView(w)
	}
	at := len(rows)
	rows = append(rows, over.Rows...)
	if over.Cursor {
		x, y = over.X, at+over.Y
	} else {
		x, y = cx, len(rows)+cy
	}
	m.laid = laid{over: at + lead, overRows: len(over.Rows) - lead, comp: len(rows), compRows: len(comp)}
	// A question takes the keys, or the transcript: a caret in the composer would be a lie.
	return append(rows, comp...), x, y, over.Cursor || !m.covered() && !m.dialogs.Armed() && (m.reads == nil || m.dialogs.Active())
}

// waiting lists what was written for later: words on their way into the run, and
// prompts for after it.
func (m *Model) waiting(w int) []string {
	const leastWaiting = 8 // cells of the words themselves, before what can be done with them
	var rows []string
	add := func(glyph, text, note string) {
		if w-4-safe.Width(note) < leastWaiting {
			note = ""
		}
		room := max(1, w-4-safe.Width(note))
		rows = append(rows, "  "+m.th.Accent.Apply(glyph)+" "+m.th.Muted.Apply(clip(mark.Short(text), room, m.th))+m.th.Faint.Apply(note))
	}
	if n := len(m.aside); n > 0 {
		add(m.th.Glyphs.Dash, m.aside[n-1].label, m.asideNote())
	}
	for _, s := range m.steering {
		add(m.th.Glyphs.Rite, s, "  "+lang.T("at the next step"))
	}
	for i, s := range m.queue {
		note := ""
		if i == len(m.queue)-1 && m.comp.Empty() {
			note = "  " + m.o.Keys.Named(lang.T("up takes it back"), keymap.EmptyRecall)
		}
		add(m.th.Glyphs.Queue, waitingText(s), note)
	}
	if over := len(rows) - queueRows; over > 0 {
		rows = append([]string{"    " + m.th.Faint.Apply(lang.T("%d more", over))}, rows[over:]...)
	}
	return rows
}

// newWelcome opens an empty conversation.
func newWelcome(o Options, s *status) pane {
	return &whole{draw: func(d *drawing, w int) []string {
		name := "forge"
		if o.Version != "" {
			name += " " + safe.Line(o.Version)
		}
		rows := []string{d.th.Title.Apply(safe.Truncate(name, w, ""))}
		if o.Cwd != "" {
			rows = append(rows, d.th.Muted.Apply(safe.TruncateLeft(safe.Line(o.Cwd), w, d.th.Glyphs.Ellipsis)))
		}
		return lead(" ", rows)
	}}
}
