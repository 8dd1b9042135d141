package socket

import "golang.org/x/sys/unix"

// peer is the user of the process at the other end, as it was when it connected.
func peer(fd int) (uid uint32, known bool, err error) {
	u, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, false, err
	}
	return u.Uid, true, nil
}
