//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
)

// TestInline runs a command without the alternate screen, on a real terminal: what it
// wrote stays when forge is gone, and the prompt does not.
func TestInline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/here.txt", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 80, 24, dir, goEnv(t), "--demo", "--inline", "-C", dir)
	s.see("ask for something")
	if s.alternate() {
		t.Error("it begins on the alternate screen")
	}
	s.send("!ls\r")
	s.see("here.txt")
	s.see("exit code 0")
	s.send("/help\r")
	s.see("Keys and commands")
	if !s.alternate() {
		t.Error("help is not on the alternate screen")
	}
	s.send("\x1b")
	s.lose("Keys and commands")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	text := s.text()
	if s.alternate() || strings.Count(text, "here.txt") != 1 || strings.Contains(text, "ask for something") {
		t.Errorf("what is left:\n%s", text)
	}
}
