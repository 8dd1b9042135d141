//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errFolderHeld is what lockFolder fails with where somebody else has the folder.
var errFolderHeld = errors.New("the folder is in use")

// lockFolder takes a folder for this process alone, until the file is closed or the
// process has ended. A path that does not lead to what was locked is in use: it is gone
// already. systemd-tmpfiles passes over folders that are locked so.
func lockFolder(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errFolderHeld
	}
	if err == nil {
		there, statErr := os.Lstat(path)
		if locked, e := f.Stat(); statErr != nil || e != nil || !os.SameFile(there, locked) {
			err = errFolderHeld
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ownFile says whether a file is this user's.
func ownFile(fi fs.FileInfo) bool {
	s, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
