//go:build unix

package ide

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openOwn opens a discovery file, follows no link and waits for no writer.
func openOwn(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return nil, fmt.Errorf("%w: it is a link", ErrBroken)
	case errors.Is(err, fs.ErrPermission):
		return nil, ErrForeign
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	if err := own(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func ownedHere(fi fs.FileInfo) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	switch {
	case !ok, int64(st.Uid) != int64(os.Geteuid()):
		return ErrForeign
	case fi.Mode().Perm()&0o022 != 0:
		return ErrOpenFile
	}
	return nil
}

// alive reports whether a process is there; one of another user is.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
