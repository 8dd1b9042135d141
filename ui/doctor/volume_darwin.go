package doctor

import (
	"strings"

	"golang.org/x/sys/unix"
)

func volume(dir string) (space, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return space{}, false
	}
	s := space{free: st.Bavail * uint64(st.Bsize)}
	switch name := unix.ByteSliceToString(st.Fstypename[:]); name {
	case "nfs", "smbfs", "afpfs", "webdav":
		s.network = strings.ToUpper(name)
	}
	return s, true
}
