//go:build unix

package doctor

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// locks reports whether a lock on a file keeps another from taking it.
func locks(f *os.File) bool {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return false
	}
	other, err := os.Open(f.Name())
	if err != nil {
		return false
	}
	defer other.Close()
	return errors.Is(unix.Flock(int(other.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
