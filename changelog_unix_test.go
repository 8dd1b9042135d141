//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is new in this build is on the screen, in lines and behind a command, from one
// file; a recap and a name come from the model when they are asked for.
func TestChangelogEverywhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("text Measured.\nend\naside\ntext Laps are measured\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("CHANGELOG.md")
	if err != nil || changelog != string(page) {
		t.Fatalf("the build has another changelog: %v", err)
	}
	first, _, _ := strings.Cut(changelog, "\n\n")
	s := openTerminal(t, 80, 24, dir, nil, "--demo="+script, "-C", dir)
	s.see("ask for something")
	s.send("/recap\r")
	s.see("nothing was asked in this conversation yet")
	s.send("measure\r")
	s.see("Measured.")
	s.send("/recap\r")
	s.see("recap: Laps are measured")
	s.send("/rename auto\r")
	s.see("this conversation is called Laps are measured now")
	s.send("/changelog\r")
	s.see("What is new")
	s.see(strings.TrimPrefix(first, "# "))
	s.send("q")
	s.see("Measured.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	h := listenTo(t, dir, nil, "--demo="+script, "--screen-reader", "-C", dir)
	h.hear("prompt: ")
	h.send("/release-notes\n")
	h.hear("Unreleased")
	h.hear("prompt: ")
	h.send("/exit\n")
	h.wait()
}
