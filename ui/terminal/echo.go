package terminal

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// Hide returns what takes away, or gives back, that a terminal shows what is typed on it;
// nil where f is none. Lines are edited as before. What came while nothing was shown and
// was not read is dropped: the rest of a pasted key is nobody's next line. What fails
// leaves it as it is.
func Hide(f *os.File) func(hide bool) {
	if !term.IsTerminal(f.Fd()) {
		return nil
	}
	hidden := false
	return func(hide bool) {
		if hide == hidden {
			return
		}
		st, err := term.GetState(f.Fd())
		if err != nil {
			return
		}
		echo(st, !hide)
		if !hide {
			drop(f.Fd())
		}
		if term.SetState(f.Fd(), st) == nil {
			hidden = hide
		}
	}
}
