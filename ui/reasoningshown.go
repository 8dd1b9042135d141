package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/lang"
)

// The settings of what is looked at.
const (
	reasoningSetting = "screen.reasoning"
	barSetting       = "screen.scrollbar"
	wheelSetting     = "screen.wheel"
	inlineSetting    = "screen.inline"
	motionSetting    = "screen.motion"
)

// How reasoning is shown, the words of "screen.reasoning": nothing of it, a line once it
// is over, which is what is usual, or all of it.
const (
	reasonHidden = "hidden"
	reasonLine   = "line"
	reasonFull   = "full"
)

func reasonings() []string { return []string{reasonHidden, reasonLine, reasonFull} }

// reasoningAbout says what a word of them means.
func reasoningAbout(word string) string {
	switch word {
	case reasonHidden:
		return lang.T("nothing of it")
	case reasonFull:
		return lang.T("all of it, as it was written")
	}
	return lang.T("its last rows while it lasts, then a line")
}

// cmdReasoning changes how reasoning is shown, now and for later.
func (m *Model) cmdReasoning(word string) tea.Cmd {
	all := reasonings()
	switch {
	case slices.Contains(all, word):
		return m.keepReasoning(word)
	case word != "":
		return m.say(lang.T("reasoning is %s, not %s", strings.Join(all, ", "), word))
	}
	now := m.tr.d.reasoning
	if now == "" {
		now = reasonLine
	}
	entries := make([]dialog.Entry, len(all))
	for i, w := range all {
		entries[i] = dialog.Entry{Label: w, Detail: reasoningAbout(w), Chosen: w == now}
	}
	p := dialog.NewPicker(m.th, lang.T("How reasoning is shown"), entries, func(i int) tea.Cmd { return m.keepReasoning(all[i]) })
	p.Leave = func() tea.Cmd { m.showReasoning(now); return nil }
	p.Chosen = func(i int) { m.showReasoning(all[i]) }
	return m.dialogs.Push(p)
}

func (m *Model) completeReasoning(prefix string) []string { return beginning(reasonings(), prefix) }

// showReasoning draws it so from now on.
func (m *Model) showReasoning(word string) {
	m.tr.reshape(func(d *drawing) { d.reasoning = word })
}

func (m *Model) keepReasoning(word string) tea.Cmd {
	m.showReasoning(word)
	text := lang.T("reasoning shows %s", reasoningAbout(word))
	if m.o.Settings == nil {
		return m.say(text)
	}
	set := m.o.Settings.Set
	return tea.Batch(m.say(text), func() tea.Msg {
		if err := set(reasoningSetting, word); err != nil {
			return failed{lang.T("it holds for now, but is not stored"), err}
		}
		return nil
	})
}

// setStill lets nothing move by itself, or lets it move again: spinners stand, and what
// counts seconds is drawn once a second.
func (m *Model) setStill(on bool) {
	m.status.still = on
	m.tr.reshape(func(d *drawing) { d.still = on })
}

// tookLooks puts a stored setting of what is looked at in force; ok is false for any other.
func (m *Model) tookLooks(k settingKept) (ok bool) {
	switch k.name {
	case reasoningSetting:
		m.showReasoning(k.value)
	case barSetting:
		m.o.Scrollbar = k.value
	case inlineSetting:
		if on := k.value == "true"; on != m.o.Inline {
			m.setInline(on)
		}
	case motionSetting:
		m.setStill(k.value == "false")
	case focusSetting:
		m.showBrief(k.value == "true")
	case timesSetting:
		m.showTimes(k.value == "true")
	case awayLineSetting:
		m.o.NoAwayLine = k.value == "false"
	case suggestSetting:
		m.o.Suggests = k.value == "true"
		m.unsuggest()
	case recapSetting:
		m.o.RecapAfter, _ = time.ParseDuration(k.value) // the settings have read it; off is 0
	case wheelSetting:
		m.o.Wheel = atoi(k.value)
	default:
		return false
	}
	return true
}

// atoi is a number that the settings have read already; else 0.
func atoi(s string) (n int) {
	for _, r := range s {
		if r < '0' || r > '9' {
			return 0
		}
		n = 10*n + int(r-'0')
	}
	return n
}
