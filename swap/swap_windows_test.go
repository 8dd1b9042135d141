package swap

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file that is being read is replaced all the same.
func TestRenameOverWhatIsBeingRead(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "new"), filepath.Join(dir, "file")
	for name, text := range map[string]string{from: "new", to: "old"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); !held(err) {
		t.Fatalf("nothing is in the way: %v", err)
	}
	closed := make(chan error, 1)
	go func() {
		time.Sleep(20 * time.Millisecond) // as long as somebody looks at it
		closed <- reader.Close()
	}()
	if err := Rename(from, to); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(to); string(got) != "new" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
