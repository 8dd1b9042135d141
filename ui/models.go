package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/ui/dialog"
	"forge/ui/lang"
)

func (m *Model) cmdModel(arg string) tea.Cmd {
	if m.o.SetModel == nil || m.o.Models == nil {
		return m.say(lang.T("the model cannot be changed here"))
	}
	switch by, name, marks := modelWords(arg); {
	case by != 0:
		return m.walkModels(by)
	case marks:
		return m.markModel(name)
	}
	return m.listModels(arg, arg == "")
}

// listModels asks for the models, off the loop and never before somebody wants
// them: local servers are looked for over the network.
func (m *Model) listModels(want string, show bool) tea.Cmd {
	list, favorites := m.o.Models, m.o.Favorites
	ask := func(ctx context.Context) tea.Msg {
		all, err := list(ctx)
		if err != nil && len(all) == 0 {
			return failed{lang.T("list models"), err}
		}
		marked, _ := favorites.list()
		return modelsMsg{all, marked, show, want}
	}
	if show || want != "" {
		return m.goFor(lang.T("asking for the models"), nil, ask)
	}
	return func() tea.Msg { // for a completion: nobody waits
		ctx, cancel := m.context()
		defer cancel()
		return ask(ctx)
	}
}

func (m *Model) pickModel() tea.Cmd {
	if len(m.models) == 0 && m.o.Ways != nil { // what is chosen there is a first model like any other
		m.o.FirstRun = m.o.Ways()
		return tea.Batch(m.say(lang.T("no model can be reached now")), m.firstRun())
	}
	if len(m.models) == 0 {
		return m.say(lang.T("no model is known; give one with --model"))
	}
	return m.chooseAmong(lang.T("Choose a model"), m.models)
}

func (c ModelChoice) label() string {
	switch {
	case c.Label != "":
		return c.Label
	case c.Model.Provider != "":
		return c.Model.Provider + "/" + c.Model.ID
	}
	return c.Model.ID
}

// chooseModel takes a model by its whole name, or by a part only one has.
func (m *Model) chooseModel(want string) tea.Cmd {
	var part []ModelChoice
	for _, c := range m.models {
		if c.Model.ID == want || c.label() == want {
			return m.takeModel(c)
		}
		if strings.Contains(strings.ToLower(c.label()+" "+c.Model.ID), strings.ToLower(want)) {
			part = append(part, c)
		}
	}
	switch len(part) {
	case 0:
		return m.say(lang.T("no model %s; /model lists them", want))
	case 1:
		return m.takeModel(part[0])
	}
	return m.chooseAmong(lang.T("Models named %s", want), part)
}

// takeModel goes on with a model that was chosen from a list or by its name. The one
// that answers already keeps the effort it was given.
func (m *Model) takeModel(c ModelChoice) tea.Cmd {
	if now := m.answering(); c.Model.ID == now.ID && c.Model.Provider == now.Provider && m.o.FirstRun == nil {
		return m.say(lang.T("%s is what answers", c.Model.ID))
	}
	return m.setModel(c, provider.EffortDefault)
}

func (m *Model) setModel(c ModelChoice, e provider.Effort) tea.Cmd {
	m.quick.aiming, m.quick.walking = false, false // what keys asked for before does not count any more
	return m.setEffort(c, func() provider.Effort { return e })
}

// setEffort is setModel with an effort that is asked for when it takes effect, off the
// loop.
func (m *Model) setEffort(c ModelChoice, effort func() provider.Effort) tea.Cmd {
	set, sets := m.o.SetModel, &m.sets
	return m.setSoon(c, func() tea.Msg {
		n, e := sets.Add(1), effort()
		model, err := set(c, e)
		if err != nil {
			return modelKept{failed{lang.T("choose %s", c.label()), err}}
		}
		if e == provider.EffortDefault {
			e = model.Default
		}
		return modelSet{model: model, effort: e, n: n}
	})
}

// setSoon has another model or effort take effect: now, or with the next step of the run
// that is on. c is what is probably meant.
func (m *Model) setSoon(c ModelChoice, change func() tea.Msg) tea.Cmd {
	if !m.busy() {
		return m.between(change)
	}
	what := lang.T("%s answers from the next step on", c.Model.ID)
	if now := m.answering(); c.Model.ID == now.ID && c.Model.Provider == now.Provider {
		what = lang.T("the effort changes with the next step")
	}
	m.coming = c.Model
	return tea.Batch(m.say(what), m.soon(change))
}

// modelKept says that the model could not be changed.
type modelKept struct{ failed }

// answering is the model that answers next: the one that was chosen during a run and
// is not in force yet, else the one that is.
func (m *Model) answering() provider.Model {
	if m.coming.ID != "" {
		return m.coming
	}
	return m.status.model
}

func (m *Model) completeModel(prefix string) []string {
	if m.models == nil {
		m.wantsList = true
	}
	var all []string
	for _, c := range m.models {
		all = append(all, c.label())
	}
	return beginning(append(all, "next", "back", "favorite"), prefix)
}

// wanted asks for what a completion missed.
func (m *Model) wanted() tea.Cmd {
	if !m.wantsList || m.models != nil || m.o.Models == nil {
		return nil
	}
	m.wantsList = false
	return m.listModels("", false)
}

func (m *Model) efforts() []string { return effortsOf(m.answering()) }

// effortsOf is how much a model can be told to think.
func effortsOf(m provider.Model) []string {
	list := m.Efforts
	if len(list) == 0 {
		list = provider.Efforts()
	}
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = string(e)
	}
	return out
}

// ownEffort is how a person names the effort the model has by itself.
const ownEffort = "default"

func (m *Model) completeEffort(prefix string) []string {
	return beginning(append(m.efforts(), ownEffort), prefix)
}

func (m *Model) cmdEffort(arg string) tea.Cmd {
	if m.o.SetModel == nil {
		return m.say(lang.T("the effort cannot be changed here"))
	}
	all := m.efforts()
	now := ModelChoice{Model: m.answering()}
	if arg == ownEffort {
		return m.setModel(now, provider.EffortDefault)
	}
	if arg != "" {
		if !slices.Contains(all, arg) {
			return m.say(lang.T("no effort %s; there are %s", arg, strings.Join(append(all, ownEffort), ", ")))
		}
		return m.setModel(now, provider.Effort(arg))
	}
	entries := make([]dialog.Entry, len(all))
	for i, e := range all {
		entries[i] = dialog.Entry{Label: e, Chosen: e == string(m.status.effort)}
	}
	own := dialog.Entry{Label: ownEffort, Detail: lang.T("what the model does by itself")}
	if e := m.answering().Default; e != provider.EffortDefault {
		own.Detail += ": " + string(e)
	}
	own.Chosen = m.status.effort == provider.EffortDefault
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("How much the model thinks"), append(entries, own), func(i int) tea.Cmd {
		if i == len(all) {
			return m.setModel(now, provider.EffortDefault)
		}
		return m.setModel(now, provider.Effort(all[i]))
	}))
}
