package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/composer"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// opening is the first thing a screen does by itself: it sends the prompt it was
// started with. Where yolo was asked for, that is confirmed before anything runs.
func (m *Model) opening() tea.Cmd {
	var first tea.Cmd
	if text := m.o.Prompt; text != "" {
		first = func() tea.Msg { return composer.Submitted{Text: text} } // never a command for the shell: a script may have written it
	}
	if !m.o.Yolo {
		return first
	}
	return m.confirmYolo(first)
}

// yoloAllowed reports whether no policy forbids yolo.
func (o *Options) yoloAllowed() bool { return o.Laxest == "" || o.Laxest == permission.ModeYolo }

// confirmYolo asks once whether nothing shall be asked any more. No key that is
// pressed in passing says yes: not enter, not space.
func (m *Model) confirmYolo(then tea.Cmd) tea.Cmd {
	return m.dialogs.Push(dialog.NewQuestion(m.th, yoloQuestion(m.o.Keys.Named(lang.T("shift+tab leaves it."), keymap.NextMode)), func(r tools.Reply) {
		if r.Choice == "yolo" {
			m.consented = true
			m.setMode(permission.ModeYolo)
		}
		m.afterConsent = then
	}))
}

// yoloQuestion asks for that consent; leave says how to take it back.
func yoloQuestion(leave string) tools.Question {
	return tools.Question{
		ID: "yolo", Source: "permission", Title: lang.T("Ask nothing any more?"),
		Body:    lang.T("In yolo mode everything a model asks for runs at once: commands, writes outside the workspace, whatever is sent over the network. Only what a rule denies is refused, and only what is CRITICAL is still asked about. Text of a stranger that the model reads can make it ask for anything.\n\nAuto mode asks about what is HIGH and little else.") + " " + leave,
		Choices: []tools.Choice{{ID: "yolo", Label: lang.T("ask nothing"), Key: "y"}, {ID: "no", Label: lang.T("go on asking"), Key: "n"}},
	}
}

// consent runs what waited for the answer about yolo.
func (m *Model) consent() tea.Cmd {
	then := m.afterConsent
	m.afterConsent = nil
	return then
}
