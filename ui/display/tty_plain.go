//go:build unix && !darwin && !linux

package display

import "github.com/charmbracelet/x/term"

// movements says that nothing is known of tabs and backspaces.
func movements(*term.State) (tabs, backspace bool) { return false, false }
