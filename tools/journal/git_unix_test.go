//go:build unix

package journal_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"forge/tools/journal"
)

// Pipes where git has files of its own: whoever made the folder would have the journal
// wait for them for ever, and forge with it.
func TestPipesInTheRepository(t *testing.T) {
	for _, name := range []string{".git/index", ".git/info/attributes", ".gitattributes", "sub/.gitattributes"} {
		r := newRig(t, journal.Options{})
		r.own("git init -q && mkdir -p sub .git/info && echo '*.x text' > .gitattributes && cp .gitattributes sub && echo 1 > f && git add .")
		path := filepath.Join(r.root, filepath.FromSlash(name))
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		r.Begin("a prompt")
		r.sh("echo 2 > f")
		if r.undo(); r.read("f") != "1\n" {
			t.Errorf("%s: f is %q", name, r.read("f"))
		}
	}
}
