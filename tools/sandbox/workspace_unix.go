//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// nonblock keeps the opening of a pipe from waiting for its other end.
const nonblock = syscall.O_NONBLOCK

// keepOwner gives f the owner and group of old, as far as the system lets us: only
// root may give a file away, and root editing a person's file must not take it.
func keepOwner(f *os.File, old fs.FileInfo) {
	s, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if now, err := f.Stat(); err == nil {
		if n, ok := now.Sys().(*syscall.Stat_t); ok && n.Uid == s.Uid && n.Gid == s.Gid {
			return
		}
	}
	if f.Chown(int(s.Uid), int(s.Gid)) != nil {
		_ = f.Chown(-1, int(s.Gid))
	}
}

// noRename reports whether err says that a file cannot be put in the place of
// another, though that other may be writable.
func noRename(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY)
}

// across says whether err is that of a rename from one file system to another.
func across(err error) bool { return errors.Is(err, syscall.EXDEV) }

// oneName reports whether a file has no second name by a hard link.
func oneName(fi fs.FileInfo) bool {
	s, ok := fi.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 1
}
