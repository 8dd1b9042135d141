//go:build !unix

package sandbox

import (
	"io/fs"
	"os"
)

const nonblock = 0

func keepOwner(*os.File, fs.FileInfo) {}

// Nothing is written in place here: whether a file has a second name is not known.
func noRename(error) bool      { return false }
func oneName(fs.FileInfo) bool { return false }
