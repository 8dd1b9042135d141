package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Hooks are the person's own commands at set moments. The functions are called off the
// loop; a nil List means that there can be none.
type Hooks struct {
	List   func() []Hook
	Switch func(n int, on bool) error // the nth of List, for this session
}

// Hook is one of them. Ended is in English.
type Hook struct {
	Event, Matcher, Name, Command, Source string
	Off, Waiting                          bool          // switched off; not trusted yet
	Limit                                 time.Duration // it may run so long
	Ended                                 string        // how it ended the last time; empty: it never ran
	At                                    time.Time     // when that was
	Took                                  time.Duration
}

// state is whether it runs, in a word.
func (h Hook) state() string {
	switch {
	case h.Waiting:
		return lang.T("not trusted")
	case h.Off:
		return lang.T("off")
	}
	return lang.T("on")
}

// last is how it ended the last time.
func (h Hook) last() string {
	if h.Ended == "" {
		return lang.T("it has not run yet")
	}
	return safe.Line(lang.Said(h.Ended)) + lang.T(" · ") + brief(h.Took) + lang.T(" · ") + h.At.Local().Format(time.TimeOnly)
}

// brief is a time that is mostly less than a second.
func brief(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return seconds(d)
}

// about is the event with what the matcher narrows it to.
func (h Hook) about() string {
	if h.Matcher == "" || h.Matcher == "*" {
		return h.Event
	}
	return h.Event + " " + safe.Line(h.Matcher)
}

type hooksMsg struct{ list []Hook }

func (m *Model) cmdHooks(string) tea.Cmd {
	list := m.o.Hooks.List
	if list == nil {
		return m.say(lang.T("hooks cannot be shown here"))
	}
	return func() tea.Msg { return hooksMsg{list()} }
}

// pickHook lists them; Enter switches one.
func (m *Model) pickHook(list []Hook) tea.Cmd {
	if len(list) == 0 {
		return m.say(lang.T("no hooks are set up; docs/hooks.md says how"))
	}
	set, read, turns := m.o.Hooks.Switch, m.o.Hooks.List, &switching{}
	var p *dialog.Picker
	put := func(now []Hook) {
		list = now
		p.Renew(hookEntries(now))
	}
	p = dialog.NewPicker(m.th, lang.T("Hooks: %d", len(list)), hookEntries(list), func(i int) tea.Cmd {
		h := list[i]
		if h.Waiting {
			return m.say(lang.T("it is not trusted: open forge here anew and answer its question"))
		}
		now := slices.Clone(list)
		now[i].Off = !h.Off
		put(now)
		return turns.do(lang.T("switch %s", h.Event), func() error { return set(i, h.Off) }, func() func() {
			all := read()
			return func() { put(all) }
		})
	})
	p.Stay = true
	p.Show = func(i, w int) []string {
		h := list[i]
		var rows []string
		for _, line := range []string{safe.Prompt(h.Command), lang.T("from %s", safe.Line(h.Source)) + lang.T(" · ") + lang.T("at most %s", seconds(h.Limit)), h.last()} {
			rows = append(rows, wrap(line, w, m.th.Muted)...)
		}
		return rows[:min(len(rows), 6)]
	}
	p.Help = strings.Join([]string{lang.T("enter on, off for this session"), lang.T("esc close")}, lang.T(" · "))
	return m.dialogs.Push(p)
}

func hookEntries(list []Hook) []dialog.Entry {
	entries := make([]dialog.Entry, len(list))
	for i, h := range list {
		what := h.Name
		if what == "" {
			what = h.Command
		}
		entries[i] = dialog.Entry{Label: h.about(), Detail: h.state() + lang.T(" · ") + safe.Line(what), Search: h.Command + " " + h.Source}
	}
	return entries
}
