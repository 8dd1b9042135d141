//go:build unix

package ide

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"testing"
)

func TestWhoMayHaveWrittenIt(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	file := e.offer(temp, dir)
	why := func() error {
		t.Helper()
		found := m.Find()
		if len(found) != 1 {
			t.Fatalf("%+v", found)
		}
		return found[0].Why
	}
	for _, mode := range []os.FileMode{0o620, 0o602, 0o666} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := why(); !errors.Is(err, ErrOpenFile) {
			t.Errorf("%o: %v", mode, err)
		}
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := why(); err != nil {
		t.Error(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(file, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if err := why(); !errors.Is(err, ErrForeign) {
			t.Error(err)
		}
		if err := os.Chown(file, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(file, file+".real"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file+".real", file); err != nil {
		t.Fatal(err)
	}
	if err := why(); !errors.Is(err, ErrBroken) {
		t.Errorf("a link: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(file, 0o600); err != nil { // nobody writes: it must not be waited for
		t.Fatal(err)
	}
	if err := why(); !errors.Is(err, ErrBroken) {
		t.Errorf("a pipe: %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells without asking a program")
	}
	dir, temp, m, _ := here(t)
	port := freePort(t)
	offerAs(t, temp, os.Getpid(), port, map[string]any{"port": port, "workspacePath": dir, "authToken": "t"})
	if found := m.Find(); len(found) != 1 || !errors.Is(found[0].Why, ErrSilent) {
		t.Errorf("%+v", found)
	}
}
