//go:build unix

package journal_test

import (
	"context"
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

// What a command changes of a large repository is asked of git in parts.
func TestManyFilesThatGitHas(t *testing.T) {
	asked := 0
	r := newRig(t, journal.Options{Git: func(ctx context.Context, dir string, in []byte, args ...string) ([]byte, error) {
		if args[0] == "cat-file" && args[1] == "--batch" {
			asked++
		}
		return runGit(ctx, dir, in, args...)
	}})
	r.own("git init -q && for i in 1 2 3 4 5 6 7; do head -c 3000000 /dev/zero > f$i; echo $i >> f$i; done; touch -t 202001010000 f* && git add .")
	tree := r.tree()
	r.Begin("a prompt")
	r.sh("rm f*")
	r.undo()
	r.same("all of them", r.tree(), tree)
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}
