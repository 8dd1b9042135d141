//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/ui/dialog"
)

// TestKilledScreen kills the screen in the middle of an answer, with a prompt
// queued behind it. The next start offers to go on, shows what was said, and sends
// what waited once it is told to go on.
func TestKilledScreen(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), t.TempDir()
	script := filepath.Join(t.TempDir(), "long.script")
	if err := os.WriteFile(script, []byte(`text The todo list comes first.
call todo {"items":[{"text":"paint the fence","status":"in_progress"}]}
end
text These words stand before a silence
pause forever
end
text That is the whole answer.
end
text And that is for what waited.
end
`), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) *terminal {
		s := openTerminal(t, 100, 30, dir, []string{"XDG_STATE_HOME=" + store}, append([]string{"--demo=" + script, "-C", dir}, args...)...)
		s.see("ask for something")
		return s
	}
	kept := func(what string) {
		t.Helper()
		deadline(t, what+" is in the session", func() bool {
			files, _ := filepath.Glob(filepath.Join(store, "forge", "sessions", "*.jsonl"))
			if len(files) != 1 {
				return false
			}
			b, _ := os.ReadFile(files[0])
			return strings.Contains(string(b), what)
		})
	}
	s := start()
	s.send("begin\r")
	s.see("before a silence")
	kept("silence")
	s.send("and then this\r")
	s.see("1 queued")
	kept(`"prompts":["and then this"]`)
	s.cmd.Process.Kill()
	s.wait()

	s = start()
	s.see("was cut off")
	s.send("\x1bc")
	s.see("These words stand before a silence")
	s.see("forge ended while the model was answering")
	s.see("alt+c goes on")
	s.see("and then this") // queued again
	s.send("\x14")         // the todo list is back
	s.see("paint the fence")
	s.send("\x14")
	s.send("\x1bc")
	s.see("That is the whole answer.")
	s.see("And that is for what waited.")
	s.see("? for keys")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	kept(`"why":"done"`)

	s = start("-c") // nothing is left to be gone on with
	s.see("And that is for what waited.")
	s.send("\x1bc")
	s.see("there is nothing to go on with")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// TestKilledQuestion kills the screen while a question is open, with a draft behind it
// and words to the model in it. The next start says what was asked, has both drafts,
// and has run nothing.
func TestKilledQuestion(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), t.TempDir()
	script := filepath.Join(t.TempDir(), "ask.script")
	if err := os.WriteFile(script, []byte(`text I write a file.
call write_file {"path":"new.txt","content":"hello\n"}
end
text That is all.
end
`), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) *terminal {
		s := openTerminal(t, 100, 30, dir, []string{"XDG_STATE_HOME=" + store}, append([]string{"--demo=" + script, "-C", dir}, args...)...)
		s.see("›")
		return s
	}
	kept := func(where, what string) {
		t.Helper()
		deadline(t, what+" is in "+where, func() bool {
			files, _ := filepath.Glob(filepath.Join(store, "forge", where))
			for _, f := range files {
				if b, _ := os.ReadFile(f); strings.Contains(string(b), what) {
					return true
				}
			}
			return false
		})
	}
	s := start()
	s.see("ask for something")
	s.send("begin\r")
	s.see("write this change")
	s.send("half a thought")
	kept("drafts/*", "half a thought")
	var pressed time.Time
	deadline(t, "the question takes a key", func() bool {
		if time.Since(pressed) > 2*dialog.Quiet { // it takes none right after one for the draft
			s.send("\t")
			pressed = time.Now()
		}
		return strings.Contains(s.text(), "no, and tell the model")
	})
	s.send("not here, 你好")
	kept("drafts/*", "not here, 你好")
	kept("sessions/*.jsonl", `"type":"asked"`)
	s.cmd.Process.Kill()
	s.wait()
	if _, err := os.Stat(filepath.Join(dir, "new.txt")); err == nil {
		t.Error("what was asked about was done")
	}

	s = start("-c")
	s.see("a question was open: “create new.txt")
	s.see("half a thought")
	s.see("not here, 你好")
	s.send("\x1bc")
	s.see("That is all.")
	s.see("? for keys")
	s.send("\x03")
	s.see("ctrl+c again leaves")
	s.send("\x03")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.txt")); err == nil {
		t.Error("what was asked about was done")
	}
}

// TestStoppedAndLeft: an answer that the person stopped is gone on with by the same key,
// at once or when forge was left and opened again.
func TestStoppedAndLeft(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), t.TempDir()
	script := filepath.Join(t.TempDir(), "long.script")
	if err := os.WriteFile(script, []byte(`text These words stand before a silence
pause forever
end
text Those behind it, too.
pause forever
end
text That is the whole answer.
end
`), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(args ...string) *terminal {
		s := openTerminal(t, 100, 30, dir, []string{"XDG_STATE_HOME=" + store}, append([]string{"--demo=" + script, "-C", dir}, args...)...)
		s.see("ask for something")
		return s
	}
	s := start()
	s.send("begin\r")
	s.see("before a silence")
	s.send("\x1b")
	s.see("? for keys")
	s.send("\x1bc")
	s.see("Those behind it, too.")
	s.send("\x1b")
	s.see("? for keys")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	s = start("-c")
	s.see("alt+c goes on from here")
	s.send("\x1bc")
	s.see("That is the whole answer.")
	s.see("? for keys")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
