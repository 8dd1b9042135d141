package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/crew"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/reader"
	"forge/ui/safe"
	"forge/ui/theme"
)

// inner is the view of a sub-agent's work. It lies over the transcript, follows the
// agent while it works, and is read with the same keys.
type inner struct {
	agent *crew.Agent
	title string
	tr    *transcript
	above *inner   // where leaving leads; nil: to the person's own conversation
	was   *reading // the state of what lies beneath; nil: the prompt had the keys
	head  int      // rows above the work in the last frame
}

// insideMsg brings the work of a sub-agent read from its session.
type insideMsg struct {
	call  *call
	panes []pane
	calls int
	err   error
}

// shown is the transcript that is looked at.
func (m *Model) shown() *transcript {
	if m.inside != nil {
		return m.inside.tr
	}
	return m.tr
}

// goInside opens the work of a sub-agent: as it was followed, or, where that was given
// up or never seen, from its session. false: there is nothing to open.
func (m *Model) goInside(c *call) (tea.Cmd, bool) {
	read := m.o.Crew.Retell
	kept := c.sub.Sessions()
	if w := c.track; w != nil && w.tr != nil && !(w.over && w.gone > 0 && kept != nil && read != nil) {
		m.enterWork(c.sub, w.tr)
		return nil, true
	}
	if kept == nil || read == nil {
		return nil, false
	}
	a := c.sub
	return func() tea.Msg {
		panes, calls, err := retoldAgent(a, func(sink agent.Sink) error { return read(kept, sink) })
		return insideMsg{c, panes, calls, err}
	}, true
}

// retoldAgent folds the stored conversation of a sub-agent, off the loop, and counts its
// calls.
func retoldAgent(a *crew.Agent, play func(agent.Sink) error) (panes []pane, calls int, err error) {
	tr := newTranscript(nil)
	c := newConversation(tr)
	c.quiet, c.crew = true, &crew.Roster{Of: a}
	err = guard(func() error {
		return play(func(e agent.Event) {
			if _, ok := e.(agent.ToolEnd); ok {
				calls++
			}
			c.take(e, c.now)
		})
	})
	if err == nil && len(tr.panes) == 0 {
		err = errors.New(lang.T("nothing of it is kept"))
	}
	return tr.panes, calls, err
}

// enterWork shows a transcript as the work of an agent, its end first.
func (m *Model) enterWork(a *crew.Agent, tr *transcript) {
	tr.toEnd()
	tr.focus, tr.query = nil, reader.Query{}
	in := &inner{agent: a, title: crewTitle(a, m.th), tr: tr, above: m.inside, was: m.reads}
	in.fit(m)
	m.inside, m.reads, m.pager = in, &reading{}, nil
}

// insideRead takes the work that was read from a session; where that failed the report is
// shown, as it is of a call that was no agent's.
func (m *Model) insideRead(msg insideMsg) tea.Cmd {
	if msg.err == nil {
		tr := newTranscript(nil)
		tr.add(msg.panes...)
		if a := msg.call.sub; a.Calls == 0 {
			a.Calls = msg.calls
		}
		m.enterWork(msg.call.sub, tr)
		return nil
	}
	why := lang.T("what it did cannot be read: %s", oneLine(msg.err))
	cmd := m.openText(msg.call)
	if m.pager == nil {
		return m.say(why)
	}
	m.pager.note = why
	return cmd
}

// outside goes back to what lies beneath.
func (m *Model) outside() {
	in := m.inside
	m.inside, m.reads = in.above, in.was
	in.tr.focus = nil
	if m.reads == nil {
		m.unread()
	}
}

// crewTitle names an agent and its task, with those above it.
func crewTitle(a *crew.Agent, th *theme.Theme) string {
	name := strings.TrimSpace(a.Name)
	if name == "" {
		name = lang.T("a sub-agent")
	}
	for b := a.Above; b != nil; b = b.Above {
		name = b.Name + " " + th.Glyphs.Pointer + " " + name
	}
	if a.Task == "" {
		return safe.Line(name)
	}
	return safe.Line(name + ": " + a.Task)
}

// fit gives the view the looks of the screen.
func (in *inner) fit(m *Model) {
	t, d := in.tr, &m.tr.d
	if t.d.w != d.w || t.d.th != m.th {
		t.reshape(func(to *drawing) { to.w, to.th = d.w, m.th })
	}
	t.d.keys, t.d.now, t.d.reasoning, t.d.still, t.d.times = m.o.Keys, m.now, d.reasoning, d.still, d.times
}

// headRows is how much stands above the work in h rows: what is looked at, and how it
// stands.
func headRows(h int) int {
	switch {
	case h < 5:
		return 0
	case h < 8:
		return 1
	case h < 14:
		return 2
	}
	return 3
}

// view returns exactly h rows.
func (in *inner) view(m *Model, w, h int) []string {
	in.fit(m)
	th, n := m.th, headRows(h)
	in.head = n
	sep := " " + th.Glyphs.Sep + " "
	facts := in.agent.Facts(m.now)
	var head []string
	if n == 1 { // both share a row: the state is what moves
		state := safe.Truncate(safe.Line(facts[0]), w/2, th.Glyphs.Ellipsis)
		title := safe.Truncate(in.title, max(1, w-safe.Width(state)-2), th.Glyphs.Ellipsis)
		head = append(head, th.Title.Apply(title)+safe.Blanks(max(1, w-safe.Width(title)-safe.Width(state)))+th.Muted.Apply(state))
	}
	if n > 1 {
		head = append(head, th.Title.Apply(safe.Truncate(in.title, w, th.Glyphs.Ellipsis)),
			th.Muted.Apply(safe.Truncate(safe.Line(strings.Join(facts, sep)), w, th.Glyphs.Ellipsis)))
	}
	if n > 2 {
		head = append(head, "")
	}
	if h < 3 {
		in.head = 0
		return in.tr.view(h)
	}
	rows := append(head, in.tr.view(h-n-1)...)
	row, _ := m.readRow(w)
	return append(rows, row)
}

// polish is the work that makes what is looked at final.
func (m *Model) polish() tea.Cmd {
	if m.inside == nil {
		return m.tr.polish()
	}
	m.inside.fit(m)
	return m.inside.tr.polish()
}

// insideHead is the rows above the work in the frame that was drawn last.
func (m *Model) insideHead() int {
	if m.inside == nil {
		return 0
	}
	return m.inside.head
}

// subOf is the sub-agent a pane is the card of; nil: of none.
func subOf(p pane) *crew.Agent {
	if c, ok := p.(*call); ok {
		return c.sub
	}
	return nil
}

// crewHint is what the keys do where a sub-agent has the focus or is looked at; empty: what
// they always do.
func (m *Model) crewHint() string {
	keys := m.o.Keys
	a := subOf(m.shown().focus)
	switch {
	case a != nil && !a.Over():
		return keys.Named(lang.T("enter its work  x stop it alone  esc back  j k move  / find"), keymap.ReadOpen, keymap.ReadStop, keymap.ReadLeave, keymap.ReadNext, keymap.ReadBefore, keymap.ReadFind)
	case a != nil:
		return keys.Named(lang.T("enter its work  esc back  j k move  c copy  / find"), keymap.ReadOpen, keymap.ReadLeave, keymap.ReadNext, keymap.ReadBefore, keymap.ReadCopy, keymap.ReadFind)
	case m.inside != nil && !m.inside.agent.Over():
		return keys.Named(lang.T("x stop it alone  esc back  j k move  enter open  / find"), keymap.ReadStop, keymap.ReadLeave, keymap.ReadNext, keymap.ReadBefore, keymap.ReadOpen, keymap.ReadFind)
	case m.inside != nil:
		return keys.Named(lang.T("esc back  j k move  enter open  c copy  / find"), keymap.ReadLeave, keymap.ReadNext, keymap.ReadBefore, keymap.ReadOpen, keymap.ReadCopy, keymap.ReadFind)
	}
	return ""
}

// stopRead stops the sub-agent whose card had the focus, or the one looked at.
func (m *Model) stopRead(focus pane) tea.Cmd {
	a := subOf(focus)
	if a == nil && m.inside != nil {
		a = m.inside.agent
	}
	if a == nil {
		return m.say(lang.T("this stops a sub-agent, and none has the focus"))
	}
	return m.stopAgent(a)
}
