package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/agent/mark"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// The way of a prompt: sent, queued, handed to a run that is on, taken back.

// submit takes a finished prompt: a command, words for now, or words for later.
func (m *Model) submit(text string) tea.Cmd {
	if cmd, on := m.seekFiled(text); on {
		return cmd
	}
	_, _, _, known := m.serverPrompt(text)
	if name, arg, ok := m.commandIn(text); ok {
		return m.runCommand(text, name, arg)
	}
	if m.o.FirstRun != nil && m.status.model.ID == "" {
		m.comp.SetValue(text)
		if m.errand != nil {
			return m.say(m.o.Keys.Named(lang.T("there is no model yet; esc stops waiting"), keymap.Interrupt))
		}
		return m.firstRun()
	}
	if !known {
		return m.unknownPrompt(text)
	}
	switch {
	case m.busy():
		m.queue = append(m.queue, text)
		return m.remember(text)
	case m.changing > 0:
		m.behind = append(m.behind, text)
		return m.remember(text)
	}
	return tea.Batch(m.remember(text), m.deliver(text))
}

// deliver sends a line of the person's: as it is, or what a server makes of it.
func (m *Model) deliver(text string) tea.Cmd {
	if p, args, ok, _ := m.serverPrompt(text); ok {
		return m.askPrompt(text, p, args)
	}
	return m.send(text)
}

// send starts a run.
func (m *Model) send(text string) tea.Cmd { return m.sendPrompt(agent.Prompt{Text: text}) }

func (m *Model) sendPrompt(p agent.Prompt) tea.Cmd {
	m.sending, m.left = p.Text, goOn{}
	return m.converse(p)
}

// converse starts a run with a prompt; an empty one goes on with what was left.
func (m *Model) converse(p agent.Prompt) tea.Cmd {
	a := m.o.Agent
	cmd := m.begin(func(ctx context.Context, sink agent.Sink) error { return a.Run(ctx, p, sink) })
	m.job.talk = true
	return cmd
}

// offerAgain says, behind what ended a run, how to go on from there.
func (m *Model) offerAgain(err error) {
	if errors.Is(err, agent.ErrNoPrompt) || errors.Is(err, agent.ErrNoModel) {
		return // nothing was begun
	}
	m.left = goOn{run: true}
	m.tr.add(newNotice(m.o.Keys.Named(lang.T("alt+c goes on from here"), keymap.Continue)))
}

// remember keeps a prompt for the next time forge starts.
func (m *Model) remember(text string) tea.Cmd {
	keep := m.o.AppendHistory
	if keep == nil {
		return nil
	}
	return func() tea.Msg { keep(text); return nil }
}

// steer hands everything that waits, and what is being written, to the run: it
// is read before the model's next step.
func (m *Model) steer() tea.Cmd {
	text := strings.TrimSpace(m.comp.Value())
	if m.comp.Shell() {
		m.comp.PutAway()
		return tea.Batch(m.own(text), m.draftChanged())
	}
	if _, _, ok := m.filedIn(text); ok {
		m.comp.PutAway()
		return tea.Batch(m.submit(text), m.draftChanged())
	}
	if _, _, ok, _ := m.serverPrompt(text); ok { // it is no words for a run that is on
		m.comp.PutAway()
		return tea.Batch(m.submit(text), m.draftChanged())
	}
	var words, commands []string
	for _, w := range m.queue {
		_, _, command := m.commandIn(w)
		if _, own := ownIn(w); own || command { // for the screen, after the run
			commands = append(commands, w)
			continue
		}
		words = append(words, w)
	}
	var cmd tea.Cmd
	if _, _, ok := m.commandIn(text); ok {
		m.comp.PutAway()
		return tea.Batch(m.submit(text), m.draftChanged())
	}
	if text != "" {
		words = append(words, text)
		m.comp.PutAway()
		cmd = m.remember(text)
	}
	if len(words) == 0 {
		return m.say(lang.T("nothing to send: write something first"))
	}
	m.queue = commands
	if !m.busy() {
		return tea.Batch(cmd, m.send(strings.Join(words, "\n\n")))
	}
	for _, w := range words {
		m.o.Agent.Steer(w)
	}
	m.steering = append(m.steering, words...)
	return cmd
}

// nextInLine does what waits, up to the next run or change of the conversation.
func (m *Model) nextInLine() tea.Cmd {
	var cmds []tea.Cmd
	for len(m.queue) > 0 && !m.busy() && m.changing == 0 && !m.dialogs.Active() {
		next := m.queue[0]
		m.queue = m.queue[1:]
		if line, own := ownIn(next); own {
			cmds = append(cmds, m.own(line))
			continue
		}
		name, arg, command := m.commandIn(next)
		if !command {
			cmds = append(cmds, m.deliver(next))
			break
		}
		cmds = append(cmds, m.runCommand(next, name, arg))
	}
	switch {
	case m.dialogs.Active(): // a command asks something: what is behind it waits for a person
		m.putBack()
	case m.changing > 0:
		m.behind, m.queue = append(m.behind, m.queue...), nil
	}
	return tea.Batch(cmds...)
}

// commandIn reads a line as a command of the screen.
func (m *Model) commandIn(text string) (name, arg string, ok bool) {
	if name, arg, ok := m.filedIn(text); ok {
		return name, arg, true
	}
	if _, _, theirs, _ := m.serverPrompt(text); theirs {
		return "", "", false
	}
	return parseCommand(text)
}

// recall takes the last queued words back into the composer.
func (m *Model) recall() bool {
	n := len(m.queue)
	if n == 0 || !m.comp.Empty() {
		return false
	}
	text, own := ownIn(m.queue[n-1])
	if !own {
		text = asWords(text)
	}
	m.comp.SetValue(text)
	m.queue = m.queue[:n-1]
	return true
}

// steered notes that the run has read words that were sent to it.
func (m *Model) steered(text string) {
	for i, s := range m.steering {
		if s = mark.Number(s); s == text || strings.Contains(text, s) {
			m.steering = append(m.steering[:i:i], m.steering[i+1:]...)
			return
		}
	}
}
