package display

import (
	"errors"
	"os"

	tea "charm.land/bubbletea/v2"
)

// ErrNoTerminal says that there is no terminal to be lent.
var ErrNoTerminal = errors.New("the screen is on no terminal")

type lendMsg struct {
	use  func(in, out *os.File) error
	then func(error) tea.Msg
}

// Lend lets a function of this program have the terminal until it returns; then is called
// with its error and may return a message. The screen stands still meanwhile, and lines
// are read as the system reads them: use asks for keys itself.
func Lend(use func(in, out *os.File) error, then func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg { return lendMsg{use, then} }
}

// Resized tells whoever was lent the terminal that its size has changed, until stop is
// called. On Windows it tells nothing.
func Resized() (changes <-chan os.Signal, stop func()) { return sizeChanges() }

func (s *screen) lend(use func(in, out *os.File) error) error {
	if s.tty == nil {
		return ErrNoTerminal
	}
	return use(s.tty.in, s.tty.out)
}
