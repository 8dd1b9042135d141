package session

import (
	"os"

	"golang.org/x/sys/windows"
)

// exclusive takes the file for this process alone.
func exclusive(f *os.File) grip { return locked(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// shared sees whether nobody has the file for himself. Those who only ask do not stand
// in each other's way.
func shared(f *os.File) grip { return locked(f, 0) }

// locked locks a byte far behind any content, since locks here stop readers too.
func locked(f *os.File, how uint32) grip {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	switch windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) {
	case nil:
		return gripped
	case windows.ERROR_LOCK_VIOLATION:
		return ungripped
	}
	return unknown
}

// stillActive is the exit code of a process that has none yet.
const stillActive = 259

// alive reports whether there is a process of this number.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return err == windows.ERROR_ACCESS_DENIED
	}
	defer windows.CloseHandle(h)
	var code uint32
	return windows.GetExitCodeProcess(h, &code) != nil || code == stillActive
}
