//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReview reviews what is not committed, a branch, a commit and a range: the model gets
// the difference, may read and change nothing, even in the laxest mode, and may again
// afterwards.
func TestReview(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=n", "-c", "user.email=e@x", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	play := func(script string, args ...string) (string, string, int) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		return p.run(t, append([]string{"--demo=" + file, "-C", p.dir, "--yolo"}, args...)...)
	}
	if _, errOut, code := play("text x\nend\n", "-p", "/review"); code != 1 || !strings.Contains(errOut, "nothing can be reviewed: this folder is in no git repository") {
		t.Errorf("no repository: exit %d, %q", code, errOut)
	}
	git("init", "-q")
	p.write(t, "a.go", "package a\n")
	git("add", ".")
	git("commit", "-qm", "begin")
	if _, errOut, code := play("text x\nend\n", "-p", "/review"); code != 1 || !strings.Contains(errOut, "nothing is uncommitted; /review BRANCH") {
		t.Errorf("nothing changed: exit %d, %q", code, errOut)
	}
	git("checkout", "-qb", "feature")
	p.write(t, "a.go", "package a\n\nvar One = 2\n")
	git("commit", "-qam", "add One")
	p.write(t, "new.go", "package a\n\nvar Fresh = 1\n")
	refused := `call write_file {"path":"z.go","content":"x"}
call run_bash {"command":"git log --oneline"}
end
expect refused[write_file]
expect result[run_bash] add One
text Found nothing.
end
`
	out, errOut, code := play("expect user What is not committed yet\nexpect user var Fresh\nexpect not user var One\nexpect user above all: errors first\n"+refused, "-p", "/review errors first")
	if out != "Found nothing.\n" || code != 3 {
		t.Errorf("uncommitted: exit %d, %q, %q", code, out, errOut)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "z.go")); err == nil {
		t.Error("a review wrote a file")
	}
	for line, want := range map[string]string{
		"/review main":            "user beyond main\nexpect user add One\nexpect user +var One = 2\nexpect user ?? new.go\nexpect user var Fresh",
		"/review HEAD":            "user One commit\nexpect user +var One = 2\nexpect not user var Fresh",
		"/review main...HEAD":     "user What changed in main...HEAD\nexpect user +var One = 2",
		"/review HEAD~1.. now":    "user What changed in HEAD~1...\nexpect user above all: now",
		"/review hm.. the errors": "user What is not committed yet\nexpect user above all: hm.. the errors",
		"/review $(touch ran) x":  "user above all: $(touch ran) x",
	} {
		if out, errOut, code := play("expect "+want+"\ntext Fine.\nend\n", "-p", line); out != "Fine.\n" || code != 0 {
			t.Errorf("%s: exit %d, %q, %q", line, code, out, errOut)
		}
	}
	for line, want := range map[string]string{
		"/review mian":           "no branch and no commit is named mian",
		"/review --output=x":     "no branch and no commit is named --output=x",
		"/review main..--no":     "no branch and no commit is named --no",
		"/review feature..HEAD":  "there is no difference to review",
		"/review nowhere...HEAD": "no branch and no commit is named nowhere",
	} {
		if _, errOut, code := play("text x\nend\n", "-p", line); code != 1 || !strings.Contains(errOut, want) {
			t.Errorf("%s: exit %d, %q", line, code, errOut)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, "ran")); err == nil {
		t.Error("what was typed ran")
	}
	// In a folder of it, all of it is reviewed.
	p.write(t, "sub/deep/here.go", "package deep\n")
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte("expect user which is ../.. from here\nexpect user ?? sub/deep/here.go\nexpect user var Fresh\nexpect user package deep\ntext Fine.\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errOut, code := p.run(t, "--demo="+file, "-C", filepath.Join(p.dir, "sub", "deep"), "-p", "/review"); out != "Fine.\n" || code != 0 {
		t.Errorf("subfolder: exit %d, %q, %q", code, out, errOut)
	}
	// Too much for a prompt is read by the model.
	p.write(t, "big.txt", strings.Repeat("a line of many\n", 10000))
	for i := range 1000 {
		p.write(t, fmt.Sprintf("many/with-a-long-name-%d", i), "")
	}
	if out, errOut, code := play("expect user too many to stand here: read it file by file\nexpect user ?? big.txt\nexpect user (more: \nexpect not user long-name-999\ntext Read.\nend\n", "-p", "/review"); out != "Read.\n" || code != 0 {
		t.Errorf("large: exit %d, %q, %q", code, out, errOut)
	}
}

// On the screen a review is one line, and what comes after it may change things again.
func TestReviewOnTheScreen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	filesIn(t, dir, map[string]string{"new.go": "package a // (secret)\n"})
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("call write_file {\"path\":\"x\",\"content\":\"x\"}\nend\ntext Nothing found.\nend\ncall write_file {\"path\":\"x\",\"content\":\"x\"}\nend\ntext Written.\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 90, 30, dir, nil, "--demo="+script, "-C", dir, "--mode", "edits")
	s.see("ask for something")
	if out, err := exec.Command("git", "-C", dir, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "--allow-empty", "-qm", "begin").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	if out, err := exec.Command("git", "-C", dir, "branch", "offered/branch").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	s.send("/review HEAD..off")
	s.see("HEAD..offered/branch")
	s.send("\x03")
	s.send("/review\r")
	s.see("› /review")
	s.see("Nothing found.")
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("a review wrote a file")
	}
	s.send("now write it\r")
	s.see("Written.")
	if _, err := os.Stat(filepath.Join(dir, "x")); err != nil {
		t.Error(err)
	}
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
