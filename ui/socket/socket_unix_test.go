//go:build unix

package socket

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// short is a folder whose name leaves room for a socket's.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// A socket is its owner's alone whatever the umask is, and so is its folder, which may have
// been there. One that was left behind is taken away; at the end only what is ours is.
func TestSocket(t *testing.T) {
	p := Place{filepath.Join(short(t), "serve")}
	if err := os.Mkdir(p.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	at := p.Default()
	left, err := net.Listen("unix", at.Name)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close() // as one that was killed leaves it
	l, took := listen(t, p, at)
	for name, want := range map[string]fs.FileMode{p.Dir: fs.ModeDir | 0o700, at.Name: fs.ModeSocket | 0o600, p.addressFile(): 0o600} {
		if fi, err := os.Lstat(name); err != nil || fi.Mode() != want {
			t.Errorf("%s is %v, %v", name, fi.Mode(), err)
		}
	}
	c, err := p.Dial(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	(<-took).Close()
	c.Close()
	if err := os.Rename(at.Name, at.Name+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at.Name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := os.Lstat(at.Name); err != nil {
		t.Error("another's file was taken away: ", err)
	}
}

// A folder that is a link, or somebody else's, is not used.
func TestAFolderThatIsNotOurs(t *testing.T) {
	dir := short(t)
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "serve")); err != nil {
		t.Fatal(err)
	}
	if l, err := (Place{filepath.Join(dir, "serve")}).Listen(Address{"unix", filepath.Join(dir, "s")}, quiet); err == nil {
		l.Close()
		t.Error("a link is followed")
	}
	if os.Geteuid() != 0 {
		return
	}
	other := filepath.Join(dir, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(other, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if l, err := (Place{other}).Listen(Address{"unix", filepath.Join(dir, "s")}, quiet); err == nil {
		l.Close()
		t.Error("another user's folder is used")
	}
}

// A server that is ending is waited for.
func TestOneAfterTheOther(t *testing.T) {
	p := Place{filepath.Join(short(t), "serve")}
	for range 20 {
		l, err := p.Listen(p.Default(), quiet)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			l.l.Close() // nobody is answered any more, and the lock is held yet
			l.Close()
		}()
		next, err := p.Listen(p.Default(), quiet)
		var taken Taken
		if errors.As(err, &taken) { // it was asked while the first still answered
			<-ended
			next, err = p.Listen(p.Default(), quiet)
		}
		if err != nil {
			t.Fatal(err)
		}
		<-ended
		next.Close()
	}
}

// refused tells nobody listening from other failures.
func TestRefused(t *testing.T) {
	if refused(syscall.ENOENT) || !refused(&net.OpError{Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}) {
		t.Error("it cannot tell them apart")
	}
}
