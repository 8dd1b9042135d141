//go:build unix

package session

import (
	"os"
	"os/exec"
	"testing"
)

// TestLockOfTheKilled opens a session whose lock a process has that forge was about
// to start when it was killed.
func TestLockOfTheKilled(t *testing.T) {
	s := write(t, t.TempDir(), conversation()[:3])
	s.Close()
	f, err := os.OpenFile(s.Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !lock(f) {
		t.Fatal("the file of a closed session is locked")
	}
	heir := exec.Command("sleep", "0.1")
	heir.ExtraFiles = []*os.File{f}
	if err := heir.Start(); err != nil {
		t.Fatal(err)
	}
	defer heir.Wait()
	f.Close()
	if !InUse(s.Path()) {
		t.Error("the lock went with the one who had it first")
	}
	again, _, err := Open(s.Path())
	if err != nil || again.ReadOnly() != "" {
		t.Fatalf("opened read-only (%q), %v", again.ReadOnly(), err)
	}
	defer again.Close()
}

// TestAskersDoNotLock asks twice at once whether a session is in use.
func TestAskersDoNotLock(t *testing.T) {
	s := write(t, t.TempDir(), conversation()[:3])
	s.Close()
	f, err := os.Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if shared(f) == ungripped || InUse(s.Path()) {
		t.Error("who only asked looks like another forge")
	}
}
