package swap

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestWriteReplacesAsAWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "file")
	for _, how := range []How{Quick, Durable} {
		a, b := bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<17)
		if err := Write(file, a, 0o600, how); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		stop := make(chan struct{})
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if got, err := os.ReadFile(file); err == nil && !bytes.Equal(got, a) && !bytes.Equal(got, b) {
					t.Errorf("%d bytes were read, neither the old nor the new", len(got))
					return
				}
			}
		})
		for range 50 {
			if err := Write(file, b, 0o644, how); err != nil {
				t.Error(err)
			}
			if err := Write(file, a, 0o600, how); err != nil {
				t.Error(err)
			}
		}
		close(stop)
		all.Wait()
	}
	if es, err := os.ReadDir(filepath.Dir(file)); err != nil || len(es) != 1 {
		t.Errorf("beside the file: %v, %v", es, err)
	}
}

func TestModeOfWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no bits of rights there")
	}
	file := filepath.Join(t.TempDir(), "file")
	for _, mode := range []os.FileMode{0o600, 0o644, 0o400} {
		if err := Write(file, []byte("x"), mode, Quick); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%v, %v; want %v", info.Mode(), err, mode)
		}
	}
}

// What cannot be put in its place leaves everything as it was.
func TestFailedWriteLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	if Write(taken, []byte("x"), 0o600, Durable) == nil {
		t.Error("a folder was replaced")
	}
	if Write(filepath.Join(dir, "taken", "inside", "\x00"), nil, 0o600, Quick) == nil {
		t.Error("a name that is none was taken")
	}
	es, err := os.ReadDir(dir)
	if err != nil || len(es) != 1 || es[0].Name() != "taken" {
		t.Errorf("left: %v, %v", es, err)
	}
}

func TestUnfinished(t *testing.T) {
	for name, want := range map[string]bool{".new-123": true, filepath.Join("a", ".new-"): true, "new-1": false, "a.new-1": false, filepath.Join(".new-1", "a"): false} {
		if Unfinished(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
