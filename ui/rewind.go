package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent/mark"
	"forge/ui/dialog"
	"forge/ui/lang"
)

type earlierMsg struct{ list []Earlier }

// rewind offers the prompts of this conversation, to ask one of them otherwise.
func (m *Model) rewind() tea.Cmd {
	list := m.o.Earlier
	if list == nil {
		return m.say(lang.T("there is no way back here"))
	}
	return m.between(func() tea.Msg { return earlierMsg{list()} })
}

func (m *Model) pickEarlier(list []Earlier) tea.Cmd {
	m.status.flash = "" // it told of the second press
	if m.busy() {
		return nil // a prompt was sent in the meantime
	}
	if len(list) == 0 {
		return m.say(lang.T("nothing was asked in this conversation yet"))
	}
	entries := make([]dialog.Entry, len(list))
	for i, p := range list {
		text := mark.Short(p.Text)
		entries[i] = dialog.Entry{Label: strings.ToValidUTF8(text[:min(len(text), promptLabel)], "")}
		if entries[i].Label == "" {
			entries[i].Label = lang.T("(picture)")
		}
		if !p.When.IsZero() {
			entries[i].Detail = ago(m.now.Sub(p.When))
		}
	}
	p := dialog.NewPicker(m.th, lang.T("Go back to before a prompt"), entries, func(i int) tea.Cmd { return m.goBack(list[i]) })
	p.Help = lang.T("enter goes back to before it · esc close")
	return m.dialogs.Push(p)
}

// goBack goes on before a prompt. Where files were changed since, the person says
// whether the conversation goes back, the files, or both.
func (m *Model) goBack(p Earlier) tea.Cmd {
	since := m.o.UndoSince
	if since == nil || p.When.IsZero() {
		return m.fork(p)
	}
	return m.between(func() tea.Msg {
		t, err := since(p.When)
		if err != nil {
			return failed{lang.T("go back"), err}
		}
		return rewindMsg{p, t}
	})
}

func (m *Model) pickRewind(msg rewindMsg) tea.Cmd {
	if msg.t == nil {
		return m.fork(msg.to)
	}
	if m.busy() {
		return nil
	}
	files := listed(msg.t.Files)
	entries := []dialog.Entry{
		{Label: lang.T("the conversation and the files"), Detail: files},
		{Label: lang.T("the conversation alone"), Detail: lang.T("in a copy; files stay as they are")},
		{Label: lang.T("the files alone"), Detail: files},
	}
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("What is to go back?"), entries, func(i int) tea.Cmd {
		switch i {
		case 1:
			return m.fork(msg.to)
		case 0:
			return m.askTakeback(takebackMsg{t: msg.t, after: func() tea.Cmd { return m.fork(msg.to) }})
		}
		return m.askTakeback(takebackMsg{t: msg.t})
	}))
}

// fork goes on before a prompt, with its text to be edited.
func (m *Model) fork(p Earlier) tea.Cmd {
	before := len(m.tr.panes)
	return m.between(func() tea.Msg {
		if err := p.Fork(); err != nil {
			return failed{lang.T("go back"), err}
		}
		return opened{before: before, prompt: p.Text}
	})
}
