//go:build unix

package session

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the file for this process alone and reports whether it has it. The
// system frees the lock of a process that died. Where a file system knows no
// locks the file is taken as ours: refusing to save would be worse.
func lock(f *os.File) bool { return locked(f, unix.LOCK_EX) }

// unheld reports whether nobody has the file for himself. Those who only ask do not
// stand in each other's way.
func unheld(f *os.File) bool { return locked(f, unix.LOCK_SH) }

func locked(f *os.File, how int) bool {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	return !errors.Is(err, unix.EWOULDBLOCK)
}
