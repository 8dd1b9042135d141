package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
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
	if i := strings.Index(text, "new file link\n"); i >= 0 && strings.HasPrefix(text[i+len("new file link\n"):], "+") {
		t.Error("a link was followed")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the repository ran a program of its own")
	}
}

func TestGitDiffBeforeTheFirstCommitAndWithoutARepository(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	if _, err := GitDiff(t.Context(), dir); err == nil {
		t.Error("no error where there is no repository")
	}
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "a"), "x\n")
	git(t, dir, "add", ".")
	if text, err := GitDiff(t.Context(), dir); err != nil || !strings.Contains(text, "+x") {
		t.Errorf("%q %v", text, err)
	}
}
