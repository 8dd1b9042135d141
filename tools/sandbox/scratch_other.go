//go:build !unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
)

// errFolderHeld is what lockFolder fails with where somebody else has the folder.
var errFolderHeld = errors.New("the folder is in use")

// lockFolder fails: here a folder cannot be locked, so that none is ever swept.
func lockFolder(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// ownFile says that no file is known to be this user's.
func ownFile(fs.FileInfo) bool { return false }
