package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
)

// ticks keeps the clock going while something on the screen moves with it: ten
// times a second for a spinner, once for a count of seconds, else never.
func (m *Model) ticks() tea.Cmd {
	if m.ticking || !m.busy() && m.errand == nil && m.hears == nil {
		return nil
	}
	d := tick
	if m.tr.d.still || len(m.asks) > 0 && !m.talk.spinning() || !m.busy() && m.errand == nil {
		d = slowTick // it is the person who is waited for
	}
	m.ticking = true
	return tea.Tick(d, func(time.Time) tea.Msg { return tickMsg{} })
}

// say shows one line in the status for a while.
func (m *Model) say(text string) tea.Cmd {
	stays := flashTime
	if len(text) > flashShort {
		stays = flashLong
	}
	return m.sayFor(text, stays)
}

// sayAgain says what a second press of a key does, for as long as that counts.
func (m *Model) sayAgain(text string) tea.Cmd { return m.sayFor(text, twice) }

func (m *Model) sayFor(text string, stays time.Duration) tea.Cmd {
	m.status.flash = lang.Said(text)
	m.flashes++
	n := m.flashes
	return tea.Tick(stays, func(time.Time) tea.Msg { return unflash{n} })
}

// show tells of an action that did not work.
func (m *Model) show(f failed) tea.Cmd {
	text := oneLine(f.err)
	if f.what != "" {
		text = f.what + lang.T(": ") + text
	}
	m.tr.add(newError(text, hint(f.err)))
	return nil
}

func (m *Model) loadTodos() tea.Cmd {
	load := m.o.Todos
	if load == nil {
		return nil
	}
	return func() tea.Msg { return todosMsg{load()} }
}
