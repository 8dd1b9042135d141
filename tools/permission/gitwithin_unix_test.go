//go:build unix

package permission

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe where git keeps its index would be waited for.
func TestAnIndexThatIsAPipe(t *testing.T) {
	w := workspace(t)
	index := filepath.Join(w.dir, ".git", "index")
	if err := os.Remove(index); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(index, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := analyse("git status", w); a.ReadOnly {
		t.Error("git would wait for a pipe, unasked")
	}
}
