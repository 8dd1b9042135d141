//go:build unix

package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"forge/ui/lang"
)

// ours reports whether a file is this user's.
func ours(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// refused reports whether nobody listens at an address.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// bind makes a socket that only this user may connect to, from its first moment on. The
// mask is the whole process's: a server binds before it does anything else.
func bind(path string) (net.Listener, error) {
	was := syscall.Umask(0o177)
	defer syscall.Umask(was)
	return net.Listen("unix", path)
}

// taken takes a file's lock for as long as it is open, and reports whether another process
// has it. Where nothing can say, it is taken as ours.
func taken(f *os.File) bool {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return errors.Is(err, unix.EWOULDBLOCK)
		}
	}
}

// sameUser reports why the process at the other end is not this user's; nil: it is, or the
// system cannot tell, and the modes of the socket and its folder are what there is.
func sameUser(c net.Conn) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return errors.New(lang.N("this is no Unix socket"))
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var uid uint32
	var known bool
	var wrong error
	if err := raw.Control(func(fd uintptr) { uid, known, wrong = peer(int(fd)) }); err != nil {
		return err
	}
	if wrong != nil {
		return fmt.Errorf(lang.T("who is at the other end: %w"), wrong)
	}
	if known && int(uid) != os.Geteuid() {
		return errors.New(lang.T("at the other end is another user, number %d", uid))
	}
	return nil
}
