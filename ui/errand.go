package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
)

// errand is work outside of a run that a person waits for: a key being tried, a
// list of models being asked for. The status line says what it is, and Esc ends
// the wait. There is at most one; a new one takes the place of the last.
type errand struct {
	id      int
	cancel  context.CancelFunc
	stopped tea.Cmd // what follows when the person stops it; may be nil
}

// errandDone brings what an errand came back with.
type errandDone struct {
	id  int
	msg tea.Msg
}

// goFor does f off the loop and says what in the status line until it ends.
// What it returns is taken unless the person stopped it before.
func (m *Model) goFor(what string, stopped tea.Cmd, f func(ctx context.Context) tea.Msg) tea.Cmd {
	m.drop()
	ctx, cancel := m.context()
	m.errands++
	id := m.errands
	m.errand = &errand{id: id, cancel: cancel, stopped: stopped}
	if !m.busy() {
		m.status.wait(what, m.now)
	}
	return tea.Batch(m.ticks(), func() tea.Msg {
		defer cancel()
		done := errandDone{id: id}
		if err := guard(func() error { done.msg = f(ctx); return nil }); err != nil {
			done.msg = failed{what, err}
		}
		return done
	})
}

// returned takes what an errand brought, unless nobody waits for it any more.
func (m *Model) returned(d errandDone) tea.Cmd {
	if m.errand == nil || m.errand.id != d.id {
		return nil
	}
	m.drop()
	if d.msg == nil {
		return nil
	}
	return m.update(d.msg)
}

// drop forgets the errand, and cancels it.
func (m *Model) drop() {
	if m.errand == nil {
		return
	}
	m.errand.cancel()
	m.errand = nil
	if !m.busy() {
		m.status.wait("", m.now)
	}
}

// turnBack stops the errand, and reports whether there was one.
func (m *Model) turnBack() (tea.Cmd, bool) {
	if m.errand == nil || m.busy() { // then it is the run that is meant
		return nil, false
	}
	next := m.errand.stopped
	m.drop()
	return tea.Batch(m.say(lang.T("stopped")), next), true
}
