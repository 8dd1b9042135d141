package permission

import (
	"strings"

	"forge/tools"
)

// A command that the sandbox stopped may ask for less of it.

// escaping is the risk of a command with less of the sandbox.
func escaping(e tools.Effect) Risk {
	if e.Escape == tools.NetworkOpen {
		return Risk{Medium, "uses the network: " + e.Detail}
	}
	return Risk{High, "runs outside the sandbox: " + e.Detail}
}

// confinement is what would confine a call, in words.
func (m *Manager) confinement(e tools.Effect) string {
	switch e.Escape {
	case tools.NetworkOpen:
		form, _, _ := strings.Cut(m.o.Sandbox, ",")
		return form + ", network open"
	case tools.Outside:
		return "none for this run"
	}
	return m.o.Sandbox
}
