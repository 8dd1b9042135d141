package session

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the file for this process alone and reports whether it has it.
func lock(f *os.File) bool { return locked(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// unheld reports whether nobody has the file for himself. Those who only ask do not
// stand in each other's way.
func unheld(f *os.File) bool { return locked(f, 0) }

// locked locks a byte far behind any content, since locks here stop readers too.
func locked(f *os.File, how uint32) bool {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != windows.ERROR_LOCK_VIOLATION
}
