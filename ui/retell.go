package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	stored "forge/agent/session"
	"forge/ui/lang"
)

// told is a stored conversation, folded into panes. It comes up the feed, so that
// it stands before whatever a run says after it.
type told struct {
	panes  []pane
	status status
	past   int  // which conversation
	end    bool // only its end; the whole follows
	left   *stored.Left
}

// retold folds the events of a stored conversation. It runs off the loop, on
// panes that nobody else has yet; rows are made only for what is visible.
func retold(play func(agent.Sink)) told {
	tr := newTranscript(nil)
	c := newConversation(tr)
	c.quiet = true
	var s status
	var left *stored.Left
	play(func(e agent.Event) {
		if u, ok := e.(agent.Unfinished); ok {
			left = &u.Left
			return
		}
		s.take(e, time.Time{})
		c.take(e, time.Time{})
	})
	return told{panes: tr.panes, status: s, left: left}
}

// replay shows the conversation the agent has.
func (m *Model) replay() tea.Cmd {
	a, feed, past := m.o.Agent, m.o.Feed, m.past
	return m.between(func() tea.Msg {
		t := retold(a.Replay)
		t.past = past
		feed.send(t)
		return nil
	})
}

// restore opens the conversation to begin with and shows it, its end first. It
// holds the gate from the start: a prompt waits until the agent knows all that
// was said before.
func (m *Model) restore() tea.Cmd {
	m.gate <- struct{}{}
	o, gate, past := m.o, m.gate, m.past
	return func() tea.Msg {
		defer func() { <-gate }()
		err := guard(func() error {
			if o.Peek != nil {
				if t := retold(o.Peek); len(t.panes) > 0 {
					t.past, t.end = past, true
					o.Feed.send(t)
				}
			}
			if err := o.Restore(); err != nil {
				return err
			}
			t := retold(o.Agent.Replay)
			t.past = past
			o.Feed.send(t)
			return nil
		})
		if err != nil {
			o.Feed.send(failed{lang.T("open the conversation"), err})
		}
		return nil
	}
}

// adopt shows what was told in the place of what was told before. The window
// stays on what it shows: the end of a conversation is also the end of the whole.
func (m *Model) adopt(t told) tea.Cmd {
	if t.past != m.past {
		return nil
	}
	if !t.end && len(t.panes) == 0 {
		t.panes = []pane{newWelcome(m.o, &m.status)}
	}
	m.tr.replace(m.told, t.panes)
	if m.job != nil { // a prompt was sent meanwhile: what it began goes on
		m.talk.turn += len(t.panes) - m.told
	} else {
		m.talk = newConversation(m.tr)
	}
	m.told = len(t.panes)
	s := &m.status
	s.used = t.status.used
	if t.status.window > 0 {
		s.window = t.status.window
	}
	if t.end {
		return nil
	}
	s.usage, s.cost, s.costKnown = t.status.usage, t.status.cost, t.status.costKnown
	m.gone.cost = s.cost
	m.unsuggest()
	if t.left != nil {
		m.takeLeft(*t.left)
	}
	return tea.Batch(m.loadTodos(), m.readPlace(), m.readPanel()) // what was read at the start was of no conversation yet
}

// replace puts panes in the place of the first n. The rows of an answer that was
// there before, counted from the end, are not made twice.
func (t *transcript) replace(n int, panes []pane) {
	for i := 1; i <= min(n, len(panes)); i++ {
		was, ok1 := t.panes[n-i].(*answer)
		is, ok2 := panes[len(panes)-i].(*answer)
		if ok1 && ok2 && was.md != nil && is.md != nil && was.md.Text() == is.md.Text() {
			is.md, is.bytes, is.frame = was.md, was.bytes, was.frame
			was.md, was.bytes = nil, 0
		}
	}
	for _, p := range t.panes[:n] {
		t.d.bytes -= p.forget()
	}
	if t.top.pane += len(panes) - n; t.top.pane < 0 {
		t.top = spot{}
	}
	t.was = place{}
	t.refold()
	t.panes = append(panes, t.panes[n:]...)
}
