// Package terminal knows what may be said to a terminal beside the cells of the
// screen: notifications, the window's title, progress, links. What a terminal does not know
// it may print, so that nothing is said where the environment does not name one that
// understands it.
//
// It owns no state and writes nothing: package ui sends what the functions return.
package terminal

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Ways are the names of the ways to notify, as a setting has them.
func Ways() []string { return []string{"auto", "bell", "osc9", "osc777", "osc99", "off"} }

// Plain reports whether the terminal takes no sequences worth the name.
func Plain(getenv func(string) string) bool {
	switch getenv("TERM") {
	case "", "dumb", "unknown":
		return true
	}
	return false
}

// Titled reports whether the terminal has a title that can be set and put back.
func Titled(getenv func(string) string) bool {
	t := getenv("TERM")
	return !Plain(getenv) && t != "linux" && !strings.HasPrefix(t, "vt")
}

// Marking reports whether the terminal may be told where prompts stand (OSC 133): all
// that take sequences of that kind pass over those they do not know.
func Marking(getenv func(string) string) bool { return Titled(getenv) }

// PushTitle keeps the window's title, PopTitle brings it back (XTWINOPS 22 and 23).
const (
	PushTitle = "\x1b[22;0t"
	PopTitle  = "\x1b[23;0t"
)

// Progressing reports whether the terminal shows progress (OSC 9;4). Others take any
// OSC 9 for a notification, so only those are named that are known to. Konsole shows
// percentages alone, which nobody knows of a run.
func Progressing(getenv func(string) string) bool {
	if Plain(getenv) || getenv("TMUX") != "" || getenv("STY") != "" {
		return false
	}
	version := getenv("TERM_PROGRAM_VERSION")
	switch getenv("TERM_PROGRAM") {
	case "ghostty", "rio", "vscode": // the last leaves out what it does not know
		return true
	case "iTerm.app":
		return atLeast(version, 3, 6, 6)
	case "WezTerm": // named by their days; before, it was a notification
		day, _, _ := strings.Cut(version, "-")
		return atLeast(day, 20250210)
	case "":
	default: // what else is set may be of the terminal this one was started from
		return false
	}
	return getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || getenv("TERM") == "xterm-ghostty" || vte(getenv) && atLeast(getenv("VTE_VERSION"), 8000)
}

// vte reports whether the terminal is one of those made of GNOME's widget, and konsole
// whether it is KDE's. Terminals that were started from them and have a name of their own
// are none.
func vte(getenv func(string) string) bool {
	return getenv("VTE_VERSION") != "" && strings.HasPrefix(getenv("TERM"), "xterm") && getenv("KITTY_WINDOW_ID") == ""
}

func konsole(getenv func(string) string) bool {
	return atLeast(getenv("KONSOLE_VERSION"), 221200) && getenv("TERM") == "xterm-256color" && getenv("KITTY_WINDOW_ID") == "" && getenv("VTE_VERSION") == ""
}

func atLeast(version string, want ...int) bool {
	have := strings.Split(version, ".")
	for i, w := range want {
		if i >= len(have) {
			return false
		}
		n, err := strconv.Atoi(have[i])
		if err != nil || n < w {
			return false
		}
		if n > w {
			return true
		}
	}
	return true
}

// Notify is what makes the terminal tell a person who looks elsewhere; empty where
// way is off or the terminal takes nothing. Both texts must be one safe row.
func Notify(way, title, body string, getenv func(string) string) string {
	if Plain(getenv) {
		return ""
	}
	if way == "" || way == "auto" {
		way = best(getenv)
	}
	semi := strings.NewReplacer(";", ",", "\x07", "", "\x1b", "")
	title, body = semi.Replace(title), semi.Replace(body)
	seq := ""
	switch way {
	case "bell":
		return "\a"
	case "osc9":
		seq = "\x1b]9;" + title + ": " + body + "\a"
	case "osc777":
		seq = "\x1b]777;notify;" + title + ";" + body + "\a"
	case "osc99":
		seq = "\x1b]99;i=forge:d=0;" + title + "\x1b\\\x1b]99;i=forge:p=body;" + body + "\x1b\\"
	default:
		return ""
	}
	switch { // a multiplexer rings for the window, and hands the rest on if it may
	case getenv("TMUX") != "":
		return ansi.TmuxPassthrough(seq) + "\a"
	case getenv("STY") != "":
		return ansi.ScreenPassthrough(seq, 240) + "\a"
	}
	return seq
}

// best is the way the environment names; a bell is understood everywhere.
func best(getenv func(string) string) string {
	program, term := getenv("TERM_PROGRAM"), getenv("TERM")
	if program == "tmux" || program == "screen" {
		program = getenv("LC_TERMINAL") // iTerm2 says so, also over ssh
	}
	switch {
	case getenv("KITTY_WINDOW_ID") != "" || term == "xterm-kitty":
		return "osc99"
	case program == "iTerm.app" || program == "iTerm2" || program == "WezTerm" || program == "ghostty" || term == "xterm-ghostty":
		return "osc9"
	case strings.HasPrefix(term, "foot") || strings.HasPrefix(term, "rxvt") || program == "" && konsole(getenv):
		return "osc777"
	}
	return "bell"
}
