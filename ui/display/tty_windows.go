package display

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// sizeChanges says nothing: the console tells of its size between the keys.
func sizeChanges() (<-chan os.Signal, func()) { return nil, func() {} }

// There are no jobs to stop here.
const suspends = false

func suspend() error { return nil }

func movements(*term.State) (tabs, backspace bool) { return true, true }
