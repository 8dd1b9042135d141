//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
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

// TestMovedAndDeletedComesBack has the tools move and delete: allowed edit by edit,
// asked about a whole folder, refused in plan mode; all of it is taken back exactly.
func TestMovedAndDeletedComesBack(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "move.script")
	err := os.WriteFile(script, []byte(`title moves

call move_file {"from":"src/a.go","to":"lib/core/"}
call delete_file {"path":"note.md"}
call move_file {"from":"big.bin","to":"data/big.bin"}
end

call delete_file {"path":"old"}
end

call delete_file {"path":".git"}
call delete_file {"path":"../outside"}
end

expect result[delete_file] outside the workspace
text All is tidy.
end
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	script2 := filepath.Join(t.TempDir(), "plan.script")
	err = os.WriteFile(script2, []byte("title plan\n\ncall delete_file {\"path\":\"data\"}\nend\n\nexpect result[delete_file] plan mode\ntext I may not.\nend\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	dir := filepath.Join(base, "ws")
	for name, text := range map[string]string{"ws/src/a.go": "package a\n", "ws/note.md": "one\n", "ws/old/x": "x\n", "ws/old/y/z": "z\n", "ws/.git/HEAD": "ref: refs/heads/main\n",
		"ws/big.bin": strings.Repeat("0123456789abcdef", 300_000), "outside/s": "s\n"} {
		p := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../outside", filepath.Join(dir, "old", "out")); err != nil {
		t.Fatal(err)
	}
	before := listing(t, base)
	s := openTerminal(t, 90, 34, dir, nil, "--demo="+script, "-C", dir, "--mode", "edits", "--sandbox", "off")
	s.see("ask for")
	s.send("tidy up\r")
	s.see("delete folder old (3 files") // the first question: files by themselves are not asked about
	s.see("y/z")
	s.answer("delete it", "y")
	s.see("delete folder .git")
	s.answer("programs take orders from", "n")
	s.see("All is tidy.")
	s.see("? for keys")
	after := listing(t, base)
	for _, want := range []string{"ws/lib/core/a.go", "ws/data/big.bin", "outside/s", "ws/.git/HEAD"} {
		if !strings.Contains(after, want+" ") {
			t.Errorf("no %s in\n%s", want, after)
		}
	}
	for _, no := range []string{"ws/src/a.go", "ws/note.md", "ws/old", "ws/big.bin"} {
		if strings.Contains(after, no+" ") {
			t.Errorf("%s is in\n%s", no, after)
		}
	}
	s.send("/diff session\r")
	s.see("lib/core/a.go (moved from src/a.go)")
	s.send("q")
	s.send("/undo\r")
	s.answer("take them back", "y")
	s.see("/redo brings them again")
	if got := listing(t, base); got != before {
		t.Errorf("taken back:\n%s\nwas\n%s", got, before)
	}
	s.send("/redo\r")
	s.answer("bring them again", "y")
	s.see("/undo takes them back")
	if got := listing(t, base); got != after {
		t.Errorf("brought again:\n%s\nwas\n%s", got, after)
	}
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	s = openTerminal(t, 90, 34, dir, nil, "--demo="+script2, "-C", dir, "--mode", "plan", "--sandbox", "off")
	s.see("ask for")
	s.send("tidy up\r")
	s.see("I may not.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// listing is all that is below a folder: names, modes, contents.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		fmt.Fprintf(&b, "%s %v", rel, fi.Mode())
		switch {
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(data))
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			b.WriteString(" " + to)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
