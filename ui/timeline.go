package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent/mark"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// timeline lists the prompts of what is read, the newest first, and goes to one: the
// transcript shows it while it is chosen, and stays where it was if none is.
func (m *Model) timeline() tea.Cmd {
	t := m.shown()
	now := t.settle()
	var at []pane
	on := 0 // the prompt that is in view, or above it
	for i, p := range t.panes {
		if !isPrompt(matterOf(p)) {
			continue
		}
		if i <= now.pane {
			on = len(at)
		}
		at = append(at, p)
	}
	if len(at) == 0 {
		return m.say(lang.T("nothing was asked in this conversation yet"))
	}
	if t.follow {
		on = len(at) - 1
	}
	slices.Reverse(at)
	on = len(at) - 1 - on
	entries := make([]dialog.Entry, len(at))
	for i, p := range at {
		text := mark.Short(matterOf(p).text)
		entries[i] = dialog.Entry{Label: strings.ToValidUTF8(text[:min(len(text), promptLabel)], ""), Chosen: i == on}
		if entries[i].Label == "" {
			entries[i].Label = lang.T("(picture)")
		}
	}
	follow, top := t.follow, t.top
	show := func(i int) {
		if n := t.index(at[i]); n >= 0 {
			t.follow, t.top, t.was = false, spot{n, t.gap(n)}, place{}
			t.settle()
		}
	}
	p := dialog.NewPicker(m.th, lang.T("The prompts of this conversation"), entries, func(i int) tea.Cmd { show(i); return nil })
	p.Chosen, p.Behind = show, true
	p.Leave = func() tea.Cmd {
		t.follow, t.top, t.was = follow, top, place{}
		if follow {
			t.toEnd()
		}
		return nil
	}
	p.Help = m.o.Keys.Named(lang.T("enter goes there · esc close"), keymap.ListChoose, keymap.ListClose)
	return m.dialogs.Push(p)
}

func (m *Model) cmdTimeline(string) tea.Cmd { return m.timeline() }
