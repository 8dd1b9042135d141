//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// bookish puts a checker before any other in the PATH, and the setting that asks it. It
// knows that one word is wrong, and leaves its number in a file.
func bookish(t *testing.T) (env []string, pid string) {
	t.Helper()
	bin, home := t.TempDir(), t.TempDir()
	pid = filepath.Join(bin, "pid")
	program := `#!/bin/sh
echo $$ > '` + pid + `'
echo '@(#) International Ispell Version 3.2.06 (but really a test)'
while read -r line; do
	case $line in
	^helo) echo '& helo 2 1: hello, help'; echo ;;
	^*) echo ;;
	esac
done
`
	for path, text := range map[string]string{filepath.Join(bin, "hunspell"): program, filepath.Join(home, "forge", "forge.json"): `{"editor": {"spelling": "en_GB"}}`} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + home}, pid
}

// endedWith wants the checker to have been started, and to be gone.
func endedWith(t *testing.T, pid string) {
	t.Helper()
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal("it was never started: ", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the checker is still there: %v", err)
	}
}

// In lines /spell says what looks wrong in the last prompt, or in a text.
func TestSpellInLines(t *testing.T) {
	env, pid := bookish(t)
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "words.script")
	if err := os.WriteFile(script, []byte("loop\ntext Well.\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := listenTo(t, dir, env, "--demo="+script, "--screen-reader", "--lang", "en", "-C", dir)
	h.hear("prompt: ")
	h.send("say helo to them\n")
	h.hear("Well.")
	h.hear("prompt: ")
	h.send("/spell\n")
	h.hear("looks wrong: helo (hello, help)")
	h.send("/spell say it\n")
	h.hear("no word looks wrong")
	h.send("/exit\n")
	h.wait()
	endedWith(t, pid)
}

// On the screen a word that looks wrong is underlined once the caret has left it.
func TestSpellOnTheScreen(t *testing.T) {
	env, pid := bookish(t)
	dir := t.TempDir()
	s := openTerminal(t, 80, 24, dir, append([]string{"TERM=xterm-kitty"}, env...), "--demo", "--lang", "en", "-C", dir)
	s.see("ask for something")
	s.send("helo them")
	s.see("› helo them")
	s.send("\x18s")
	s.see("Spelling of helo")
	s.send("\r")
	s.see("› hello them")
	s.send("\x15\x04")
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
	endedWith(t, pid)
}
