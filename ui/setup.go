package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/tools"
	"forge/ui/dialog"
	"forge/ui/lang"
)

// localsMsg lists the models of servers on this machine.
type localsMsg struct{ list []ModelChoice }

// firstRun offers the ways to a first model. Whatever is chosen ends in a
// modelSet, or in one line that says what went wrong, and the choice again.
func (m *Model) firstRun() tea.Cmd {
	f := m.o.FirstRun
	if f == nil || m.dialogs.Active() {
		return nil
	}
	type way struct {
		entry dialog.Entry
		take  func() tea.Cmd
	}
	var ways []way
	for _, k := range f.Keys {
		ways = append(ways, way{dialog.Entry{Label: lang.T("Paste a key for %s", k.Name)}, func() tea.Cmd { return m.askKey(k) }})
	}
	if l := m.o.Logins; l != nil {
		ways = append(ways, way{dialog.Entry{Label: lang.T("Paste a key for another provider"), Detail: lang.T("every one forge knows, with a filter"), Rest: f.Names}, func() tea.Cmd { return m.readLogins("", false) }},
			way{dialog.Entry{Label: lang.T("Another endpoint"), Detail: lang.T("by its address; a key if it wants one")}, func() tea.Cmd { return m.askEndpoint(OtherEndpoint{}) }})
	}
	if f.Local != nil {
		ways = append(ways, way{dialog.Entry{Label: lang.T("Use a model on this machine"), Detail: "Ollama, llama.cpp, LM Studio, vLLM"},
			m.findLocal})
	}
	if f.Demo != nil {
		ways = append(ways, way{dialog.Entry{Label: lang.T("Try the demo"), Detail: lang.T("no key, nothing leaves this machine")},
			func() tea.Cmd {
				f.Demo(m.written())
				m.comp.SetValue("") // it goes on there
				return tea.Quit
			}})
	}
	if len(ways) == 0 {
		return m.say(lang.T("no model can be reached: give one with --provider and --model"))
	}
	entries := make([]dialog.Entry, len(ways))
	for i, w := range ways {
		entries[i] = w.entry
	}
	p := dialog.NewPicker(m.th, lang.T("Which model shall forge use?"), entries, func(i int) tea.Cmd {
		f.at = i
		return ways[i].take()
	})
	p.Point(f.at)
	p.Yields = true
	return m.dialogs.Push(p)
}

// askKey lets a key be pasted. It is shown as dots and goes nowhere but to Try.
func (m *Model) askKey(k KeyChoice) tea.Cmd {
	return m.askSecret(keyQuestion(k.Name), func(r tools.Reply) tea.Msg { return keyGiven{k, r.Values["key"]} })
}

// keyQuestion asks for a key.
func keyQuestion(name string) tools.Question {
	return tools.Question{ID: "key", Title: lang.T("Paste your key for %s", name),
		Fields: []tools.Field{{Name: "key", Label: lang.T("it is tried with one request, then kept"), Secret: true}}}
}

// keyGiven is a key somebody pasted; empty: they thought better of it.
type keyGiven struct {
	choice KeyChoice
	key    string
}

// tryKey tries a pasted key, and says so for as long as that takes.
func (m *Model) tryKey(g keyGiven) tea.Cmd {
	if g.key == "" {
		return m.firstRun()
	}
	return m.goFor(lang.T("trying the key for %s", g.choice.Name), again, func(ctx context.Context) tea.Msg {
		l, err := g.choice.Try(ctx, g.key)
		if err != nil {
			return failedFirst{lang.T("the key for %s", g.choice.Name), err}
		}
		return loggedIn{l}
	})
}

// again offers the ways to a first model once more.
func again() tea.Msg { return failedFirst{} }

// wanted is a question the person asked for: what is typed next is meant for it,
// and a key pasted at once must not end in the composer.
type wanted struct{ *dialog.Question }

// Guarded implements dialog.Dialog.
func (wanted) Guarded() bool { return false }

// failedFirst is a way that did not lead to a model: the others are offered anew.
type failedFirst struct {
	what string
	err  error
}

func (m *Model) findLocal() tea.Cmd {
	local := m.o.FirstRun.Local
	return m.goFor(lang.T("looking for model servers on this machine"), again, func(ctx context.Context) tea.Msg {
		return localsMsg{local(ctx)}
	})
}

func (m *Model) pickLocal(list []ModelChoice) tea.Cmd {
	f := m.o.FirstRun
	switch {
	case f == nil:
		return nil
	case len(list) == 0:
		return tea.Batch(m.firstRun(), m.say(lang.T("no model server answers on this machine; start one and choose again")))
	}
	p := dialog.NewPicker(m.th, lang.T("Models on this machine"), m.modelEntries(list), func(i int) tea.Cmd {
		return m.firstModel(lang.T("use %s", list[i].label()), func() (provider.Model, error) { return f.Use(list[i]) })
	})
	// Not at once: this picker is still the shown one.
	p.Leave = func() tea.Cmd { return again }
	return m.dialogs.Push(p)
}

// firstModel takes a way that needs no more words.
func (m *Model) firstModel(what string, use func() (provider.Model, error)) tea.Cmd {
	return m.between(func() tea.Msg {
		model, err := use()
		if err != nil {
			return failedFirst{what, err}
		}
		return modelSet{model: model, effort: model.Default, n: m.sets.Add(1)}
	})
}
