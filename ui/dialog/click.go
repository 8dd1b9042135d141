package dialog

import tea "charm.land/bubbletea/v2"

// Click tells the shown dialog of a click on a cell of it. A question that came unasked
// takes none before it takes keys: a hand on the mouse meant something else.
func (s *Stack) Click(x, row int) tea.Cmd {
	if !s.Armed() {
		return nil
	}
	var cmd tea.Cmd
	var done bool
	switch d := s.dialogs[0].(type) {
	case *Inquiry:
		cmd, done = d.Point(x, row)
	case interface{ Click(row int) (done bool) }:
		done = d.Click(row)
	case interface {
		Click(row int) (cmd tea.Cmd, done bool)
	}:
		cmd, done = d.Click(row)
	}
	if done {
		s.dialogs = s.dialogs[1:]
		return tea.Batch(cmd, s.appear())
	}
	return cmd
}

// Click moves to the entry in a row of the last View; on the one it is at already it
// chooses it. The list stands still meanwhile, so that two clicks in one place mean one
// entry.
func (p *Picker) Click(row int) (cmd tea.Cmd, done bool) {
	at := p.first + row - p.listed
	if row < p.listed || row >= p.listed+p.room || at >= len(p.shown) {
		return nil, false
	}
	if p.pinned && p.at == at {
		return p.Pick(p.shown[at]), !p.Stay
	}
	p.pinned, p.at = true, at
	return p.peek(), false
}
