package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/crew"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Crew is what the screen can do with sub-agents that were started.
type Crew struct {
	// Stop ends one alone: the one that runs as the last of these calls, each of which
	// belongs to the agent of the one before it. false: none is at work there. It must
	// not block; nil: none can be stopped alone.
	Stop func(path []string) bool
	// Retell tells what one did whose conversation is kept: the last of these sessions,
	// each of which lies with the one before it, the first with the conversation there
	// is. It is called off the loop; nil: none can be read.
	Retell func(sessions []string, sink agent.Sink) error
}

// AgentInfo is a sub-agent there is, for /agents.
type AgentInfo struct {
	Name, About string
	Source      string // whose it is, and its file
	Tools       string
	Model       string // empty: its parent's
}

// roll is the list of the sub-agents of a run, kept up with them while it is open.
type roll struct {
	picker *dialog.Picker
	agents []*crew.Agent
}

// cmdAgents lists the sub-agents at work; where none is, those there are.
func (m *Model) cmdAgents(string) tea.Cmd {
	if len(m.talk.crew.Running()) == 0 {
		return m.definitions()
	}
	r := &roll{agents: m.talk.crew.All()}
	entries := r.entries(m)
	p := dialog.NewPicker(m.th, lang.T("Sub-agents at work"), entries, func(i int) tea.Cmd {
		m.roll = nil
		if i >= len(r.agents) {
			return m.definitions()
		}
		return m.openAgent(r.agents[i])
	})
	p.Leave = func() tea.Cmd { m.roll = nil; return nil }
	p.Keys = map[keymap.Action]func(int) tea.Cmd{keymap.ListDelete: func(i int) tea.Cmd {
		m.roll = nil
		if i >= len(r.agents) {
			return m.cmdAgents("")
		}
		cmd := tea.Batch(m.stopAgent(r.agents[i]), m.cmdAgents(""))
		if m.roll != nil {
			m.roll.picker.Point(slices.Index(m.roll.agents, r.agents[i]))
		}
		return cmd
	}}
	p.Help = strings.Join([]string{lang.T("enter its work"), lang.T("ctrl+x stop it alone"), lang.T("esc close")}, lang.T(" · "))
	r.picker = p
	m.roll = r
	return m.dialogs.Push(p)
}

// entries are the lines of the list; the last one leads to the definitions.
func (r *roll) entries(m *Model) (out []dialog.Entry) {
	for _, a := range r.agents {
		facts := a.Facts(m.now)
		out = append(out, dialog.Entry{Label: crewTitle(a, m.th), Detail: strings.Join(facts, lang.T(" · "))})
	}
	return append(out, dialog.Entry{Label: lang.T("the sub-agents there are")})
}

// keepRoll brings the open list up to date.
func (m *Model) keepRoll() {
	if m.roll == nil {
		return
	}
	if !m.dialogs.Active() {
		m.roll = nil
		return
	}
	for _, a := range m.talk.crew.All() {
		known := false
		for _, b := range m.roll.agents {
			known = known || a == b
		}
		if !known {
			m.roll.agents = append(m.roll.agents, a)
		}
	}
	m.roll.picker.Renew(m.roll.entries(m))
}

// openAgent opens the work of an agent of this run.
func (m *Model) openAgent(a *crew.Agent) tea.Cmd {
	if c := m.talk.card(a.Path()); c != nil && c.sub != nil {
		if cmd, ok := m.goInside(c); ok {
			return cmd
		}
	}
	return m.say(lang.T("nothing of it is kept"))
}

// card is the card of an agent, by the calls that lead to it.
func (c *conversation) card(path []string) *call {
	p := c.calls[path[0]]
	switch {
	case p == nil || len(path) == 1:
		return p
	case p.track == nil || p.track.talk == nil:
		return nil
	}
	return p.track.talk.card(path[1:])
}

// stopAgent ends a sub-agent alone. What started it is told.
func (m *Model) stopAgent(a *crew.Agent) tea.Cmd {
	name := safe.Line(a.Name)
	switch {
	case a.Over():
		return m.say(lang.T("%s has ended already", name))
	case m.o.Crew.Stop == nil:
		return m.say(lang.T("a sub-agent cannot be stopped alone here"))
	case !m.o.Crew.Stop(a.Path()):
		return m.say(lang.T("%s is not at work", name))
	}
	m.sparing = lang.T("stopping %s; the others go on", name)
	return m.say(m.sparing)
}

// crewAsks notes whose question was put to the person, or, with by -1, is not open any more.
func (m *Model) crewAsks(q *ask, by int) {
	if q.request == nil {
		return
	}
	if a := m.talk.crew.Find(q.request.Effect.Under...); a != nil {
		a.Asks(by)
		if c := m.talk.card(a.Path()); c != nil {
			c.version++
		}
	}
}

// definitions shows the sub-agents there are.
func (m *Model) definitions() tea.Cmd {
	list := m.o.Agents
	if list == nil {
		return m.say(lang.T("there are no sub-agents here"))
	}
	all := list()
	m.pager = &pager{title: lang.T("Sub-agents"), draw: func(th *theme.Theme, w int) []string {
		var rows []string
		for _, a := range all {
			rows = append(rows, th.Title.Apply(safe.Truncate(safe.Line("@"+a.Name), w, th.Glyphs.Ellipsis))+"  "+th.Faint.Apply(clip(a.Source, max(1, w-safe.Width(a.Name)-3), th)))
			rows = append(rows, indent(wrap(a.About, max(1, w-2*gutter), th.Text), gutter)...)
			model := a.Model
			if model == "" {
				model = lang.T("the model in use")
			}
			facts := lang.T("tools: %s", a.Tools) + " " + th.Glyphs.Sep + " " + lang.T("model: %s", model)
			rows = append(append(rows, indent(wrap(facts, max(1, w-2*gutter), th.Muted), gutter)...), "")
		}
		return append(rows, wrap(lang.T("Name one in a prompt to give it the task: @explore where is this decided?"), max(1, w), th.Faint)...)
	}}
	return nil
}
