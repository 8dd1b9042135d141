package budget

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock keeps other forges from writing at the same time. The byte it locks lies far
// behind any content, since locks here stop readers too.
func lock(f *os.File) (unlock func()) {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	if windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &at) != nil {
		return func() {}
	}
	return func() { _ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at) }
}
