//go:build unix

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A git that knows nothing of GIT_NO_LAZY_FETCH fetches what is missing of a repository
// that holds only a part, by the program that names.
func TestAnOldGitFetchesNothing(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	mark := filepath.Join(bin, "ran")
	write(t, filepath.Join(bin, "git"), "#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec '"+real+"' \"$@\"\n")
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "a"), "one\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	out, err := Git(t.Context(), dir, "rev-parse", "HEAD:a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, ".git", "objects", string(out[:2]), string(out[2:40]))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a"), "two\n")
	for key, value := range map[string]string{"core.repositoryformatversion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true", "remote.origin.url": "ssh://x/y", "core.sshCommand": "touch '" + mark + "'; false"} {
		git(t, dir, "config", key, value)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if text, err := GitDiff(t.Context(), dir); err == nil {
		t.Errorf("nothing is missing: %s", text)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the repository had something fetched, by a program of its own")
	}
}

// A pipe that took the place of a new file is not waited for.
func TestANewFileThatBecameAPipe(t *testing.T) {
	dir, top, was := lookedAt(t)
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := beginning(top, "a", was, 100); err == nil {
		t.Error("a pipe is taken for the file")
	}
}

// A pipe in the place of a work tree's .git, or of what names the work tree, keeps no
// command waiting.
func TestAPipeForAWorkTree(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	at := filepath.Join(root, ".git")
	if err := syscall.Mkfifo(at, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := gitFolders([]string{root}); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(other, ".git", "worktrees", "x")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, at, "gitdir: "+own+"\n")
	if err := syscall.Mkfifo(filepath.Join(own, "gitdir"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := gitFolders([]string{root}); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// Neither git nor the shell that forge runs by itself is one that lies in the folder, as by
// an activated environment: a confined command may write there.
func TestAFoldersOwnProgramsAreNotForges(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	bin := filepath.Join(dir, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(dir, "ran")
	for _, name := range []string{"git", "bash", "sh"} {
		write(t, filepath.Join(bin, name), "#!/bin/sh\ntouch '"+mark+"'\n")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	usual := os.Getenv("PATH")
	for _, first := range []string{bin, ".venv/bin", ".", filepath.Join(link, ".venv", "bin")} {
		t.Setenv("PATH", first+string(os.PathListSeparator)+os.Getenv("PATH"))
		if _, err := GitDiff(t.Context(), dir); err != nil {
			t.Errorf("%s: %v", first, err)
		}
		if res, err := (Command{Shell: "echo done", Dir: dir}).Run(t.Context()); err != nil || res.Output != "done\n" {
			t.Errorf("%s: %q %v", first, res.Output, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("%s: a program of the folder ran", first)
		}
	}
	// Nor is what the person has git run.
	home := t.TempDir()
	t.Setenv("HOME", home)
	write(t, filepath.Join(home, ".gitconfig"), "[filter \"mine\"]\n\tclean = mine-filter\n")
	write(t, filepath.Join(bin, "mine-filter"), "#!/bin/sh\ntouch '"+mark+"'\ncat\n")
	write(t, filepath.Join(dir, ".gitattributes"), "a filter=mine\n")
	write(t, filepath.Join(dir, "a"), "one\n")
	t.Setenv("PATH", usual)
	git(t, dir, "-c", "filter.mine.clean=cat", "add", "a")
	write(t, filepath.Join(dir, "a"), "two\n")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if _, err := GitDiff(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a filter's program of the folder's own ran")
	}
	t.Setenv("PATH", bin)
	if _, err := GitDiff(t.Context(), dir); !errors.Is(err, ErrNoGit) {
		t.Errorf("%v where the only git is the folder's", err)
	}
	if got := FindShell(dir); got != "/bin/sh" {
		t.Errorf("the shell is %s", got)
	}
}
