package display

import "golang.org/x/sys/unix"

// flush forgets keys that nobody has read.
func flush(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
