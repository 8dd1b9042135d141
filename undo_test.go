//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUndoOnTheScreen has a command and a tool change files, takes that back, with
// an edit of one's own in between, and brings it again after a restart. The model
// is told.
func TestUndoOnTheScreen(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "undo.script")
	err := os.WriteFile(script, []byte(`title undo

call run_bash {"command":"sed -i s/two/TWO/ a.txt && rm b.txt && mkdir d && echo x > d/x"}
end

call write_file {"path":"c.txt","content":"made\n"}
end

text All is changed.
end

expect user /(?s)no request: the user took back changes.*- a\.txt: restored.*later edits.*- b\.txt: restored.*- c\.txt: removed/
text I see what went back.
end
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	dir, store := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is := func(name, want string) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(dir, name))
		if got := string(b); err != nil && want != "" || got != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	put("a.txt", "one\ntwo\nthree\n")
	put("b.txt", "b\n")
	env := []string{"XDG_STATE_HOME=" + store}
	args := []string{"--demo=" + script, "-C", dir, "--mode", "auto", "--sandbox", "off"}
	s := openTerminal(t, 80, 30, dir, env, args...)
	s.see("ask for")
	s.send("change all\r")
	s.see("All is changed.")
	s.see("? for keys") // the run has ended
	is("a.txt", "one\nTWO\nthree\n")
	put("a.txt", "one\nTWO\nthree\nfour\n")
	s.send("/undo\r")
	s.see("take them back")
	s.see("your later edits are kept")
	s.send("y")
	s.see("/redo brings them again")
	is("a.txt", "one\ntwo\nthree\nfour\n")
	is("b.txt", "b\n")
	is("c.txt", "")
	if _, err := os.Stat(filepath.Join(dir, "d")); !os.IsNotExist(err) {
		t.Error("the folder stayed")
	}
	s.send("what now?\r")
	s.see("I see what went back.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	s = openTerminal(t, 80, 30, dir, env, append(args, "-c")...)
	s.see("I see what went back.")
	s.send("/redo\r")
	s.see("bring them again")
	s.send("y")
	s.see("/undo takes them back")
	is("a.txt", "one\nTWO\nthree\nfour\n")
	is("b.txt", "")
	is("d/x", "x\n")
	s.send("/diff session\r")
	s.see("Changes of this conversation")
	s.see("+TWO")
	s.send("q\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(store, "forge", "undo", "*", "journal.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil || strings.Count(string(b), `"type":"step"`) != 2 {
		t.Errorf("%s %v", b, err)
	}
}
