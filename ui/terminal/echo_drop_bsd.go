//go:build unix && !linux

package terminal

import "golang.org/x/sys/unix"

// drop forgets what was typed and not read.
func drop(fd uintptr) {
	if st, err := unix.IoctlGetTermios(int(fd), unix.TIOCGETA); err == nil {
		_ = unix.IoctlSetTermios(int(fd), unix.TIOCSETAF, st)
	}
}
