package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/vim"
)

// The settings of the keys of vi: whether they are on, and what leaves insert mode beside
// Esc.
const (
	vimSetting    = "editor.vim"
	escapeSetting = "editor.vim_escape"
)

// vimMode is what the status line says of the keys of vi; empty while they are off.
func (m *Model) vimMode() string {
	if !m.comp.Vim() {
		return ""
	}
	mode, pending := m.comp.Mode()
	name := lang.T("INSERT")
	switch mode {
	case vim.Normal:
		name = lang.T("NORMAL")
	case vim.Visual:
		name = lang.T("VISUAL")
	case vim.Lines:
		name = lang.T("VISUAL LINE")
	}
	if pending != "" {
		name += " " + pending
	}
	return name
}

// cmdVim switches the keys of vi on or off, now and for later.
func (m *Model) cmdVim(string) tea.Cmd {
	on := !m.comp.Vim()
	m.comp.SetVim(on)
	text, value := lang.T("the prompt takes the keys of vi: esc leaves insert mode"), "true"
	if !on {
		text, value = lang.T("the prompt takes its own keys again"), "false"
	}
	if m.o.Settings == nil {
		return m.say(text)
	}
	set := m.o.Settings.Set
	return tea.Batch(m.say(text), func() tea.Msg {
		if err := set(vimSetting, value); err != nil {
			return failed{lang.T("it holds for now, but is not stored"), err}
		}
		return nil
	})
}
