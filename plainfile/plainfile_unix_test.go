//go:build unix

package plainfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", at("link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		most int64
		want string
	}{
		{"file", 5, ""}, {"link", 5, ""}, {"file", 4, "is longer than 4 bytes"}, {"pipe", 5, "is not a regular file"}, {".", 5, "is not a regular file"}, {"none", 5, "no such file"},
	} {
		b, fi, err := Read(at(c.name), c.most)
		if c.want == "" && (err != nil || !bytes.Equal(b, []byte("12345")) || fi.Size() != 5) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v", c.name, b, err)
		}
	}
	if _, _, err := Open(at("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A pipe that comes between the look and the opening is not waited for.
func TestAPipeInItsPlace(t *testing.T) {
	dir := t.TempDir()
	file, pipe, at := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "at")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, at); err != nil {
		t.Fatal(err)
	}
	var end atomic.Bool
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for i := 0; !end.Load(); i++ {
			to := []string{pipe, file}[i%2]
			next := at + ".next"
			if os.Symlink(to, next) != nil || os.Rename(next, at) != nil {
				t.Error("not swapped")
				return
			}
		}
	}()
	read := 0
	for range 4000 {
		if b, _, err := Read(at, 10); err == nil && string(b) == "text" {
			read++
		}
	}
	end.Store(true)
	<-swapped
	if read == 0 {
		t.Error("it was never read")
	}
}
