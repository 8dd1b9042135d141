//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// severalEdits is an answer with five changes in four files. The third builds on the
// first hunk of the first.
const severalEdits = `pace 100000
loop
when user go
call read_file {"path":"a.txt"}
call read_file {"path":"b.txt"}
when result[read_file] /./
call edit_file {"path":"a.txt","edits":[{"old_string":"row 01.","new_string":"ROW 01."},{"old_string":"row 30.","new_string":"ROW 30."}]}
call edit_file {"path":"b.txt","edits":[{"old_string":"row 02.","new_string":"b two"}]}
call edit_file {"path":"a.txt","edits":[{"old_string":"ROW 01.","new_string":"ROW 01 and more"}]}
call write_file {"path":"sub/new.txt","content":"new\n"}
call delete_file {"path":"old.txt"}
when result[edit_file] /1 of 2 hunks landed as proposed, 1 refused/
text I see what was refused.
when failed
text Nothing of it was done.
otherwise
text All is done.
end
`

// severalGround fills a folder and returns the arguments to work in it.
func severalGround(t *testing.T) (dir string, args []string) {
	t.Helper()
	dir = t.TempDir()
	script := filepath.Join(t.TempDir(), "several.script")
	for name, text := range map[string]string{filepath.Join(dir, "a.txt"): rows("row", 40), filepath.Join(dir, "b.txt"): rows("row", 9),
		filepath.Join(dir, "old.txt"): "old\n", script: severalEdits} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"--demo=" + script, "-C", dir}
}

// holding is all the files of a folder, as one text.
func holding(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range []string{"a.txt", "b.txt", "old.txt", "sub/new.txt"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			text = []byte("none\n")
		}
		fmt.Fprintf(&b, "%s:\n%s", name, text)
	}
	return b.String()
}

// asked waits until a question takes keys.
func (s *terminal) asked(words ...string) {
	s.t.Helper()
	taken := waits(words...)
	if !s.Comes(func() bool { return taken(s.Look(), s.Look()) }) {
		s.t.Fatalf("no question takes keys:\n%s", s.text())
	}
}

// The changes of an answer are one review on a real screen. What builds on a dropped
// hunk goes with it, the model is told of each, and undo takes the turn back.
func TestSeveralEditsOnTheScreen(t *testing.T) {
	t.Parallel()
	dir, args := severalGround(t)
	before := holding(t, dir)
	s := openTerminal(t, 100, 40, dir, nil, args...)
	s.see("ask for something")
	s.send("go\r")
	s.asked("5 changes of one answer, 4 files", "change 1 of 5 · hunk 1 of 2")
	if holding(t, dir) != before {
		t.Error("something was written before it was allowed")
	}
	s.send("x")
	s.see("builds on what you dropped")
	s.send("W")
	s.see("I see what was refused.")
	s.see("? for keys")
	want := "a.txt:\n" + strings.Replace(rows("row", 40), "row 30.", "ROW 30.", 1) + "b.txt:\n" + strings.Replace(rows("row", 9), "row 02.", "b two", 1) +
		"old.txt:\nnone\nsub/new.txt:\nnew\n"
	if got := holding(t, dir); got != want {
		t.Errorf("the files are\n%s", got)
	}
	s.send("/undo\r")
	s.see("esc leave everything")
	s.send("\r")
	s.see("took back the changes")
	if holding(t, dir) != before {
		t.Errorf("undo left\n%s", holding(t, dir))
	}
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// forge is killed while the question about all of them stands: nothing was done, and the
// next start says what was asked.
func TestSeveralEditsKilledWhileAsked(t *testing.T) {
	t.Parallel()
	dir, args := severalGround(t)
	before := holding(t, dir)
	env := []string{"XDG_STATE_HOME=" + t.TempDir()}
	s := openTerminal(t, 100, 40, dir, env, args...)
	s.see("ask for something")
	s.send("go\r")
	s.see("change 1 of 5")
	s.cmd.Process.Kill()
	s.wait()
	if holding(t, dir) != before {
		t.Error("something was written before it was allowed")
	}
	s = openTerminal(t, 100, 40, dir, env, append(args, "-c")...)
	s.see("a question was open: “5 changes of one answer”")
	s.see("did not run")
	s.send("\x1bc")
	s.see("Nothing of it was done.")
	s.see("? for keys")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// forge is killed while what was allowed lands. Each file is as it was or as it was
// shown, in the order of the calls, and the conversation goes on.
func TestSeveralEditsKilledWhileTheyLand(t *testing.T) {
	t.Parallel()
	const files = 30
	var script strings.Builder
	script.WriteString("pace 100000\nloop\nwhen user go\n")
	for i := range files {
		fmt.Fprintf(&script, "call write_file {\"path\":\"f%02d\",\"content\":\"whole %d\\n\"}\n", i, i)
	}
	script.WriteString("otherwise\ntext I go on.\nend\n")
	for rounds, tries := 0, 0; rounds < 3 && tries < 12; tries++ {
		dir, store := t.TempDir(), t.TempDir()
		file := filepath.Join(t.TempDir(), "many.script")
		if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		env, args := []string{"XDG_STATE_HOME=" + store}, []string{"--demo=" + file, "-C", dir}
		s := openTerminal(t, 100, 40, dir, env, args...)
		s.see("ask for something")
		s.send("go\r")
		s.asked("30 changes of one answer")
		after := filepath.Join(dir, fmt.Sprintf("f%02d", rand.IntN(files/2)))
		s.send("W")
		deadline(t, after, func() bool { _, err := os.Stat(after); return err == nil })
		s.cmd.Process.Kill()
		s.wait()
		there := 0
		for i := range files {
			b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("f%02d", i)))
			switch {
			case err != nil:
				continue
			case there != i:
				t.Errorf("file %d is there and one before it is not", i)
			case string(b) != fmt.Sprintf("whole %d\n", i):
				t.Errorf("file %d holds %q", i, b)
			}
			there++
		}
		t.Logf("killed with %d of %d files", there, files)
		if there == files { // all of it was done before the kill came
			continue
		}
		rounds++
		s = openTerminal(t, 100, 40, dir, env, append(args, "-c")...)
		s.see("forge ended in the middle of this")
		s.send("\x1bc")
		s.see("I go on.")
		s.see("? for keys")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	}
}

// By ear the changes are one question too.
func TestSeveralEditsByEar(t *testing.T) {
	t.Parallel()
	dir, args := severalGround(t)
	h := listenTo(t, dir, nil, append(args, "--screen-reader")...)
	h.hear("prompt: ")
	h.send("go\n")
	h.hear("question, low risk: may this run? 5 changes of one answer")
	h.hear("1 of 5: edit a.txt")
	h.hear("3 of 5: edit a.txt")
	h.hear("5 of 5: delete old.txt")
	h.answer("only 2 3 5\n")
	h.hear("I see what was refused.")
	h.hear("prompt: ")
	h.send("\x04")
	h.wait()
	want := "a.txt:\n" + strings.Replace(rows("row", 40), "row 30.", "ROW 30.", 1) + "b.txt:\n" + strings.Replace(rows("row", 9), "row 02.", "b two", 1) +
		"old.txt:\nold\nsub/new.txt:\nnew\n"
	if got := holding(t, dir); got != want {
		t.Errorf("the files are\n%s", got)
	}
}
