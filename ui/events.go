package ui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/provider"
	"forge/ui/lang"
)

// events folds what the feed brought and waits for more.
func (m *Model) events(b batch) tea.Cmd {
	cmds := []tea.Cmd{m.o.Feed.Next}
	for _, v := range b {
		switch v := v.(type) {
		case agent.Event:
			cmds = append(cmds, m.event(v))
		case *ask:
			cmds = append(cmds, m.ask(v))
		case withdrawn:
			cmds = append(cmds, m.withdraw(v.ask))
		case notice:
			m.tr.add(newNotice(v.text))
		case serversChanged:
			m.o.Feed.stirred.Store(false)
			cmds = append(cmds, m.readServers(), m.readPrompts())
		case ideChanged:
			m.bridgeMoved()
		case ideNamed:
			cmds = append(cmds, m.sentFromEditor(v.text))
		case loginNews:
			m.loginNews(v)
		case btwText, btwDone:
			m.btwSaid(v)
		case jobDone:
			cmds = append(cmds, m.ended(v))
		case *loan:
			cmds = append(cmds, v.lend())
		case reloading:
			cmds = append(cmds, m.reloaded(v.Reloaded))
			close(v.done)
		case goalIs:
			m.status.goal = v
		case jobsRun:
			m.status.jobs = v.n
		case told:
			cmds = append(cmds, m.adopt(v))
		case suggested:
			m.suggestSaid(v)
		case recapped:
			cmds = append(cmds, m.recapSaid(v))
		case failed:
			cmds = append(cmds, m.show(v))
		case flashMsg:
			cmds = append(cmds, m.say(v.text))
		case sessionsNow:
			cmds = append(cmds, m.cmdResume(""))
		}
	}
	if !m.commanding() {
		m.leaveCommands()
	}
	return tea.Batch(append(cmds, m.hang(), m.ticks())...)
}

func (m *Model) event(e agent.Event) tea.Cmd {
	m.status.take(e, m.now)
	cmd := tea.Batch(m.talk.take(e, m.now), m.windowMoves(e))
	switch e := e.(type) {
	case agent.TurnStart:
		m.turnAt = len(m.tr.panes)
	case agent.UserMessage:
		m.sending = ""
		if e.Steer {
			m.steered(e.Text)
		}
	case agent.NotSent:
		m.steered(e.Text)
		m.giveBack(e.Text)
	case agent.TurnEnd:
		cmd = tea.Batch(cmd, m.readPlace())
		if m.job != nil {
			m.job.answered = e.Stop == provider.StopEnd
		}
	case agent.Nested:
		m.gone.changed(e)
	case agent.ToolEnd:
		m.gone.changed(e)
		if len(e.Changes) > 0 {
			cmd = tea.Batch(cmd, m.readPanel())
		}
		return tea.Batch(cmd, m.loadTodos())
	case agent.Compacted: // its card has the error
		if m.job != nil && e.Err != nil && !errors.Is(e.Err, agent.ErrNothing) && (m.job.talk || !errors.Is(e.Err, agent.ErrNoGain)) {
			m.job.failed = true
		}
	case agent.RunEnd:
		if m.sparing != "" && m.status.flash == m.sparing { // no others go on any more
			m.status.flash = ""
		}
		m.sparing = ""
		cmd = tea.Batch(cmd, m.readPlace(), m.readPanel())
		if m.job != nil && e.Err != nil && !errors.Is(e.Err, agent.ErrNothing) && (m.job.talk || !errors.Is(e.Err, agent.ErrNoGain)) {
			m.job.failed = true
		}
	}
	if m.job != nil && m.job.stopping {
		m.status.wait(lang.T("stopping"), m.now)
	}
	return cmd
}

func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	m.dialogs.Wheel = m.o.Wheel
	if cmd, handled := m.dialogs.Update(msg); handled {
		return cmd
	}
	rows, by := m.o.Wheel, 0
	if rows == 0 {
		rows = 3
	}
	switch msg.Button {
	case tea.MouseWheelUp:
		by = -rows
	case tea.MouseWheelDown:
		by = rows
	}
	switch {
	case m.pager != nil:
		m.pager.scroll(by)
	case m.servers.panel != nil:
		m.servers.panel.Scroll(by)
	case m.window != nil:
		m.window.Scroll(by)
	default:
		m.shown().scroll(by)
	}
	return nil
}
