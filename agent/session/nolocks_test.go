//go:build unix

package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// without has a file system that answers each lock with err.
func without(t *testing.T, err error) {
	flock = func(int, int) error { return err }
	t.Cleanup(func() { flock = unix.Flock })
}

// TestNoLocks: on a file system that knows no locks two forges never write one session,
// and nothing is left once the first has ended.
func TestNoLocks(t *testing.T) {
	for _, err := range []error{unix.ENOLCK, unix.ENOSYS, unix.EOPNOTSUPP} {
		without(t, err)
		dir := t.TempDir()
		s := write(t, dir, conversation())
		other, rs, err := Open(s.Path())
		if err != nil || len(rs) != len(conversation()) {
			t.Fatal(len(rs), err)
		}
		if why := other.ReadOnly(); !IsElsewhere(why) || !strings.Contains(why, s.Path()+markerExt) {
			t.Errorf("the second one may write: %q", why)
		}
		if err := other.Append(Record{Title: "x"}); !errors.Is(err, ErrReadOnly) {
			t.Error(err)
		}
		other.Close()
		if !InUse(s.Path()) {
			t.Error("nobody has it")
		}
		if err := Remove(s.Path()); !errors.Is(err, ErrInUse) {
			t.Error(err)
		}
		if err := s.Append(Record{Message: user(text("more"))}); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if InUse(s.Path()) {
			t.Error("somebody has it")
		}
		s, _, err = Open(s.Path())
		if err != nil || s.ReadOnly() != "" {
			t.Fatal(s.ReadOnly(), err)
		}
		s.Close()
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+markerExt+"*")); len(left) != 0 {
			t.Errorf("left %v", left)
		}
	}
}

// TestMarkersOfOthers: the marker of a process that is no more is passed over, also
// where another one has its number; that of another machine is not.
func TestMarkersOfOthers(t *testing.T) {
	without(t, unix.ENOLCK)
	dir := t.TempDir()
	s := write(t, dir, conversation())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	gone := 1 << 30 // above what any system counts to
	for what, c := range map[string]struct {
		text string
		age  time.Duration
		free bool
	}{
		"gone":            {marshalled(t, marker{host, gone, "a"}), 0, true},
		"of our number":   {marshalled(t, marker{host, os.Getpid(), "a"}), 0, true},
		"alive":           {marshalled(t, marker{host, os.Getppid(), "a"}), 0, false},
		"another machine": {marshalled(t, marker{host + "-other", gone, "a"}), time.Hour, false},
		"being written":   {"", 0, false},
		"torn":            {`{"host":`, time.Hour, true},
	} {
		name := s.Path() + markerExt
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-c.age)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
		if InUse(s.Path()) == c.free {
			t.Errorf("%s: in use: %v", what, !c.free)
		}
		again, _, err := Open(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		if free := again.ReadOnly() == ""; free != c.free {
			t.Errorf("%s: %q", what, again.ReadOnly())
		}
		again.Close()
		if b, err := os.ReadFile(name); c.free == (err == nil) || err == nil && string(b) != c.text {
			t.Errorf("%s: the marker is %q, %v", what, b, err)
		}
	}
}

// TestNoLocksAndNoMarker: where nothing can be written beside it, what is said is kept.
func TestNoLocksAndNoMarker(t *testing.T) {
	without(t, unix.ENOSYS)
	dir := t.TempDir()
	s := write(t, dir, conversation())
	s.Close()
	if err := os.Mkdir(s.Path()+markerExt, 0o700); err != nil {
		t.Fatal(err)
	}
	again, _, err := Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.ReadOnly() == "" {
		t.Error("a folder stands in the way and nobody is named")
	}
}

func marshalled(t *testing.T, m marker) string {
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
