//go:build unix

package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// The command that is printed as forge leaves opens the conversation that was left;
// where nothing was said in it, none is printed.
func TestPrintedCommandResumes(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "note.script", "text noted\nend\n")
	dir, state := p.dir, t.TempDir()
	run := func(do func(s *terminal), args ...string) string {
		// A shell keeps the terminal, so that what forge leaves in it can be read.
		cmd := exec.Command("sh", append([]string{"-c", `forge "$@"; echo; echo left; read x`, "sh"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(home(t.TempDir()), "TERM=xterm-256color", "LANG=C.UTF-8", "XDG_STATE_HOME="+state, "PATH="+os.Getenv("PATH"))
		s := openCommand(t, 80, 24, cmd, true)
		s.see("ask for something")
		do(s)
		s.send("\x04")
		s.see("left")
		text := ansi.Strip(s.text())
		s.send("\r")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		return text
	}
	say := func(s *terminal) {
		s.send("remember pomegranates\r")
		s.see("noted")
		s.see("? for keys") // the run has ended
	}
	left := run(say, "--demo=note.script", "-C", ".")
	m := regexp.MustCompile(`forge -r ([a-z2-7]{6})`).FindStringSubmatch(left)
	if m == nil {
		t.Fatalf("no command in\n%s", left)
	}
	run(func(s *terminal) { s.see("noted") }, "--demo=note.script", "-C", ".", "-r", m[1])
	run(func(s *terminal) { s.see("noted") }, "--demo=note.script", "-C", ".", "-r", "remember", "POMEGRANATES")
	if left = run(func(s *terminal) { say(s); s.send("/new\r"); s.lose("pomegranates") }, "--demo=note.script", "-C", "."); strings.Contains(left, "forge -r") {
		t.Errorf("nothing was said after /new, and yet:\n%s", left)
	}
}
