package socket

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// Another user who gets as far as the socket is turned away, by the server and by a client of
// a server that is another's.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("another user can only be tried as root")
	}
	dir := short(t)
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	at := Address{"unix", filepath.Join(dir, "s")}
	l, took := listen(t, Place{filepath.Join(dir, "serve")}, at)
	if err := os.Chmod(l.Address.Name, 0o666); err != nil { // somebody was careless
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // it is never unlocked: the thread ends with the goroutine
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, 65534, 65534, 65534); e != 0 {
			done <- e
			return
		}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			done <- err
			return
		}
		defer unix.Close(fd)
		if err := unix.Connect(fd, &unix.SockaddrUnix{Name: at.Name}); err != nil {
			done <- err
			return
		}
		_, err = unix.Read(fd, make([]byte, 1)) // until it is closed
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil && err != unix.ECONNRESET {
			t.Fatal(err)
		}
	case c := <-took:
		t.Error("another user is taken in")
		c.Close()
	}
	c, err := net.Dial("unix", at.Name)
	if err != nil {
		t.Fatal(err)
	}
	(<-took).Close()
	c.Close()
}
