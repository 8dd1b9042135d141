package ui

import (
	"context"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// own runs a command the person typed after a !: at once and without a question,
// since they are the one who would be asked. While a run is on it waits in the queue;
// what cannot run stays in the composer.
func (m *Model) own(text string) tea.Cmd {
	command, terminal := onTerminalIn(text)
	hidden := false
	if !terminal {
		command, hidden = strings.CutPrefix(strings.TrimPrefix(text, "!"), "!")
		command = strings.TrimSpace(command)
	}
	run := m.o.RunOwn
	switch {
	case terminal && m.o.OnTerminal == nil:
		m.comp.SetValue(text)
		return m.say(lang.T("no command can have the terminal here"))
	case run == nil && !terminal:
		m.comp.SetValue(text)
		return m.say(lang.T("commands cannot be run from here"))
	case command == "":
		m.comp.SetValue(text)
		return m.say(lang.T("write a command after the !"))
	case m.busy(): // two writers of one folder would each be surprised
		m.queue = append(m.queue, ownMark+text)
		return m.say(m.o.Keys.Named(lang.T("the command waits for the end of the run; esc stops it"), keymap.Interrupt))
	case m.changing > 0:
		m.behind = append(m.behind, ownMark+text)
		return nil
	}
	if terminal {
		return tea.Batch(m.remember(text), m.runOnTerminal(command))
	}
	if hidden {
		return tea.Batch(m.remember(text), m.begin(func(ctx context.Context, sink agent.Sink) error {
			return unseen(ctx, command, run, sink)
		}))
	}
	a := m.o.Agent
	return tea.Batch(m.remember(text), m.begin(func(ctx context.Context, sink agent.Sink) error {
		return a.Shell(ctx, command, func(ctx context.Context, out io.Writer) (tools.Result, error) {
			return run(ctx, command, out)
		}, sink)
	}))
}

// unseen runs a command after !!, of which the model never hears: it is shown like
// any other, and kept nowhere.
func unseen(ctx context.Context, command string, run func(context.Context, string, io.Writer) (tools.Result, error), sink agent.Sink) error {
	const id = "!!"
	title := safe.Line(command)
	sink(agent.ToolStart{ID: id, Name: agent.OwnCommand, Effect: tools.Effect{Kind: tools.Exec, Title: "!! " + title, Command: command}})
	sink(agent.ToolRunning{ID: id})
	began := time.Now()
	res, err := run(ctx, command, shown(func(b []byte) { sink(agent.ToolOutput{ID: id, Text: string(b)}) }))
	if err != nil {
		res = tools.Result{Text: err.Error(), IsError: true}
	}
	sink(agent.ToolEnd{ID: id, Name: agent.OwnCommand, Result: res, Took: time.Since(began)})
	sink(agent.RunEnd{})
	return nil
}

// shown is a writer for eyes.
type shown func([]byte)

// Write implements io.Writer; it never fails.
func (w shown) Write(b []byte) (int, error) { w(b); return len(b), nil }
