//go:build unix

package budget

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a lock is waited for: each is held for one write.
const patience = 2 * time.Second

// lock keeps other forges from writing at the same time. Where the file system
// knows no locks, or the one who has it is stopped, the line is written all the same:
// it is one write at the end of the file.
func lock(f *os.File) (unlock func()) {
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return func() { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
		case err != unix.EWOULDBLOCK && err != unix.EINTR, time.Now().After(end):
			return func() {}
		}
	}
}
