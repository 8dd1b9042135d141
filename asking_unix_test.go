//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"

	"forge/provider/demo"
	"forge/tools/builtin"
)

// What a screen asks first, with the tool by which a model asks the person, fits in
// 10 KB on either wire, too.
func TestFirstRequestOfAScreenIsSmall(t *testing.T) {
	t.Parallel()
	for wire, env := range wireEnv {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			url, sent := greeter(t)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Be brief.\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := openTerminal(t, 80, 24, dir, env(url), "--provider", wire, "-m", demo.ModelID)
			s.see("ask for something")
			s.send("hello\r")
			s.see("2 out")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			checkFirst(t, sent(), builtin.AskName)
		})
	}
}
