//go:build !unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const nonblock = 0

func keepOwner(*os.File, fs.FileInfo) {}

// Nothing is written in place here: whether a file has a second name is not known.
func noRename(error) bool      { return false }
func oneName(fs.FileInfo) bool { return false }

// errnoNotSameDevice is ERROR_NOT_SAME_DEVICE of Windows.
const errnoNotSameDevice = syscall.Errno(17)

// across says whether err is that of a rename from one file system to another.
func across(err error) bool { return errors.Is(err, errnoNotSameDevice) }
