//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Keys of a person's own in a real terminal: they do what was chosen, the faulty ones
// are told of at the start, hints and help name those in force, and ctrl+c leaves
// whatever was taken away.
func TestKeysOfOnesOwnOnTheScreen(t *testing.T) {
	t.Parallel()
	dir, config := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "forge"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "{\n// mine\n\"keys\": {\n\"empty.help\": \"f4\",\n\"screen.fly\": \"f3\",\n\"prompt.cut-word-left\": [\"alt+backspace\", \"f6\"],\n\"screen.leave\": []\n},\n\"editor\": {\"vim\": true}\n}\n"
	if err := os.WriteFile(filepath.Join(config, "forge", "forge.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 100, 30, dir, []string{"XDG_CONFIG_HOME=" + config}, "--demo", "-C", dir)
	s.see("ask for something")
	s.see("forge.json:5: keys.screen.fly: there")
	s.see("left out")
	s.see("f4 for keys")
	s.send("修复 one two")
	s.see("› 修复 one two")
	s.send("\x1b[17~") // f6
	s.lose("one two")
	s.see("› 修复 one")
	s.send("\x1b")
	s.see("NORMAL")
	s.send("bcwthree\x1b")
	s.see("› 修复 three")
	s.see("NORMAL")
	s.send("u")
	s.see("› 修复 one")
	s.send("dd")
	s.see("ask for something")
	s.send("\x1bOS") // f4
	s.see("Keys and commands")
	s.see("f4")
	s.send("\x03")
	s.lose("Keys and commands")
	s.send("\x03")
	s.see("ctrl+c again leaves")
	s.send("\x03")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
