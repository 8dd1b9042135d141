package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/tools/journal"
)

// What was changed in a folder the conversation has left is shown with its whole path and
// can be taken back and brought again; nothing else that happens there is the journal's.
func TestAnotherFolder(t *testing.T) {
	for _, kept := range []string{"a-session", ""} {
		r := newRig(t, journal.Options{})
		if err := r.Open(kept); err != nil {
			t.Fatal(err)
		}
		write := func(dir, name, text string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(r.root, "old.txt", "before\n")
		r.Begin("the first")
		r.sh("echo after > old.txt")

		there, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		j := journal.New(journal.Options{Dir: r.state, Roots: []string{there}, Rules: readRules, Git: runGit})
		defer j.Close()
		j.Past(r.root, r.root)
		j.Inherit(r.Journal)
		if d := r.Diff(); d != "" {
			t.Errorf("the journal that was left still has\n%s", d)
		}
		r.Close()

		j.Begin("the second")
		done := j.Watch(t.Context(), "write new.txt", nil)
		write(there, "new.txt", "new\n")
		write(r.root, "theirs.txt", "somebody else's\n")
		done()
		old := filepath.ToSlash(filepath.Join(r.root, "old.txt"))
		d := j.Diff()
		if !strings.Contains(d, "diff "+old+"\n") || !strings.Contains(d, "diff new.txt (new file)") || strings.Contains(d, "theirs") {
			t.Errorf("kept %q:\n%s", kept, d)
		}
		back := func(path, want string) {
			t.Helper()
			p, err := j.Undo(journal.LastRun)
			if err != nil || len(p.Files) != 1 || p.Files[0].Path != path {
				t.Fatalf("%+v %v, want %s", p, err, path)
			}
			if done, err := p.Apply(); err != nil || len(done.Kept) > 0 {
				t.Fatalf("%+v %v", done, err)
			}
			if b, _ := os.ReadFile(filepath.Join(r.root, "old.txt")); string(b) != want {
				t.Errorf("old.txt holds %q", b)
			}
		}
		back("new.txt", "after\n")
		back(old, "before\n")
		if _, err := j.Undo(journal.LastRun); !errors.Is(err, journal.ErrNothing) {
			t.Error(err)
		}
		p, err := j.Redo()
		if err == nil {
			_, err = p.Apply()
		}
		if b, _ := os.ReadFile(filepath.Join(r.root, "old.txt")); err != nil || string(b) != "after\n" {
			t.Errorf("%q %v", b, err)
		}
		// The folder is gone: what cannot be done is said, and nothing breaks.
		if err := os.RemoveAll(r.root); err != nil {
			t.Fatal(err)
		}
		if d := j.Diff(); !strings.Contains(d, old+" (deleted file)") {
			t.Errorf("with the folder gone:\n%s", d)
		}
	}
}
