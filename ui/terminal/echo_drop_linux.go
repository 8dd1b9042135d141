package terminal

import "golang.org/x/sys/unix"

// drop forgets what was typed and not read.
func drop(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }
