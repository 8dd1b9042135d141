package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
)

// A draft can be put aside while something else is sent first: it stands above the
// prompt meanwhile, comes back by itself once that is sent, and is kept as the draft is.

// asideDraft is one of them: as the composer takes it back, and the begin of it for eyes.
type asideDraft struct{ text, label string }

// putAside puts what is being written aside; with nothing written it takes back what was
// put aside last.
func (m *Model) putAside() tea.Cmd {
	switch text := m.comp.Value(); {
	case strings.TrimSpace(text) != "":
		m.aside = append(m.aside, asideDraft{m.comp.Draft(), strings.ToValidUTF8(text[:min(len(text), promptLabel)], "")})
		m.comp.Reset()
	case !m.takeBack():
		return m.say(lang.T("nothing is put aside, and nothing is written"))
	}
	return m.draftChanged()
}

// takeBack puts what was put aside last into the empty prompt.
func (m *Model) takeBack() bool {
	n := len(m.aside)
	if n == 0 || !m.comp.Empty() {
		return false
	}
	m.comp.SetValue(m.aside[n-1].text)
	m.aside = m.aside[:n-1]
	return true
}

// steerOn hands words to the run, after which what was put aside comes back.
func (m *Model) steerOn() tea.Cmd {
	wrote := !m.comp.Empty()
	cmd := m.steer()
	if wrote && m.takeBack() {
		cmd = tea.Batch(cmd, m.draftChanged())
	}
	return cmd
}

// asideNote says how what was put aside comes back.
func (m *Model) asideNote() string {
	note := lang.T("put aside until something is sent")
	if m.comp.Empty() {
		note = m.o.Keys.Named(lang.T("ctrl+x a takes it back"), keymap.Aside)
	}
	if more := len(m.aside) - 1; more > 0 { // only the last is in sight
		note = lang.T("%d more", more) + "  " + note
	}
	return "  " + note
}
