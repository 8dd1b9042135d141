package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/composer"
	"forge/ui/lang"
)

// Update routes one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	now := m.o.Now()
	switch msg.(type) {
	case batch:
		m.moved = now
	case tickMsg:
		if now.Sub(m.moved) < tick { // a stream moves the spinner by itself
			now = m.now
		}
	}
	m.now = now
	cmd := m.update(msg)
	if !m.comp.Empty() { // pasted, dictated, given back
		m.unsuggest()
	}
	m.tr.d.now = m.now
	m.keepRoll()
	return m, tea.Batch(cmd, m.consent(), m.keepQueue(), m.polish(), m.lookAgain(msg), m.stirScript(), m.stirSpelling(), m.stirLoops(msg), m.stirTips())
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	for _, take := range [...]func(*Model, tea.Msg) (tea.Cmd, bool){
		(*Model).fromTerminal, (*Model).fromWork, (*Model).answered, (*Model).filled, (*Model).acted, (*Model).settingsMsg,
		(*Model).folders, (*Model).spelled, (*Model).scripted, (*Model).tookMeasure, (*Model).themed, (*Model).empowered,
		(*Model).ided, (*Model).moves, (*Model).served, (*Model).looked, (*Model).prompted, (*Model).attached, (*Model).hung,
	} {
		if cmd, ok := take(m, msg); ok {
			return cmd
		}
	}
	// Answers to what the children started: a search for files, a rearmed dialog.
	cmd, _ := m.dialogs.Update(msg)
	return tea.Batch(cmd, m.comp.Update(msg))
}

// fromTerminal takes what the terminal sends: keys, the mouse, its size and its colours.
func (m *Model) fromTerminal(msg tea.Msg) (tea.Cmd, bool) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg:
		if back := m.touched(); back != nil {
			cmd, _ := m.sentByTerminal(msg)
			return tea.Batch(back, cmd), true
		}
	}
	return m.sentByTerminal(msg)
}

func (m *Model) sentByTerminal(msg tea.Msg) (tea.Cmd, bool) {
	if m.keepAhead(msg) {
		return nil, true
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.key(known(m.o.Keys, msg)), true
	case tea.WindowSizeMsg:
		var back tea.Cmd
		if msg.Width == m.w && msg.Height == m.h { // so the display ends the time of another program
			back = m.again()
		}
		m.w, m.h = max(0, msg.Width), max(0, msg.Height)
		m.tr.reshape(func(d *drawing) { d.w = m.talkWidth() })
		return back, true
	case tea.MouseWheelMsg:
		return m.wheel(msg), true
	case tea.MouseMsg:
		return m.mouse(msg), true
	case tea.BlurMsg:
		m.leftFor()
		m.away = true
		return m.askGround(), true
	case tea.FocusMsg:
		back := m.looksHere()
		m.away, m.cameBack = false, m.now
		return tea.Batch(m.askGround(), m.readPlace(), back), true
	case tea.PasteMsg:
		return m.pasted(msg), true
	case tea.BackgroundColorMsg:
		m.grounded = true
		if dark := msg.IsDark(); dark != m.dark {
			m.dark = dark
			if m.worn.Ground == "" {
				m.retheme()
			}
		}
		return nil, true
	case tea.ColorProfileMsg:
		if msg.Profile != m.profile {
			m.profile = msg.Profile
			m.retheme()
		}
		return nil, true
	}
	return nil, false
}

// pasted hands what was pasted to what is written into: a question, a line of what lies over
// the screen, or the prompt.
func (m *Model) pasted(msg tea.PasteMsg) tea.Cmd {
	cmd, handled := m.dialogs.Update(msg)
	switch {
	case handled:
		return tea.Batch(cmd, m.draftChanged())
	case m.pager != nil && m.pager.line != nil:
		return tea.Batch(cmd, m.pager.line.paste(msg.Content))
	case m.pager != nil && m.pager.aside:
		return cmd
	case m.reads != nil && m.reads.line != nil:
		return tea.Batch(cmd, m.reads.line.paste(msg.Content))
	case m.servers.panel != nil && m.servers.panel.LoggingIn() != "":
		return tea.Batch(cmd, m.panelPaste(msg.Content))
	}
	m.uncover()
	return tea.Batch(cmd, m.paste(msg))
}

// fromWork takes what was going on beside the loop, as far as no other file has it.
func (m *Model) fromWork(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case batch:
		return m.events(msg), true
	case copiedMsg:
		return m.copied(msg), true
	case composer.Copied:
		return tea.Batch(m.copy(lang.T("what was selected"), msg.Text), m.draftChanged()), true
	case restMsg:
		msg.take()
		return nil, true
	case saidMsg:
		return m.say(string(msg)), true
	case heardMsg:
		return m.heard(msg), true
	case filedRead:
		return m.filedFound(msg), true
	case panelRead:
		return m.panelRead(msg), true
	case tickMsg:
		m.ticking = false
		return m.ticks(), true
	case errandDone:
		return m.returned(msg), true
	case changed:
		return m.settle(msg), true
	case composer.Submitted:
		return m.submitted(msg), true
	case unflash:
		if msg.n == m.flashes {
			m.status.flash = ""
		}
		return nil, true
	case failed:
		return m.show(msg), true
	case awayTold:
		m.awayLine(msg)
		return nil, true
	case todosMsg:
		m.todos = msg.list
		return nil, true
	case offerMsg:
		m.offered(msg)
		return nil, true
	case sentAway:
		return m.sentAway(msg), true
	case insideMsg:
		return m.insideRead(msg), true
	case jobsMsg:
		return m.pickJob(msg.list), true
	case lspMsg:
		return m.pickLSP(msg), true
	case jobOutputMsg:
		return m.showJob(msg), true
	case jobFollowed:
		return m.followed(msg), true
	case tipsRead:
		return m.tipFound(msg.counts), true
	case saveDraftMsg:
		return m.saveDraftNow(msg.n), true
	}
	return nil, false
}
