//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// mayWrite says whether this user could write to a path, or make it.
func mayWrite(path string) bool {
	for {
		_, err := os.Stat(path)
		if err == nil {
			return unix.Access(path, unix.W_OK) == nil
		}
		up := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || up == path {
			return false
		}
		path = up
	}
}
