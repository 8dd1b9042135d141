package builtin

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"forge/tools"
)

// A command for the person's terminal runs in the workspace folder with their editor, pager
// and terminal and without what looks like a secret; what a model is told of it is bounded,
// and says where it ran.
func TestOnTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the line is one for sh")
	}
	t.Setenv("EDITOR", "my-ed")
	t.Setenv("TERM", "xterm-kitty")
	t.Setenv("SOME_TOKEN", "hidden")
	t.Setenv("COLUMNS", "20")
	e := newRig(t, nil).env
	cmd, ended, err := e.OnTerminal(`echo "$EDITOR $TERM $FORGE[$SOME_TOKEN$COLUMNS]"; exit 3`)
	if err != nil || cmd.Dir != e.Workspace.Root() {
		t.Fatal(err, cmd)
	}
	out, err := cmd.Output()
	if string(out) != "my-ed xterm-kitty 1[]\n" {
		t.Errorf("%q", out)
	}
	res := ended(tools.Ran{Said: string(out), Kept: true, Screens: true, Took: 20 * time.Millisecond, Err: err})
	if want := "my-ed xterm-kitty 1[]\n(what it drew in full-screen mode is left out)\n[it ran on the user's own terminal]\n[exit code 3, 20 ms]\n"; res.Text != want || !res.IsError || res.Display != "exit code 3 · 20 ms" {
		t.Errorf("%+v", res)
	}
	res = ended(tools.Ran{Said: strings.Repeat("你好 line\n", 9000), Missing: 100, Kept: true, Err: err})
	if n := len(res.Text); n > bashHead+bashTail+200 || !strings.HasPrefix(res.Text, "[the first ") {
		t.Errorf("%d bytes: %.80q", n, res.Text)
	}
	if res = ended(tools.Ran{Err: err}); !strings.HasPrefix(res.Text, "(what it said on the user's terminal is not kept)") {
		t.Errorf("%q", res.Text)
	}
	_, ended, _ = e.OnTerminal("never run")
	if res = ended(tools.Ran{Kept: true, Err: errors.New("no terminal")}); res.Text != "it could not be started: no terminal" || !res.IsError {
		t.Errorf("%+v", res)
	}
	if _, _, err := e.OnTerminal("a\x00b"); err == nil {
		t.Error("takes a NUL byte")
	}
}

// A model hears of a command that wanted a terminal that the person has one, where one is there.
func TestNoteOfATerminal(t *testing.T) {
	for _, there := range []bool{true, false} {
		r := newRig(t, nil)
		r.env.Terminal = there
		res, _ := r.run("run_bash", o{"command": "echo 'sudo: a terminal is required' >&2; exit 1"})
		if got := strings.Contains(res.Text, tools.TerminalNote); got != there {
			t.Errorf("there %v: %q", there, res.Text)
		}
		if res, _ = r.run("run_bash", o{"command": "echo 'a terminal is required'"}); strings.Contains(res.Text, tools.TerminalNote) {
			t.Errorf("of one that succeeded: %q", res.Text)
		}
	}
}
