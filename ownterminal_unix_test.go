//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A command after !i has the person's terminal: it asks, and is answered; the screen is
// whole again behind it, shows what was said, and the model is told of it. Keys that are
// forge's mean nothing meanwhile.
func TestCommandOnTheTerminal(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	file := filepath.Join(st.bin, "told.script")
	st.put(t, file, "when seen hello you of xterm\ntext It was told.\nend\n")
	s := openTerminal(t, 100, 30, st.dir, []string{"EDITOR=my-ed"}, "--demo="+file, "-C", st.dir)
	s.see("ask for something")
	s.send("!i stty size; printf 'name? '; read x; echo \"hello $x of $TERM, $EDITOR\"; until [ \"$(stty size)\" = '25 90' ]; do sleep 0.05; done; echo resized; exit 3\r")
	s.Until("the command has the terminal", func() bool { return !s.alternate() && strings.Contains(s.text(), "\nname?") })
	s.see("30 100")
	s.see("three times ends it")
	s.resize(90, 25)
	s.send("?\x7fyou\r")
	s.see("exit code 3")
	s.see("hello you of xterm-256color, my-ed")
	s.see("    resized")
	s.see("it ran on the user's own terminal")
	if !s.alternate() {
		t.Error("the screen is not there again")
	}
	s.send("works\x1b[200~ still\x1b[201~")
	s.see("works still")
	s.send("\r")
	s.see("It was told.")
	s.send("!i kill -9 $$\r")
	s.see("ended by signal: killed")
	s.send("!i\r")
	s.see("write a command after the !")
	s.send("\x03")
	s.see("cleared")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if s.alternate() {
		t.Error("the alternate screen is left on")
	}
}

// A command of the model's that wanted a terminal says so on its card, where a key runs it on
// the person's, once they have said yes. The model was told that they can, and hears what
// came of it with the next prompt.
func TestModelsCommandOnTheTerminal(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	file := filepath.Join(st.bin, "ask.script")
	st.put(t, file, "call run_bash {\"command\":\"read -r x < /dev/tty && echo got $x\"}\nend\n\n"+
		"when result they type !i and the command\ntext It wanted a terminal.\nend\n\nwhen seen got that\ntext Then it worked.\nend\n")
	s := openTerminal(t, 110, 30, st.dir, nil, "--demo="+file, "-C", st.dir)
	s.see("ask for something")
	s.send("ask\r")
	s.answer("allow once", "y")
	s.see("It wanted a terminal.")
	s.see("it wanted a terminal: tab, then T on this card, runs it on yours")
	s.send("\t")
	s.see("esc back")
	s.send("k")
	s.see("T runs it on your terminal")
	s.send("T")
	s.answer("Run this on your terminal?", "n")
	s.lose("Run this on your terminal?")
	s.send("\r")
	s.see("it wanted a terminal: T runs it on yours")
	s.send("T")
	s.answer("Run this on your terminal?", "y")
	s.see("three times ends it")
	s.send("that\r")
	s.see("it ran on the user's own terminal")
	s.send("\x1b")
	s.see("ask for something")
	s.send("and now?\r")
	s.see("Then it worked.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// The same in plain lines: nothing is read from the terminal meanwhile but by the command.
func TestCommandOnTheTerminalInLines(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.put(t, filepath.Join(st.dir, "ask.sh"), "printf 'name? '; read x; stty -echo; read y; printf '\\033[1m'; echo \"hello $x $y\"\n")
	s := openTerminal(t, 100, 30, st.dir, nil, "--demo", "-C", st.dir, "--screen-reader")
	s.see("ctrl+d leaves")
	times := func(words string, n int) {
		t.Helper()
		s.Until(words, func() bool { return strings.Count(s.text(), words) == n })
	}
	for i := range 2 {
		s.send("!i sh ask.sh\r")
		times("\nname?", i+1)
		s.send("you\r")
		s.send("there\r")
		times("hello you there", i+1)
		times("tool done: ! sh ask.sh; exit code 0", i+1)
	}
	s.send("/exit\r")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
