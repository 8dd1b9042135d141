//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestContinue goes on with the last conversation: its end is shown, and what is
// said next stands in the same file behind it.
func TestContinue(t *testing.T) {
	t.Parallel()
	dir, store := t.TempDir(), t.TempDir()
	state := []string{"XDG_STATE_HOME=" + store}
	start := func(args ...string) *terminal {
		s := openTerminal(t, 80, 24, dir, state, append([]string{"--demo", "-C", dir, "--mode", "plan"}, args...)...)
		s.see("ask for something")
		return s
	}
	leave := func(s *terminal) {
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	}
	s := start()
	s.send("remember the word pomegranate\r")
	s.see("turns,")
	leave(s)
	s = start("-c")
	s.see("not allowed")
	s.send("and the word quince\r")
	s.see("My script ends")
	leave(s)
	files, err := filepath.Glob(filepath.Join(store, "forge", "sessions", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("sessions %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	first, second := strings.Index(string(text), "pomegranate"), strings.Index(string(text), "quince")
	if first < 0 || second < first {
		t.Errorf("the words stand at %d and %d of the file", first, second)
	}
	s = start("-c")
	s.see("and the word quince")
	leave(s)
}
