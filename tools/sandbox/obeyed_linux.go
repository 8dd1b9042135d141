package sandbox

import (
	"io/fs"
	"syscall"
)

// changeTime is when a file was last changed in any way, which a program cannot
// set back.
func changeTime(fi fs.FileInfo) int64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano()
	}
	return fi.ModTime().UnixNano()
}
