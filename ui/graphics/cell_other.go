//go:build !unix

package graphics

import (
	"os"

	"github.com/charmbracelet/x/term"
)

// RoomOf is the room a terminal has, rows at its foot left free.
func RoomOf(f *os.File, free int) (Room, error) {
	w, h, err := term.GetSize(f.Fd())
	return Room{Cols: w, Rows: max(1, h-free)}, err
}
