package socket

import (
	"errors"
	"io/fs"
	"net"
	"os"

	"golang.org/x/sys/windows"
)

// ours takes every file as this user's: whose it is stands in no mode here, and the folder
// lies in the user's own.
func ours(fs.FileInfo) bool { return true }

func refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

var errNoSockets = errors.New("there are no Unix sockets for forge here")

func bind(string) (net.Listener, error) { return nil, errNoSockets }

func sameUser(net.Conn) error { return errNoSockets }

// taken takes a file's lock for as long as it is open, and reports whether another process
// has it.
func taken(f *os.File) bool {
	var at windows.Overlapped
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
