//go:build unix

package journal

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of the one it replaces, where that is allowed.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
