package sandbox

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// rename gives from the name to in one step: two folders are opened within the
// workspace, and the kernel is asked about a name in each. Nothing may have the name,
// unless it is respelt, another spelling of the same.
func rename(from, to Path, respelt bool) error {
	in, err := from.root.handle.Open(path.Dir(from.Rel))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.root.handle.Open(path.Dir(to.Rel))
	if err != nil {
		return err
	}
	defer out.Close()
	a, b := path.Base(from.Rel), path.Base(to.Rel)
	err = unix.ENOSYS
	if !respelt {
		err = unix.Renameat2(int(in.Fd()), a, int(out.Fd()), b, unix.RENAME_NOREPLACE)
	}
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not every file system can; it was looked that nothing is there
		err = unix.Renameat(int(in.Fd()), a, int(out.Fd()), b)
	}
	switch {
	case err == nil:
		return nil
	case across(err):
		return errAcross
	}
	return &os.PathError{Op: "rename", Path: from.Rel, Err: err}
}
