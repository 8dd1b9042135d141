package display

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// enter takes the terminal, at the beginning and after somebody else had it.
func (s *screen) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tty != nil {
		if err := s.tty.raw(); err != nil {
			return fmt.Errorf("take the terminal: %w", err)
		}
	}
	s.away, s.drawn = false, time.Time{}
	s.forget()
	s.due()
	return nil
}

// leave gives the terminal back as it was. It is called on every way out, and more
// than once on some.
func (s *screen) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return
	}
	s.away = true
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	s.out.Reset()
	switch c := s.main; {
	case c == nil || s.modes.alt:
	case s.prints:
		s.out.Write(c.off(s.width, reflows(s.env)))
		s.main = nil
	default:
		s.out.Write(c.end())
	}
	rest := plain(s.modes)
	s.vacate(rest)
	change(&s.out, s.modes, rest)
	if s.prints {
		if s.modes.alt && s.main != nil {
			s.out.Write(s.main.off(s.width, reflows(s.env)))
			s.main = nil
		}
		s.out.Write(s.lift())
		s.above = nil
	}
	if !s.modes.cursor || s.modes.alt { // the main screen's may be hidden
		s.out.WriteString(ansi.SetModeTextCursorEnable)
	}
	s.write()
	s.modes = rest
	s.forget()
	if s.tty != nil {
		s.tty.cooked()
	}
}

// Run shows a model until it quits or ctx ends, and gives the terminal back. The error
// is Bubble Tea's (tea.ErrInterrupted, tea.ErrProgramKilled, tea.ErrProgramPanic) or
// tells what is wrong with the terminal.
func Run(ctx context.Context, m tea.Model, t Terminal) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, options, err := open(ctx, t)
	if err != nil {
		return err
	}
	p := tea.NewProgram(guarded{m, s}, options...)
	s.send, s.end = p.Send, cancel
	s.input.send, s.input.fail = p.Send, s.fail
	// The renderer that draws nothing is still asked to once a second, and the process
	// wakes for it. Of a program that reads nothing there is nothing else to release.
	if s.still = func() {}; s.tty != nil {
		s.still = func() { go p.ReleaseTerminal() }
	}
	if !t.NoSignals {
		defer s.signals(p.Send)()
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	s.say(questions(s.env))
	if err := s.input.listen(s.rescue); err != nil {
		return err
	}
	defer s.input.hush()
	if s.tty != nil {
		go s.tty.watch(ctx, func() { s.tell() })
	}
	_, err = p.Run()
	return s.last(err)
}

// last draws the frame that still waits, which is what stays on the main screen, and
// says why the program ended.
func (s *screen) last(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		return s.lost
	}
	if s.timer != nil && err == nil {
		s.timer.Stop()
		s.timer = nil
		s.draw()
	}
	return err
}

// fail ends the program: nothing more can be asked of the terminal.
func (s *screen) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = err
	}
	s.end()
}

// tell tells the program the terminal's size.
func (s *screen) tell() {
	if w, h, err := s.tty.size(); err == nil {
		s.send(tea.WindowSizeMsg{Width: w, Height: h})
	}
}
