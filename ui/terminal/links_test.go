package terminal

import (
	"strings"
	"testing"
)

// Links are told where the environment names a terminal that takes them, and nowhere else.
func TestLinking(t *testing.T) {
	for _, c := range []struct {
		env  string
		want bool
	}{
		{"", false},
		{"TERM=dumb", false},
		{"TERM=linux", false},
		{"TERM=xterm-256color", false},
		{"TERM=vt100", false},
		{"TERM=xterm-kitty KITTY_WINDOW_ID=1", true},
		{"TERM=xterm-256color KITTY_WINDOW_ID=1", true},
		{"TERM=xterm-ghostty TERM_PROGRAM=ghostty", true},
		{"TERM=xterm-256color TERM_PROGRAM=WezTerm TERM_PROGRAM_VERSION=20240203-110809-5046fc22", true},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.5.0", true},
		{"TERM=xterm-256color TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.0.15", false},
		{"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal TERM_PROGRAM_VERSION=455", false},
		{"TERM=xterm-256color TERM_PROGRAM=vscode TERM_PROGRAM_VERSION=1.110.0", true},
		{"TERM=xterm-256color VTE_VERSION=7006", true},
		{"TERM=xterm-256color VTE_VERSION=4803", false},
		{"TERM=xterm-256color KONSOLE_VERSION=221203", true},
		{"TERM=xterm-256color KONSOLE_VERSION=191200", false},
		{"TERM=foot", true},
		{"TERM=foot-extra", true},
		{"TERM=xterm-256color WT_SESSION=x", true},
		{"TERM=alacritty ALACRITTY_WINDOW_ID=1", true},
		{"TERM=alacritty", false},
		{"TERM=tmux-256color TMUX=x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.4", true},
		{"TERM=tmux-256color TMUX=x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.5a", true},
		{"TERM=tmux-256color TMUX=x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=next-3.6", true},
		{"TERM=tmux-256color TMUX=x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.3a", false},
		{"TERM=tmux-256color TMUX=x KITTY_WINDOW_ID=1", false},
		{"TERM=screen-256color STY=1 KITTY_WINDOW_ID=1", false},
		{"TERM=xterm-kitty KITTY_WINDOW_ID=1 ZELLIJ=0", false},
	} {
		env := map[string]string{}
		for _, kv := range strings.Fields(c.env) {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		getenv := func(k string) string { return env[k] }
		for way, want := range map[string]bool{"": c.want, "auto": c.want, "off": false, "on": !Plain(getenv)} {
			if got := Linking(way, getenv); got != want {
				t.Errorf("%q with %q: %v, want %v", c.env, way, got, want)
			}
		}
	}
}
