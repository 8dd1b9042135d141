//go:build unix

package session

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// flock is the system's; a test has a file system that knows none.
var flock = unix.Flock

// exclusive takes the file for this process alone. The system frees the lock of a
// process that died.
func exclusive(f *os.File) grip { return locked(f, unix.LOCK_EX) }

// shared sees whether nobody has the file for himself. Those who only ask do not stand
// in each other's way.
func shared(f *os.File) grip { return locked(f, unix.LOCK_SH) }

func locked(f *os.File, how int) grip {
	for {
		switch err := flock(int(f.Fd()), how|unix.LOCK_NB); {
		case err == nil:
			return gripped
		case errors.Is(err, unix.EWOULDBLOCK):
			return ungripped
		case !errors.Is(err, unix.EINTR):
			return unknown
		}
	}
}

// alive reports whether there is a process of this number.
func alive(pid int) bool {
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
