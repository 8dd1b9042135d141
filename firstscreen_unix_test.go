//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A folder that wants trust, and no model yet: the question that comes first whatever is
// chosen stands before the list nobody asked for.
func TestTrustIsAskedBeforeTheModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	configure(t, dir, map[string]string{"a": "no-such-program-here"})
	s := openTerminal(t, 80, 24, dir, []string{"OLLAMA_HOST=127.0.0.1:1"})
	s.answer("Do you trust this folder?", "n")
	s.see("Which model shall forge use?")
	s.send("demo")
	s.see("❯ Try the demo")
	s.send("\x1b")
	s.lose("Which model")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// What is sent while that question stands waits for its answer, and is not lost.
func TestAPromptWaitsForTrust(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	configure(t, dir, map[string]string{"a": "no-such-program-here"})
	script := filepath.Join(dir, "say.script")
	if err := os.WriteFile(script, []byte("text The answer is here.\nend\n\ntext Again.\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 80, 24, dir, nil, "--demo="+script, "-C", dir, "first prompt")
	s.see("Do you trust this folder?")
	time.Sleep(600 * time.Millisecond)
	s.see("waiting for your answer")
	if strings.Contains(s.text(), "The answer is here") {
		t.Errorf("it went without the folder's files:\n%s", s.text())
	}
	s.send("n")
	s.see("The answer is here")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// The demo says what it is.
func TestTheDemoSaysThatItIsOne(t *testing.T) {
	t.Parallel()
	s := openTerminal(t, 80, 24, t.TempDir(), nil, "--demo")
	s.see("a script answers, not a model")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
