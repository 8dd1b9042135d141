package ui

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/ui/cockpit"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/safe"
)

// The panel beside the conversation says how things stand, where the screen is wide
// enough for both: what is known anyway, and the files the conversation changed.
const (
	panelSetting = "screen.panel"
	panelWidth   = 34  // of its words
	panelFrom    = 110 // columns of a screen that has room for it
	panelRows    = 12  // and rows
)

// panelState is whether it is wanted, and what was read for it.
type panelState struct {
	on             bool
	files          []changedFile
	reading, stale bool // the files are being read, and have changed since
	filesAt        int  // the row of the first in the last frame; 0: none stood there
}

// changedFile is a file the conversation changed, and by how many lines.
type changedFile struct {
	name           string
	added, removed int
}

type panelRead struct{ files []changedFile }

// panelShown reports whether the panel stands beside what is read.
func (m *Model) panelShown() bool {
	return m.panel.on && !m.flat() && m.w >= panelFrom && m.h >= panelRows
}

// talkWidth is what the conversation has of the screen's width.
func (m *Model) talkWidth() int {
	if m.panelShown() {
		return m.w - panelWidth - 2
	}
	return max(1, m.w)
}

// fitTalk lays the conversation out anew, where its width has changed.
func (m *Model) fitTalk() {
	if w := m.talkWidth(); m.tr.d.w != w {
		m.tr.reshape(func(d *drawing) { d.w = w })
	}
}

// togglePanel shows the panel or puts it away, now and for later.
func (m *Model) togglePanel() tea.Cmd {
	on := !m.panel.on
	cmds := []tea.Cmd{m.setPanel(on)}
	if on && !m.panelShown() {
		cmds = append(cmds, m.say(lang.T("the panel comes on a screen of %dx%d and more, and not inline", panelFrom, panelRows)))
	}
	if m.o.Settings != nil {
		set := m.o.Settings.Set
		cmds = append(cmds, func() tea.Msg {
			if err := set(panelSetting, fmt.Sprint(on)); err != nil {
				return failed{lang.T("it holds for now, but is not stored"), err}
			}
			return nil
		})
	}
	return tea.Batch(cmds...)
}

func (m *Model) setPanel(on bool) tea.Cmd {
	m.panel.on = on
	m.fitTalk()
	return tea.Batch(m.readPanel(), m.readPlace())
}

// readPanel reads off the loop what the conversation has changed, where somebody looks.
func (m *Model) readPanel() tea.Cmd {
	if !m.panel.on || m.o.SessionDiff == nil {
		return nil
	}
	if m.panel.reading {
		m.panel.stale = true
		return nil
	}
	m.panel.reading, m.panel.stale = true, false
	diff := m.o.SessionDiff
	return m.here(func() tea.Msg {
		var msg panelRead
		_ = guard(func() error { msg.files = changedIn(diff()); return nil }) // logged
		return msg
	})
}

func (m *Model) panelRead(msg panelRead) tea.Cmd {
	m.panel.files, m.panel.reading = msg.files, false
	if m.panel.stale {
		return m.readPanel()
	}
	return nil
}

// changedIn counts the lines of a diff as the journal writes it, file by file.
func changedIn(patch string) (out []changedFile) {
	old, cur := 0, 0 // lines of the hunk that are still to come
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		sign := line[:min(1, len(line))]
		if !strings.Contains("+- \\", sign) { // a hunk that was cut short
			old, cur = 0, 0
		}
		switch {
		case (old > 0 || cur > 0) && sign == "+":
			cur--
			out[len(out)-1].added++
		case (old > 0 || cur > 0) && sign == "-":
			old--
			out[len(out)-1].removed++
		case old > 0 || cur > 0:
			if sign != "\\" {
				old, cur = old-1, cur-1
			}
		case strings.HasPrefix(line, "diff "):
			name := strings.TrimPrefix(line, "diff ")
			if at := strings.LastIndex(name, " ("); at > 0 && strings.HasSuffix(name, ")") {
				name = name[:at]
			}
			out = append(out, changedFile{name: name})
		case strings.HasPrefix(line, "@@ ") && len(out) > 0:
			old, cur = hunkLines(line)
		}
	}
	return out
}

// hunkLines reads "@@ -1,4 +1,6 @@".
func hunkLines(line string) (old, cur int) {
	fields := strings.Fields(line)
	if len(fields) < 3 {
		return 0, 0
	}
	count := func(s string) int {
		if _, n, ok := strings.Cut(s, ","); ok {
			return atoi(n)
		}
		return 1
	}
	return count(fields[1]), count(fields[2])
}

// onPanel reports whether a place of the screen is the panel's.
func (m *Model) onPanel(x, y int) bool {
	return m.panelShown() && !m.covered() && x >= m.talkWidth() && y < m.readable()
}

// clickedPanel shows what the conversation changed, where a file it changed was clicked.
func (m *Model) clickedPanel(y int) tea.Cmd {
	at := m.panel.filesAt
	if at == 0 || y < at || y >= at+len(m.panel.files) || m.dialogs.Active() {
		return nil
	}
	return m.cmdDiff("session")
}

// withPanel puts the panel beside rows that are w cells wide.
func (m *Model) withPanel(rows []string, w int) []string {
	if !m.panelShown() {
		return rows
	}
	said := m.panelSays(len(rows))
	bar := m.th.Border.Apply(m.th.Glyphs.Bar)
	for y, r := range rows {
		rows[y] = r + safe.Blanks(max(0, w-safe.Width(r))) + bar
		if y < len(said) && said[y] != "" {
			rows[y] += " " + said[y]
		}
	}
	return rows
}

// panelSays is what stands in at most h rows of it.
func (m *Model) panelSays(h int) (rows []string) {
	th, s, w := m.th, &m.status, panelWidth
	m.panel.filesAt = 0
	end := th.Glyphs.Ellipsis
	put := func(more ...string) { rows = append(rows, more...) }
	part := func(name string) { put("", th.Muted.Apply(safe.Truncate(name, w, end))) }

	title := cmp.Or(s.place.Title, filepath.Base(m.o.Cwd))
	put(th.Title.Apply(safe.Truncate(safe.Line(title), w, end)))
	put(th.Muted.Apply(safe.TruncateLeft(safe.Line(m.o.Cwd), w, end)))
	if s.place.Branch != "" {
		put(th.Muted.Apply(safe.Truncate(safe.Line(s.place.Branch), w, end)))
	}
	model := safe.Line(s.model.ID)
	if model != "" && s.effort != provider.EffortDefault {
		model += " " + th.Glyphs.Sep + " " + string(s.effort)
	}
	put("", th.Text.Apply(safe.Truncate(model, w, end)))
	if s.used > 0 && s.window > 0 {
		put(ledger.Gauge(th, max(0.01, float64(s.used)/float64(s.window)), 0, w))
		text := lang.T("%s of %s tokens", ledger.Count(s.used), ledger.Count(s.window))
		if s.costKnown {
			text += "  " + ledger.Money(s.cost)
		}
		put(th.Muted.Apply(safe.Truncate(text, w, end)))
	}
	if len(m.todos) > 0 {
		part(lang.T("todo list"))
		put(m.panelTodos(max(3, h/4))...)
	}
	if servers := m.servers.list; len(servers) > 0 {
		part(lang.T("MCP servers"))
		for i, server := range servers {
			if i == 4 && len(servers) > 5 {
				put("  " + th.Faint.Apply(lang.T("%d more", len(servers)-i)))
				break
			}
			glyph, style := th.Glyphs.Warn, th.Warn
			if server.State == cockpit.Ready || server.State == cockpit.Idle {
				glyph, style = th.Glyphs.Ok, th.Ok
			}
			put(style.Apply(glyph) + " " + th.Text.Apply(safe.Truncate(server.Line(), w-2, end)))
		}
	}
	if s.jobs > 0 {
		part(lang.Count(s.jobs, "1 in the background", "%d in the background"))
	}
	if len(m.panel.files) > 0 {
		part(lang.T("changed files"))
		room := max(1, h-len(rows))
		m.panel.filesAt = len(rows)
		for i, f := range m.panel.files {
			if i == room-1 && len(m.panel.files) > room {
				put("  " + th.Faint.Apply(lang.T("%d more", len(m.panel.files)-i)))
				break
			}
			put(m.panelFile(f, w))
		}
	}
	return rows[:min(len(rows), h)]
}

// panelFile is a changed file: its name, whose end is what tells it apart, and its lines.
func (m *Model) panelFile(f changedFile, w int) string {
	counts := ""
	if f.added+f.removed > 0 {
		counts = lang.T("+%d −%d", f.added, f.removed)
	}
	name := safe.TruncateLeft(safe.Line(f.name), max(1, w-safe.Width(counts)-1), m.th.Glyphs.Ellipsis)
	return m.th.Text.Apply(name) + safe.Blanks(max(1, w-safe.Width(name)-safe.Width(counts))) + m.th.Muted.Apply(counts)
}

// panelTodos is the list in at most n rows, from before what is being done on.
func (m *Model) panelTodos(n int) (rows []string) {
	from := 0
	for i, t := range m.todos {
		if t.State != "done" {
			from = max(0, min(i-1, len(m.todos)-n))
			break
		}
	}
	for _, t := range m.todos[from:min(from+n, len(m.todos))] {
		rows = append(rows, m.todoRow(t, panelWidth))
	}
	return rows
}

// cmdPanel is /panel.
func (m *Model) cmdPanel(string) tea.Cmd { return m.togglePanel() }
