package terminal_test

import (
	"strings"
	"testing"

	"forge/ui/terminal"
)

func env(s string) func(string) string {
	vars := map[string]string{}
	for _, pair := range strings.Fields(s) {
		k, v, _ := strings.Cut(pair, "=")
		vars[k] = v
	}
	return func(k string) string { return vars[k] }
}

func TestNotify(t *testing.T) {
	for _, c := range []struct{ way, env, want string }{
		{"auto", "TERM=xterm-256color", "\a"},
		{"auto", "TERM=xterm-kitty", "\x1b]99;i=forge:d=0;forge\x1b\\\x1b]99;i=forge:p=body;done, all\x1b\\"},
		{"auto", "TERM=xterm-256color TERM_PROGRAM=iTerm.app", "\x1b]9;forge: done, all\a"},
		{"", "TERM=foot", "\x1b]777;notify;forge;done, all\a"},
		{"osc9", "TERM=tmux-256color TMUX=1", "\x1bPtmux;\x1b\x1b]9;forge: done, all\a\x1b\\\a"},
		{"bell", "TERM=xterm-kitty", "\a"},
		{"off", "TERM=xterm-kitty", ""},
		{"bell", "TERM=dumb", ""},
		{"osc9", "", ""},
	} {
		if got := terminal.Notify(c.way, "forge", "done; all", env(c.env)); got != c.want {
			t.Errorf("%s with %s: %q, not %q", c.way, c.env, got, c.want)
		}
	}
}

func TestKnown(t *testing.T) {
	for _, c := range []struct {
		env             string
		title, progress bool
	}{
		{"TERM=xterm-256color", true, false},
		{"TERM=xterm-256color WT_SESSION=x", true, true},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.6.5", true, false},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.10.0", true, true},
		{"TERM=xterm-ghostty", true, true},
		{"TERM=tmux-256color TMUX=1 WT_SESSION=x", true, false},
		{"TERM=linux", false, false}, {"TERM=dumb WT_SESSION=x", false, false}, {"", false, false},
	} {
		if got := terminal.Titled(env(c.env)); got != c.title {
			t.Errorf("%s: title %v", c.env, got)
		}
		if got := terminal.Progressing(env(c.env)); got != c.progress {
			t.Errorf("%s: progress %v", c.env, got)
		}
	}
}
