package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Favorites are models by name, as "provider/model" or "provider/model:effort". Its
// functions are called off the loop.
type Favorites struct {
	// List gives those the person marked, in their order, and those used lately, the last
	// one first.
	List func() (marked, recent []string)
	// Keep stores the marked ones.
	Keep func(marked []string) error
}

func (f *Favorites) list() (marked, recent []string) {
	if f == nil || f.List == nil {
		return nil, nil
	}
	return f.List()
}

// refParts parts a model's name from the effort behind it. IDs hold colons themselves, so
// only a known effort is taken for one.
func refParts(ref string) (name string, effort provider.Effort) {
	if i := strings.LastIndexByte(ref, ':'); i > 0 {
		if e := provider.Effort(ref[i+1:]); slices.Contains(provider.Efforts(), e) {
			return ref[:i], e
		}
	}
	return ref, provider.EffortDefault
}

// ref is the name a model is marked by.
func (c ModelChoice) ref() string {
	if c.Model.Provider == "" {
		return c.Model.ID
	}
	return c.Model.Provider + "/" + c.Model.ID
}

// is reports whether a name is this model's, and with which effort; empty: its own.
func (c ModelChoice) is(ref string) (provider.Effort, bool) {
	for _, own := range []string{c.ref(), c.label(), c.Model.ID} {
		if ref == own {
			return provider.EffortDefault, true
		}
		if name, effort := refParts(ref); name == own {
			return effort, true
		}
	}
	return provider.EffortDefault, false
}

// favorite is the place of the first name that is this model's; -1: none is.
func (c ModelChoice) favorite(marked []string) int {
	return slices.IndexFunc(marked, func(ref string) bool { _, is := c.is(ref); return is })
}

// favoritesFirst puts the marked models before the others, in the order of the marks.
func favoritesFirst(all []ModelChoice, marked []string) []ModelChoice {
	var first, rest []ModelChoice
	for _, ref := range marked {
		for _, c := range all {
			if _, is := c.is(ref); is && !slices.ContainsFunc(first, c.same) {
				first = append(first, c)
			}
		}
	}
	for _, c := range all {
		if !slices.ContainsFunc(first, c.same) {
			rest = append(rest, c)
		}
	}
	return append(first, rest...)
}

func (c ModelChoice) same(o ModelChoice) bool {
	return c.Model.ID == o.Model.ID && c.Model.Provider == o.Model.Provider
}

// chooseAmong is the list of models, favorites first. One that is marked in it stays where
// it stands until the list is opened again.
func (m *Model) chooseAmong(title string, all []ModelChoice) tea.Cmd {
	list := favoritesFirst(all, m.marked)
	p := dialog.NewPicker(m.th, title, m.modelEntries(list), func(i int) tea.Cmd { return m.takeModel(list[i]) })
	if keeps := m.o.Favorites; keeps != nil && keeps.Keep != nil {
		turns := &switching{}
		put := func(marked []string) { m.marked = marked; p.Renew(m.modelEntries(list)) }
		p.Do = map[keymap.Action]func(int) tea.Cmd{keymap.ListFavorite: func(i int) tea.Cmd {
			marked := m.toggled(list[i])
			put(marked)
			return turns.do(lang.T("mark %s", list[i].label()), func() error { return keeps.Keep(marked) }, func() func() {
				now, _ := keeps.list()
				return func() { put(now) }
			})
		}}
		p.Help = lang.T("enter choose · ctrl+f favorite · esc close")
	}
	return m.dialogs.Push(p)
}

// toggled are the marked models with one more, or one less. The one that answers is marked
// with the effort it has.
func (m *Model) toggled(c ModelChoice) []string {
	effort := provider.EffortDefault
	if c.same(ModelChoice{Model: m.answering()}) && m.status.effort != m.answering().Default {
		effort = m.status.effort
	}
	marked, _ := toggle(m.marked, c, effort)
	return marked
}

// toggle marks a model, or takes every mark of it.
func toggle(marked []string, c ModelChoice, effort provider.Effort) (now []string, on bool) {
	if c.favorite(marked) >= 0 {
		return slices.DeleteFunc(slices.Clone(marked), func(ref string) bool { _, is := c.is(ref); return is }), false
	}
	ref := c.ref()
	if effort != provider.EffortDefault {
		ref += ":" + string(effort)
	}
	return append(slices.Clone(marked), ref), true
}

func (m *Model) modelEntries(list []ModelChoice) []dialog.Entry {
	entries := make([]dialog.Entry, len(list))
	some := slices.ContainsFunc(list, func(c ModelChoice) bool { return c.favorite(m.marked) >= 0 })
	for i, c := range list {
		e := dialog.Entry{Label: c.label(), Detail: c.Note, Search: c.Model.ID + " " + c.Model.Name,
			Chosen: c.same(ModelChoice{Model: m.status.model})}
		if at := c.favorite(m.marked); at >= 0 {
			e.Mark = m.th.Glyphs.Star
			if effort, _ := c.is(m.marked[at]); effort != provider.EffortDefault {
				e.Detail = string(effort) + lang.T(" · ") + e.Detail
			}
			e.Search += " " + lang.T("favorite")
		} else if some { // the names stand beneath each other
			e.Mark = " "
		}
		entries[i] = e
	}
	return entries
}

// candidate is a model that keys lead to.
type candidate struct {
	choice ModelChoice
	effort provider.Effort
}

// around lists where steps through a ring of names lead: the model that is meant first, then
// those behind it. where is the place of the one that answers, -1: it is not in there. gone
// are names on the way of which there is no model. Efforts that no name tells are those of
// recent.
func around(ring, recent []string, all []ModelChoice, where, by int) (to []candidate, gone []string) {
	n, dir, presses := len(ring), 1, by
	if by < 0 {
		dir, presses = -1, -by
	}
	at := where
	if at < 0 && dir < 0 {
		at = 0
	}
	for range ring {
		if at = (at + dir + n) % n; at == where {
			break
		}
		c, effort, there := find(all, ring[at])
		switch {
		case there:
			if effort == provider.EffortDefault {
				effort = lastEffort(c, recent)
			}
			to = append(to, candidate{c, effort})
		case len(to) < presses:
			gone = append(gone, ring[at])
		}
	}
	if len(to) > 0 {
		k := (presses - 1) % len(to)
		to = append(slices.Clone(to[k:]), to[:k]...)
	}
	return to, gone
}

// lastEffort is the effort a model was used with last, where that is known.
func lastEffort(c ModelChoice, recent []string) provider.Effort {
	for _, ref := range recent {
		if e, is := c.is(ref); is {
			return e
		}
	}
	return provider.EffortDefault
}

func find(all []ModelChoice, ref string) (ModelChoice, provider.Effort, bool) {
	for _, c := range all {
		if effort, is := c.is(ref); is {
			return c, effort, true
		}
	}
	return ModelChoice{}, provider.EffortDefault, false
}

// whereIn is where a model stands in a ring: with its effort, else without; -1: nowhere.
func whereIn(ring []string, m provider.Model, effort provider.Effort) int {
	c := ModelChoice{Model: m}
	exact := slices.IndexFunc(ring, func(ref string) bool {
		e, is := c.is(ref)
		return is && (e == effort || e == provider.EffortDefault && effort == m.Default)
	})
	if exact >= 0 {
		return exact
	}
	return c.favorite(ring)
}

// passedOver says that models were passed over, and why.
func passedOver(gone []string) (out []string) {
	for _, ref := range gone {
		out = append(out, lang.T("%s was passed over: no key, or gone", safe.Line(ref)))
	}
	return out
}

// nowWith says which model answers, with its effort, and what was passed over.
func nowWith(model provider.Model, effort provider.Effort, passed []string) string {
	said := lang.T("now with %s", safe.Line(model.ID))
	if effort != provider.EffortDefault {
		said += lang.T(" · ") + string(effort)
	}
	return strings.Join(append([]string{said}, passed...), lang.T(" · "))
}
