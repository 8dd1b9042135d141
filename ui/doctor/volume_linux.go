package doctor

import (
	"golang.org/x/sys/unix"

	"forge/lazy"
)

// networks are file systems over the network, by the magic number Linux gives them.
var networks = lazy.Value[map[int64]string]{Of: func() map[int64]string {
	return map[int64]string{
		unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "SMB",
		unix.AFS_FS_MAGIC: "AFS", unix.CODA_SUPER_MAGIC: "Coda", unix.CEPH_SUPER_MAGIC: "Ceph", unix.V9FS_MAGIC: "9P",
	}
}}

func volume(dir string) (space, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return space{}, false
	}
	return space{free: st.Bavail * uint64(st.Bsize), network: networks.Get()[int64(st.Type)]}, true
}
