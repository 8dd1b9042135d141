package ui

import (
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// Keys that change what answers, and how much it thinks, without a list.

// quick is what those keys go by.
type quick struct {
	model  provider.Model // that answered before the one there is
	effort provider.Effort
	// aim is the effort asked for last, a provider.Effort. Keys pressed one after the other
	// may take effect in any order: each brings what all of them came to.
	aim    atomic.Value
	aiming bool // it is not in force yet

	walk // through models
}

// aimed is the effort that keys asked for last.
func (q *quick) aimed() provider.Effort {
	e, _ := q.aim.Load().(provider.Effort)
	return e
}

// swapModel goes back to the model that answered before, with the effort it had; once
// more leads forth again.
func (m *Model) swapModel() tea.Cmd {
	switch {
	case m.o.SetModel == nil:
		return m.say(lang.T("the model cannot be changed here"))
	case m.quick.model.ID == "":
		return m.say(m.o.Keys.Named(lang.T("no other model has answered here; alt+p chooses one"), keymap.PickModel))
	}
	return m.setModel(ModelChoice{Model: m.quick.model}, m.quick.effort)
}

// stepEffort lets the model think one step more or less: by is 1 or -1. Where it is
// told nothing it counts from what it does by itself, as far as that is known.
func (m *Model) stepEffort(by int) tea.Cmd {
	if m.o.SetModel == nil {
		return m.say(lang.T("the effort cannot be changed here"))
	}
	all, model, now := m.efforts(), m.answering(), m.status.effort
	if m.quick.aiming {
		now = m.quick.aimed()
	}
	if now == provider.EffortDefault {
		now = model.Default
	}
	at := slices.Index(all, string(now))
	if at < 0 {
		at = max(slices.Index(all, string(provider.EffortMedium)), 0)
	}
	switch at += by; {
	case at < 0:
		return m.say(lang.T("%s thinks no less than %s", model.ID, all[0]))
	case at >= len(all):
		return m.say(lang.T("%s thinks no more than %s", model.ID, all[len(all)-1]))
	}
	m.quick.aim.Store(provider.Effort(all[at]))
	m.quick.aiming = true
	return m.setEffort(ModelChoice{Model: model}, m.quick.aimed)
}
