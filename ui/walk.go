package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Keys that go through models: the favorites, or those used lately.

// walk is where those keys have led.
type walk struct {
	steps   int  // asked for while what there is to go through is being read
	reading bool // it is
	// course is where the last key led. Keys pressed one after the other may take effect in any
	// order: each brings what the last of them meant.
	course  atomic.Pointer[[]candidate]
	walking bool // it is not in force yet
	// lately are those used lately as they were when the walk began: going to one makes it
	// the last one used. It ends when another model is chosen.
	lately []string
	again  bool // names without a model were looked for anew
}

// ringRead brings what there is to go through.
type ringRead struct {
	models         []ModelChoice
	marked, recent []string
	err            error
}

// walkModels goes on by some models.
func (m *Model) walkModels(by int) tea.Cmd {
	if m.o.SetModel == nil || m.o.Models == nil {
		return m.say(lang.T("the model cannot be changed here"))
	}
	m.quick.steps += by
	if m.quick.reading {
		return nil
	}
	m.quick.reading = true
	models, list, favorites, again := m.models, m.o.Models, m.o.Favorites, m.quick.again
	m.quick.again = true
	ctx, cancel := m.context()
	read := func() tea.Msg {
		defer cancel()
		out := ringRead{models: models}
		if err := guard(func() error {
			out.marked, out.recent = favorites.list()
			missing := func(ref string) bool { _, _, there := find(models, ref); return !there }
			// A server of this machine may have been started since.
			if len(models) == 0 || !again && slices.ContainsFunc(out.marked, missing) {
				out.models, out.err = list(ctx)
			}
			return nil
		}); err != nil {
			out.err = err
		}
		return out
	}
	if len(models) > 0 {
		return read
	}
	return tea.Batch(m.say(lang.T("asking for the models")), read)
}

// walk goes where the keys led.
func (m *Model) walk(msg ringRead) tea.Cmd {
	by := m.quick.steps
	m.quick.steps, m.quick.reading = 0, false
	if msg.err != nil && len(msg.models) == 0 {
		return m.show(failed{lang.T("list models"), msg.err})
	}
	m.models, m.marked = msg.models, msg.marked
	ring := msg.marked
	if len(ring) == 0 {
		if len(m.quick.lately) == 0 {
			m.quick.lately = msg.recent
		}
		ring = m.quick.lately
	}
	if by == 0 { // there and back again
		return nil
	}
	now, effort := m.answering(), m.status.effort
	if to := m.quick.course.Load(); m.quick.walking && to != nil {
		now, effort = (*to)[0].choice.Model, (*to)[0].effort
	}
	to, gone := around(ring, msg.recent, m.models, whereIn(ring, now, effort), by)
	if len(to) == 0 {
		said := m.o.Keys.Named(lang.T("there is no other favorite model, nor one used lately; alt+p lists all, and ctrl+f marks one there"), keymap.PickModel, keymap.ListFavorite)
		return m.say(strings.Join(append(passedOver(gone), said), lang.T(" · ")))
	}
	m.quick.aiming, m.quick.walking = false, true
	m.quick.course.Store(&to)
	return m.setSoon(to[0].choice, m.arrive(gone))
}

// arrive takes the first of the models aimed at that can be had, off the loop.
func (m *Model) arrive(gone []string) func() tea.Msg {
	set, sets, aim := m.o.SetModel, &m.sets, &m.quick.course
	return func() tea.Msg {
		n, passed, to := sets.Add(1), passedOver(gone), aim.Load()
		for _, c := range *to {
			model, err := set(c.choice, c.effort)
			if err != nil {
				passed = append(passed, c.choice.label()+lang.T(": ")+oneLine(err))
				continue
			}
			effort := c.effort
			if effort == provider.EffortDefault {
				effort = model.Default
			}
			return modelSet{model: model, effort: effort, n: n, aim: to, passed: passed}
		}
		return modelKept{failed{lang.T("choose a model"), errors.New(strings.Join(passed, lang.T(" · ")))}}
	}
}

// arrived notes that a model is in force; same: it was before.
func (w *walk) arrived(msg modelSet, same bool) {
	switch {
	case msg.aim != nil:
		w.walking = w.walking && w.course.Load() != msg.aim // else a key was pressed since
	case !same:
		w.lately, w.walking = nil, false
	}
}

// modelWords reads words behind /model that are no model's name: next and back go through
// the favorites, favorite marks one, or takes the mark from it.
func modelWords(words string) (by int, mark string, marks bool) {
	switch words = strings.TrimSpace(words); words {
	case "next":
		return 1, "", false
	case "back":
		return -1, "", false
	case "favorite":
		return 0, "", true
	}
	mark, marks = strings.CutPrefix(words, "favorite ")
	return 0, strings.TrimSpace(mark), marks
}

// markModel marks the model of a name, or the one that answers.
func (m *Model) markModel(name string) tea.Cmd {
	keeps := m.o.Favorites
	if keeps == nil || keeps.Keep == nil || m.o.Models == nil {
		return m.say(lang.T("favorite models cannot be kept here"))
	}
	now, effort, list := ModelChoice{Model: m.answering()}, m.status.effort, m.o.Models
	return m.goFor(lang.T("asking for the models"), nil, func(ctx context.Context) tea.Msg {
		c, err := meant(ctx, name, now, list)
		if err != nil {
			return failed{"", err}
		}
		marked, said, err := keeps.mark(c, now, effort)
		if err != nil {
			return failed{lang.T("mark %s", c.label()), err}
		}
		return markedMsg{marked, said}
	})
}

// markedMsg brings the favorites as they are now.
type markedMsg struct {
	marked []string
	said   string
}

// mark marks a model, or takes the mark from it, and says which. The one that answers is
// marked with the effort it has.
func (f *Favorites) mark(c, now ModelChoice, effort provider.Effort) (marked []string, said string, err error) {
	if !c.same(now) || effort == now.Model.Default {
		effort = provider.EffortDefault
	}
	before, _ := f.list()
	marked, on := toggle(before, c, effort)
	said = lang.T("%s is no favorite any more", safe.Line(c.ref()))
	if on {
		said = lang.T("%s is a favorite now", safe.Line(c.ref()))
	}
	return marked, said, f.Keep(marked)
}

// meant is the model of a name, or of a part that only one has; without a name it is now.
func meant(ctx context.Context, name string, now ModelChoice, list func(context.Context) ([]ModelChoice, error)) (ModelChoice, error) {
	if name == "" {
		return now, nil
	}
	all, err := list(ctx)
	if err != nil && len(all) == 0 {
		return ModelChoice{}, err
	}
	var part []ModelChoice
	for _, c := range all {
		if _, is := c.is(name); is {
			return c, nil
		}
		if strings.Contains(strings.ToLower(c.label()), strings.ToLower(name)) {
			part = append(part, c)
		}
	}
	if len(part) != 1 {
		return ModelChoice{}, errors.New(lang.T("no model %s; /model lists them", safe.Line(name)))
	}
	return part[0], nil
}
