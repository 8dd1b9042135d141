package ui

import tea "charm.land/bubbletea/v2"

// Lists whose entries are switched on and off stay open meanwhile: one that closed and was
// opened anew would lose what is pressed in between.

// switching does what the entries of one list are switched with, off the loop, one after
// the other.
type switching struct {
	last chan struct{} // closed when the one before is through
	n    int           // how many there were
}

// switched brings the list as it is then.
type switched struct {
	of   *switching
	n    int
	put  func() // puts it into the list on the screen, which may be closed by now
	what string // that failed
	err  error
}

// do runs set and then read, whose result is shown unless something was switched since.
func (s *switching) do(what string, set func() error, read func() (put func())) tea.Cmd {
	before, done := s.last, make(chan struct{})
	s.n++
	s.last = done
	n := s.n
	return func() tea.Msg {
		defer close(done)
		if before != nil {
			<-before
		}
		out := switched{of: s, n: n, what: what}
		if err := guard(func() error { out.err = set(); out.put = read(); return nil }); err != nil {
			out.err = err
		}
		return out
	}
}

// tookSwitched shows it.
func (m *Model) tookSwitched(msg switched) tea.Cmd {
	if msg.n == msg.of.n && msg.put != nil {
		msg.put()
	}
	if msg.err != nil {
		return m.show(failed{msg.what, msg.err})
	}
	return nil
}
