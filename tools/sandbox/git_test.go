package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestGitDiffRunsNothingOfTheRepository(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "a.txt"), "one\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	evil := filepath.Join(dir, "evil.sh")
	write(t, evil, "#!/bin/sh\ntouch '"+mark+"'\ncat /dev/null\n")
	for _, key := range []string{"core.fsmonitor", "diff.external", "diff.x.command", "diff.x.textconv", "core.pager"} {
		git(t, dir, "config", key, evil)
	}
	write(t, filepath.Join(dir, ".gitattributes"), "*.txt diff=x\n")
	write(t, filepath.Join(dir, "a.txt"), "two\n")
	write(t, filepath.Join(dir, "new name.md"), "")
	write(t, filepath.Join(dir, "neu 新.md"), "first\nlast")
	write(t, filepath.Join(dir, "pic"), "a\x00b")
	write(t, filepath.Join(dir, "long"), strings.Repeat("0123456789\n", 20_000))
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Log(err) // not everybody may
	}
	text, err := GitDiff(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-one\n+two\n", "new file new name.md\n", "new file neu 新.md\n+first\n+last\n",
		"new file pic (binary)\n", "new file long (its beginning)\n+0123456789\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "+0123456789"); n != freshFile/11 {
		t.Errorf("%d lines of the long file", n)
	}
	if i := strings.Index(text, "new file link (link to "); i < 0 || strings.HasPrefix(text[i+strings.Index(text[i:], "\n")+1:], "+") {
		t.Error("a link was followed")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the repository ran a program of its own")
	}
}

func TestGitDiffBeforeTheFirstCommitAndWithoutARepository(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	t.Setenv("LANG", "zh_CN.UTF-8") // git's own words are read, in whatever language a person has
	if _, err := GitDiff(t.Context(), dir); !errors.Is(err, ErrNoRepository) {
		t.Errorf("%v where there is no repository", err)
	}
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "a"), "x\n")
	git(t, dir, "add", ".")
	if text, err := GitDiff(t.Context(), dir); err != nil || !strings.Contains(text, "+x") {
		t.Errorf("%q %v", text, err)
	}
}

// The tree nothing was committed to has another name in a repository of longer names;
// what is new and no file of its own is said.
func TestGitDiffOfOddRepositories(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q", "--object-format=sha256")
	write(t, filepath.Join(dir, "a"), "x\n")
	git(t, dir, "add", ".")
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, inner, "init", "-q")
	write(t, filepath.Join(inner, "b"), "y\n")
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	text, err := GitDiff(t.Context(), dir)
	for _, want := range []string{"+x\n", "new file inner/ (a repository of its own)\n", "new file link (link to a)\n"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v, without %q: %s", err, want, text)
		}
	}
}

// An error says what git was asked, not with which settings; without git, that.
func TestGitErrors(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	if _, err := Git(t.Context(), dir, "-c", "core.quotePath=false", "diff", "no-such"); err == nil || !strings.HasPrefix(err.Error(), "git diff: ") {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", dir)
	if _, err := GitDiff(t.Context(), dir); !errors.Is(err, ErrNoGit) {
		t.Errorf("%v without git", err)
	}
}

// What a repository has set up itself runs nothing, whatever its name; what the person
// has, does.
func TestGitDiffUsesNoFilterOfTheRepository(t *testing.T) {
	dir, mark := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "a.txt"), "one\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	for _, name := range []string{"x", "y=z"} {
		git(t, dir, "config", "filter."+name+".clean", "touch '"+mark+"'; cat")
		git(t, dir, "config", "filter."+name+".process", "touch '"+mark+"'")
		git(t, dir, "config", "filter."+name+".required", "true")
	}
	for _, name := range []string{"x", "y=z"} {
		write(t, filepath.Join(dir, ".git", "info", "attributes"), "*.txt filter="+name+"\n")
		write(t, filepath.Join(dir, "a.txt"), "two "+name+"\n")
		text, err := GitDiff(t.Context(), dir)
		if err != nil || !strings.Contains(text, "+two "+name) {
			t.Errorf("%s: %v %q", name, err, text)
		}
		w, err := OpenGit(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := w.Status(t.Context()); err != nil || text != " M a.txt" {
			t.Errorf("%s: %v %q", name, err, text)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("the filter %s of the repository ran", name)
		}
	}
	write(t, filepath.Join(dir, ".git", "info", "attributes"), "*.txt filter=mine\n")
	home := t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), "[filter \"mine\"]\n\tclean = tr a-z A-Z\n")
	t.Setenv("HOME", home)
	if text, err := GitDiff(t.Context(), dir); err != nil || !strings.Contains(text, "+TWO") {
		t.Errorf("the person's filter: %v %q", err, text)
	}
}

// In a folder of a repository the new files of all of it are seen, and names are those
// from its top on.
func TestGitDiffInASubfolder(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	git(t, dir, "config", "diff.relative", "true")
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tracked"), "x\n")
	git(t, dir, "add", ".")
	write(t, filepath.Join(dir, "above"), "up\n")
	write(t, filepath.Join(sub, "below"), "down\n")
	text, err := GitDiff(t.Context(), sub)
	for _, want := range []string{"b/tracked\n", "new file above\n+up\n", "new file sub/below\n+down\n"} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v, without %q: %s", err, want, text)
		}
	}
}

// A repository that has git look at another folder shows nothing of that one.
func TestGitDiffOfAnotherFolder(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "repo")
	write(t, filepath.Join(home, "secret"), "s3cret\n")
	git(t, home, "init", "-q", "repo")
	git(t, dir, "config", "core.worktree", home)
	if text, err := GitDiff(t.Context(), dir); !errors.Is(err, ErrElsewhere) || text != "" {
		t.Errorf("%v %q", err, text)
	}
}

// However a person or a repository has names in differences written, a rule finds them; and
// so it does where a name would begin a line of its own or be taken for a word of git's.
func TestWhatARuleKeepsIsKeptHoweverNamesAreWritten(t *testing.T) {
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	kept := []string{"secrets/key", "a/key", "mode x/key"}
	if runtime.GOOS != "windows" {
		kept = append(kept, "a\nnew file b/key", "tab\t\"q\" \\/key", "turned\u202e/key")
	}
	for _, name := range kept {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), "HIDDEN\n")
	}
	hidden := func(path string) bool { return slices.Contains(kept, filepath.ToSlash(path)) }
	look := func() string {
		t.Helper()
		text, err := GitDiff(t.Context(), dir)
		if err != nil || !strings.Contains(text, "HIDDEN") {
			t.Fatalf("%v %s", err, text)
		}
		return WithoutKept(text, hidden)
	}
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "none")
	if text := look(); strings.Contains(text, "HIDDEN") || strings.Count(text, "not shown: a rule") != len(kept) {
		t.Errorf("new files:\n%s", text)
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	for _, name := range kept {
		write(t, filepath.Join(dir, name), "HIDDEN, too\n")
	}
	for _, set := range [][2]string{{"diff.mnemonicPrefix", "true"}, {"diff.noprefix", "true"}, {"diff.srcPrefix", "x/"}, {"diff.dstPrefix", "y/"}} {
		git(t, dir, "config", set[0], set[1])
		if text := look(); strings.Contains(text, "HIDDEN") || strings.Count(text, "not shown: a rule") != len(kept) {
			t.Errorf("%s:\n%s", set[0], text)
		}
		git(t, dir, "config", "--unset", set[0])
	}
}

// A repository within another says nothing of what is run when that one's past is shown.
func TestGitShowsNothingByARepositoryWithin(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(t.TempDir(), "ran")
	sub := filepath.Join(dir, "sub")
	git(t, dir, "init", "-q")
	git(t, dir, "init", "-q", sub)
	for _, text := range []string{"one\n", "two\n"} {
		write(t, filepath.Join(sub, "a"), text)
		git(t, sub, "add", ".")
		git(t, sub, "commit", "-qm", text)
		git(t, dir, "-c", "advice.addEmbeddedRepo=false", "add", "sub")
		git(t, dir, "commit", "-qm", text)
	}
	git(t, sub, "config", "diff.external", "touch '"+mark+"'; true")
	git(t, dir, "config", "diff.submodule", "diff")
	if out, err := Git(t.Context(), dir, "show", "--no-ext-diff", "--no-textconv"); err != nil || !strings.Contains(string(out), "+Subproject commit") {
		t.Errorf("%v %s", err, out)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a repository within ran a program of its own")
	}
}

// lookedAt is a folder with the file a in it, which was looked at.
func lookedAt(t *testing.T) (dir string, top *os.Root, was fs.FileInfo) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "a"), "mine\n")
	top, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { top.Close() })
	if was, err = top.Lstat("a"); err != nil {
		t.Fatal(err)
	}
	return dir, top, was
}

// What took the place of a new file meanwhile is not read.
func TestANewFileThatBecameAnother(t *testing.T) {
	dir, top, was := lookedAt(t)
	write(t, filepath.Join(dir, "b"), "another's\n")
	if err := os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if b, err := beginning(top, "a", was, 100); !errors.Is(err, ErrChanged) || len(b) > 0 {
		t.Errorf("%q %v", b, err)
	}
}

// A repository whose settings cannot be told whole is not looked at: one of them may be a
// filter, which runs when files are compared.
func TestGitDiffOfMoreSettingsThanCanBeTold(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(t.TempDir(), "ran")
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "a"), "x\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	git(t, dir, "config", "filter.y.clean", "touch '"+mark+"'; cat")
	write(t, filepath.Join(dir, ".gitattributes"), "a filter=y\n")
	write(t, filepath.Join(dir, "a"), "y\n")
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("n", 64<<10)
	for i := range gitBytes/len(long) + 20 {
		fmt.Fprintf(f, "[filter \"%d%s\"]\nclean=cat\n", i, long)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := GitDiff(t.Context(), dir); !errors.Is(err, ErrGitLong) {
		t.Errorf("%v: %.200s", err, text)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a filter of the repository's own ran")
	}
}
