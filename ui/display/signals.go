package display

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// signals has the program end, and give the terminal back, when it is told to from
// outside. It is called before the terminal is taken: Bubble Tea listens only some time
// after, and a signal that comes before would leave the terminal as it is. An interrupt
// while somebody else has the terminal is theirs.
func (s *screen) signals(send func(tea.Msg)) (stop func()) {
	c, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case <-done:
				return
			case sig := <-c:
				switch {
				case sig == syscall.SIGTERM:
					send(tea.QuitMsg{})
				case !s.lent():
					send(tea.InterruptMsg{})
				}
			}
		}
	}()
	return func() {
		signal.Stop(c)
		close(done)
	}
}

// lent reports whether somebody else has the terminal.
func (s *screen) lent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away
}
