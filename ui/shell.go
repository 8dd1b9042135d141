package ui

import (
	"context"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/ui/lang"
)

// own runs a command the person typed after a !: at once and without a question,
// since they are the one who would be asked. What cannot run stays in the
// composer.
func (m *Model) own(text string) tea.Cmd {
	command := strings.TrimSpace(strings.TrimPrefix(text, "!"))
	run := m.o.RunOwn
	switch {
	case run == nil:
		m.comp.SetValue(text)
		return m.say(lang.T("commands cannot be run from here"))
	case command == "":
		m.comp.SetValue(text)
		return m.say(lang.T("write a command after the !"))
	case m.busy(): // two writers of one folder would each be surprised
		m.comp.SetValue(text)
		return m.say(lang.T("the command waits for the end of the run; esc stops it"))
	}
	a := m.o.Agent
	return tea.Batch(m.remember(text), m.begin(func(ctx context.Context, sink agent.Sink) error {
		return a.Shell(ctx, command, func(ctx context.Context, out io.Writer) (tools.Result, error) {
			return run(ctx, command, out)
		}, sink)
	}))
}
