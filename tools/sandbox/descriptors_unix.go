//go:build unix

package sandbox

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// SealDescriptors sees to it that no program forge starts gets a descriptor that
// forge itself was started with, beside the three everybody has: a terminal's, an
// editor's socket, a file somebody left open for writing would be doors that no rule
// about names closes. It does so once.
var SealDescriptors = sync.OnceFunc(func() {
	if sealAll() {
		return
	}
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, n := range names {
		if fd, err := strconv.Atoi(n); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
})
