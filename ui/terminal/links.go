package terminal

import "strings"

// LinkWays are the words of the setting for links that can be clicked.
func LinkWays() []string { return []string{"auto", "on", "off"} }

// Linking reports whether links are told to the terminal (OSC 8). "auto" or nothing: where
// the environment names one that is known to take them. "on": wherever sequences are taken.
func Linking(way string, getenv func(string) string) bool {
	switch {
	case way == "off" || Plain(getenv):
		return false
	case way == "on":
		return true
	case getenv("STY") != "" || getenv("ZELLIJ") != "" || getenv("TERM") == "linux":
		return false
	}
	program, version, term := getenv("TERM_PROGRAM"), getenv("TERM_PROGRAM_VERSION"), getenv("TERM")
	if getenv("TMUX") != "" { // it keeps them from a terminal that it does not know to take them
		return program == "tmux" && atLeast(numbers(version), 3, 4)
	}
	switch program {
	case "kitty", "ghostty", "WezTerm", "vscode":
		return true
	case "iTerm.app":
		return atLeast(version, 3, 1)
	case "":
	default: // what else is set may be of the terminal this one was started from
		return false
	}
	switch {
	case getenv("WT_SESSION") != "", term == "xterm-kitty", term == "xterm-ghostty", term == "wezterm", strings.HasPrefix(term, "foot"):
		return true
	case getenv("KITTY_WINDOW_ID") != "":
		return strings.HasPrefix(term, "xterm")
	case strings.HasPrefix(term, "alacritty"): // the variable is as old as its links, 0.11
		return getenv("ALACRITTY_WINDOW_ID") != ""
	}
	return vte(getenv) && atLeast(getenv("VTE_VERSION"), 5000) || konsole(getenv)
}

// numbers is a version without letters around its numbers: "3.5a", "next-3.6".
func numbers(version string) string {
	return strings.TrimFunc(version, func(r rune) bool { return r < '0' || r > '9' })
}
