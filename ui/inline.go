package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/display"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/terminal"
)

// Inline: without the alternate screen. What is finished is left in the terminal, where
// its own scrollback, search and selection have it; what still changes, the prompt and
// the status are a few rows beneath. What needs the whole screen, such as a pager, a
// panel or reading back, takes the alternate one while it is open.

const (
	// grounding is how long the first rows wait for the terminal to tell its background:
	// what was printed keeps its colours.
	grounding = 500 * time.Millisecond
	// retoldRows is how much of a conversation that is gone on with is printed.
	retoldRows = 400
)

// flat reports whether the frame stands beneath what was printed now.
func (m *Model) flat() bool {
	return m.o.Inline && m.tr.follow && m.pager == nil && m.servers.panel == nil && m.window == nil && m.reads == nil
}

// Above implements display.Printer: rows of what is finished since it was asked last.
func (m *Model) Above() []string {
	if !m.flat() || m.w < 1 || m.h < 1 || !m.grounded && m.o.Now().Sub(m.born) < grounding {
		return nil
	}
	n := m.finished()
	for i := m.printed(); i < n; i++ {
		if c, ok := m.tr.panes[i].(*call); ok && c.comparing {
			n = i // its diff is on its way
		}
	}
	return m.printTo(n)
}

// finished is how many panes at the beginning do not change any more. What belongs to a
// turn that is on may be void yet.
func (m *Model) finished() int {
	if m.busy() || m.errand != nil {
		return min(m.turnAt, len(m.tr.panes))
	}
	return len(m.tr.panes)
}

// printTo returns the rows of the panes up to n that were not printed.
func (m *Model) printTo(n int) (rows []string) {
	from := m.printed()
	if n <= from {
		return nil
	}
	for _, p := range m.tr.panes[from:n] {
		m.settlePane(p)
	}
	first, height := n, 0
	for first > from && height < retoldRows {
		first--
		height += m.tr.height(first)
	}
	if first > from && m.job == nil && n-from > 1 {
		rows = append(rows, m.th.Faint.Apply(m.o.Keys.Named(lang.Count(first-from, "1 earlier part is not printed; tab reads it", "%d earlier parts are not printed; tab reads them"), keymap.EmptyRead)))
	} else {
		first = from
	}
	for i := first; i < n; i++ {
		p := m.tr.panes[i]
		part := slices.Clone(m.tr.cut(p, 0, m.tr.tall(p)))
		asked := len(part) > 0 && isPrompt(matterOf(p)) && terminal.Marking(m.o.Getenv)
		if asked {
			part[0] = display.PromptBegins + part[0]
			part[len(part)-1] += display.PromptEnds
		}
		gap := m.tr.gap(i)
		if gap > 0 {
			part = append([]string{""}, part...)
		}
		m.tr.stamp(p, part, gap)
		if m.unmarked && len(part) > 0 {
			part[0], m.unmarked = display.PromptEnds+part[0], false
		}
		m.unmarked = m.unmarked || asked
		rows = append(rows, part...)
	}
	m.last = m.tr.panes[n-1]
	return rows
}

// printed is how many panes were. In another conversation none was.
func (m *Model) printed() int { return slices.Index(m.tr.panes, m.last) + 1 }

// settlePane makes a pane as it is to stay, which is done off the loop for what can be
// drawn anew.
func (m *Model) settlePane(p pane) {
	switch p := p.(type) {
	case *answer:
		if p.md == nil {
			return
		}
		p.all(&m.tr.d) // in this width
		if work := p.md.Pending(); work != nil {
			p.md.Apply(work())
		}
	case *call: // of a conversation that is gone on with
		if work := p.diffCmd(); work != nil {
			if d, ok := work().(diffReady); ok {
				p.compared(d.body)
			}
		}
	}
}

// live is what is not printed yet, at most its last room rows, and a blank row beneath.
func (m *Model) live(room int) (rows []string) {
	m.tr.h = max(1, m.h-2)
	m.tr.d.frame++
	from := m.printed()
	for i := len(m.tr.panes) - 1; i >= from && len(rows) < room-1; i-- {
		p := m.tr.panes[i]
		n := m.tr.tall(p)
		from := max(0, n-(room-1-len(rows)))
		part, gap := slices.Clone(m.tr.cut(p, from, n)), m.tr.gap(i)
		if gap > 0 {
			part = append([]string{""}, part...)
		}
		if from == 0 {
			m.tr.stamp(p, part, gap)
		}
		rows = append(part, rows...)
	}
	if over := len(rows) - (room - 1); over > 0 {
		rows = rows[over:]
	}
	m.tr.trim()
	if room > 1 {
		rows = append(rows, m.tipRow(m.w))
	}
	return rows
}

// rest is what leaving prints: all that was not.
func (m *Model) rest() []string {
	rows := m.printTo(len(m.tr.panes))
	for i, r := range rows {
		rows[i] = safe.Truncate(r, max(1, m.w), "")
	}
	return rows
}

// The words of /tui.
const (
	wholeScreen = "full"
	inTerminal  = "inline"
)

// cmdTui changes between the whole screen and rows beneath what is left in the terminal,
// until forge ends; without a word it takes the other one.
func (m *Model) cmdTui(arg string) tea.Cmd {
	switch {
	case arg == "":
		return m.setInline(!m.o.Inline)
	case arg == wholeScreen, arg == inTerminal:
		return m.setInline(arg == inTerminal)
	}
	return m.say(lang.T("there are %s and %s, not %s", wholeScreen, inTerminal, arg))
}

func completeTui(_ *Model, prefix string) []string {
	return beginning([]string{wholeScreen, inTerminal}, prefix)
}

func (m *Model) setInline(on bool) tea.Cmd {
	if m.o.Inline == on {
		return m.say(lang.T("it is so already"))
	}
	m.o.Inline = on
	m.unread()
	m.showBrief(m.tr.brief)
	m.tr.toEnd()
	if on {
		return m.say(lang.T("inline now; /tui takes the whole screen"))
	}
	return m.say(lang.T("the whole screen now; /tui goes inline"))
}
