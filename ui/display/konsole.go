package display

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// konsole reports whether keys come from KDE's Konsole itself, which says so in the
// environment; with a multiplexer between, that one makes them.
func konsole(env []string) bool {
	e := uv.Environ(env)
	return e.Getenv("KONSOLE_VERSION") != "" && e.Getenv("TMUX") == "" && e.Getenv("STY") == ""
}

// shiftEnter reads what Konsole sends for shift+enter: what a keypad in application mode
// sends for its enter. It is never in that mode here, and there its keypad's enter is a
// carriage return as the other one.
func shiftEnter(msg tea.Msg) tea.Msg {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.Code == tea.KeyKpEnter && k.Mod == 0 {
		return tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModShift}
	}
	return msg
}
