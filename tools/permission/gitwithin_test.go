package permission

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// gitIn runs git as somebody with a name.
func gitIn(t *testing.T, w world, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+w.home, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
}

// nested is a workspace with a repository in it that has another in it.
func nested(t *testing.T) (w world, sub, deep string) {
	t.Helper()
	w = workspace(t)
	sub = filepath.Join(w.dir, "sub")
	deep = filepath.Join(sub, "deep")
	for _, dir := range []string{sub, deep} {
		gitIn(t, w, w.dir, "init", "-q", dir)
		gitIn(t, w, dir, "commit", "-q", "--allow-empty", "-m", "x")
	}
	gitIn(t, w, sub, "add", "deep")
	gitIn(t, w, sub, "commit", "-q", "-m", "x")
	gitIn(t, w, w.dir, "add", "sub")
	return w, sub, deep
}

// Git enters what lies in the repositories within, too, and what is said of them holds
// only until they are set up in another way.
func TestRepositoriesWithinThoseWithin(t *testing.T) {
	w, sub, deep := nested(t)
	if a := analyse("git status", w); !a.ReadOnly {
		t.Fatalf("quiet repositories within: %v", a.Risks)
	}
	gitIn(t, w, deep, "config", "filter.x.clean", "./x")
	if a := analyse("git status", w); a.ReadOnly || a.Level < High || !slices.ContainsFunc(a.Risks, func(r Risk) bool {
		return r.Reason == "git would run programs here: the repository sets filter.x.clean (sub/deep)"
	}) {
		t.Errorf("a repository two levels down runs a program unasked: %v", a.Risks)
	}
	gitIn(t, w, deep, "config", "--unset", "filter.x.clean")
	if a := analyse("git status", w); !a.ReadOnly {
		t.Errorf("it is quiet again: %v", a.Risks)
	}
	gitIn(t, w, sub, "config", "core.worktree", filepath.Join(w.dir, "src"))
	if a := analyse("git status", w); a.ReadOnly {
		t.Error("git looks at another folder than the one that was looked at, unasked")
	}
}

// A repository within that the index does not name yet, and one that comes where it does.
func TestARepositoryWithinComesLater(t *testing.T) {
	w, sub, _ := nested(t)
	away := filepath.Join(t.TempDir(), "sub")
	if err := os.Rename(sub, away); err != nil {
		t.Fatal(err)
	}
	if a := analyse("git diff", w); !a.ReadOnly {
		t.Fatalf("nothing is there: %v", a.Risks)
	}
	gitIn(t, w, away, "config", "diff.external", "./x")
	if err := os.Rename(away, sub); err != nil {
		t.Fatal(err)
	}
	if a := analyse("git diff", w); a.ReadOnly {
		t.Error("the repository that came runs a program unasked")
	}
}

// In a linked working tree .git is a file, and the configuration lies elsewhere.
func TestALinkedWorkingTreeIsLookedAtAgain(t *testing.T) {
	w := workspace(t)
	gitIn(t, w, w.dir, "commit", "-q", "--allow-empty", "-m", "x")
	linked := filepath.Join(t.TempDir(), "linked")
	gitIn(t, w, w.dir, "worktree", "add", "-q", linked)
	w.dir, w.roots = linked, []string{linked}
	if a := analyse("git status", w); !a.ReadOnly {
		t.Fatalf("a quiet working tree: %v", a.Risks)
	}
	gitIn(t, w, linked, "config", "filter.x.clean", "./x")
	if a := analyse("git status", w); a.ReadOnly {
		t.Error("git runs a program unasked that came into the configuration later")
	}
}

// Where git shows what changed in a repository within as a diff, it runs itself there, as
// that one has set it up, also where the index does not name it any more.
func TestDiffsOfRepositoriesWithin(t *testing.T) {
	w, sub, _ := nested(t)
	gitIn(t, w, w.dir, "commit", "-q", "-m", "one")
	if err := os.WriteFile(filepath.Join(sub, "f"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	gitIn(t, w, sub, "add", "f")
	gitIn(t, w, sub, "commit", "-q", "-m", "y")
	gitIn(t, w, w.dir, "commit", "-q", "-m", "two", "sub")
	gitIn(t, w, w.dir, "rm", "-q", "--cached", "sub")
	ran := filepath.Join(t.TempDir(), "ran")
	gitIn(t, w, sub, "config", "diff.external", "touch '"+ran+"'; true")
	for _, line := range []string{"git show --submodule=diff", "git log -p --submodule=diff", "git diff --submodule=diff HEAD~1"} {
		if a := analyse(line, w); a.ReadOnly || a.Level < High || len(a.Shapes) > 0 {
			t.Errorf("%s runs unasked, or can be granted: %v %v", line, a.Level, a.Shapes)
		}
	}
	for _, line := range []string{"git show --submodule=log", "git log -p --submodule"} {
		if a := analyse(line, w); !a.ReadOnly {
			t.Errorf("%s: %v", line, a.Risks)
		}
	}
	// The repository's own setting asks for the same: what runs unasked does not have it.
	gitIn(t, w, w.dir, "config", "diff.submodule", "diff")
	c := exec.Command("git", "show")
	c.Dir = w.dir
	c.Env = append(os.Environ(), GitEnv()...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if exists(ran) {
		t.Error("a repository within ran a program")
	}
}
