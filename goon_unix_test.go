//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
