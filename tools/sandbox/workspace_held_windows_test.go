package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file that is being read is replaced all the same.
func TestWriteWhatIsBeingRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(name, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p, err := w.Resolve("a.txt")
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() {
		time.Sleep(20 * time.Millisecond) // as long as somebody looks at it
		closed <- reader.Close()
	}()
	if err := w.Write(p, []byte("old"), []byte("new"), 0o644); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(name); string(got) != "new" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
