//go:build unix

package graphics

import (
	"os"

	"golang.org/x/sys/unix"
)

// RoomOf is the room a terminal has, rows at its foot left free.
func RoomOf(f *os.File, free int) (Room, error) {
	ws, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return Room{}, err
	}
	r := Room{Cols: int(ws.Col), Rows: max(1, int(ws.Row)-free)}
	if ws.Col > 0 && ws.Row > 0 {
		r.Cell = Cell{int(ws.Xpixel) / int(ws.Col), int(ws.Ypixel) / int(ws.Row)}
	}
	return r, nil
}
