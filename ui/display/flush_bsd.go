//go:build unix && !linux

package display

import "golang.org/x/sys/unix"

// flush forgets keys that nobody has read.
func flush(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) }
