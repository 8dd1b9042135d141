//go:build darwin || linux

package display

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// movements says what of tabs and backspaces the line discipline leaves alone.
func movements(s *term.State) (tabs, backspace bool) {
	return s.Oflag&unix.TABDLY == unix.TAB0, s.Oflag&unix.BSDLY == unix.BS0
}
