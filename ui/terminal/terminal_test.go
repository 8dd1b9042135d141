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
		{"auto", "TERM=xterm-256color KONSOLE_VERSION=221203", "\x1b]777;notify;forge;done, all\a"},
		{"auto", "TERM=xterm-256color KONSOLE_VERSION=200401", "\a"},
		{"auto", "TERM=xterm-256color KONSOLE_VERSION=260802 TERM_PROGRAM=vscode", "\a"},
		{"auto", "TERM=xterm KONSOLE_VERSION=260802", "\a"},
		{"auto", "TERM=xterm-256color KONSOLE_VERSION=260802 VTE_VERSION=8401", "\a"},
		{"auto", "TERM=tmux-256color KONSOLE_VERSION=260802 TMUX=1 TERM_PROGRAM=tmux", "\a"},
		{"auto", "TERM=xterm-256color VTE_VERSION=8401", "\a"},
		{"auto", "TERM=xterm-256color WT_SESSION=x", "\a"},
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
		{"TERM=xterm-256color TERM_PROGRAM=vscode TERM_PROGRAM_VERSION=1.110.0", true, true},
		{"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal WT_SESSION=x", true, false},
		{"TERM=xterm-256color TERM_PROGRAM=WezTerm TERM_PROGRAM_VERSION=20240203-110809-5046fc22", true, false},
		{"TERM=xterm-256color TERM_PROGRAM=WezTerm TERM_PROGRAM_VERSION=20260331-040028-577474d8", true, true},
		{"TERM=xterm-256color VTE_VERSION=7006", true, false},
		{"TERM=xterm-256color VTE_VERSION=8401", true, true},
		{"TERM=xterm VTE_VERSION=8401", true, true},
		{"TERM=alacritty VTE_VERSION=8401", true, false},
		{"TERM=xterm-kitty KITTY_WINDOW_ID=1 VTE_VERSION=8401", true, false},
		{"TERM=xterm-256color KONSOLE_VERSION=260802", true, false},
		{"TERM=xterm KONSOLE_VERSION=260802", true, false},
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

// Nobody sets TERM on Windows, and yet there is a terminal that takes sequences.
func TestEnviron(t *testing.T) {
	for _, c := range []struct{ system, env, term string }{
		{"windows", "WT_SESSION=x", "xterm-256color"}, {"windows", "", "xterm-256color"}, {"windows", "TERM=dumb", "dumb"}, {"linux", "", ""},
	} {
		getenv := terminal.Environ(c.system, env(c.env))
		if got := getenv("TERM"); got != c.term {
			t.Errorf("%s with %s: TERM is %q", c.system, c.env, got)
		}
		if want := c.term == "xterm-256color"; terminal.Titled(getenv) != want || (terminal.Notify("auto", "a", "b", getenv) != "") != want ||
			terminal.Progressing(getenv) != (want && c.env != "") {
			t.Errorf("%s with %s: title %v, progress %v", c.system, c.env, terminal.Titled(getenv), terminal.Progressing(getenv))
		}
	}
	for vars, want := range map[string]string{"TERM_PROGRAM=vscode TERM_PROGRAM_VERSION=1.110.0 WT_SESSION=x": "vscode 1.110.0", "WT_SESSION=x": "Windows Terminal",
		"ConEmuANSI=ON": "ConEmu", "TERM_PROGRAM=rio": "rio", "TERM=xterm": ""} {
		if got := terminal.Named(env(vars)); got != want {
			t.Errorf("%s is named %q", vars, got)
		}
	}
}
