package session

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock takes the file for this process alone and reports whether it has it. The
// byte it locks lies far behind any content, since locks here stop readers too.
func lock(f *os.File) bool {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at) != windows.ERROR_LOCK_VIOLATION
}
