package agent

import (
	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// outlook is a copy of what the run works with, since that is the run's alone: what a
// question beside the work begins with, and whoever looks into the window.
type outlook struct {
	provider     provider.Provider
	model        provider.Model
	effort       provider.Effort
	tools        []provider.ToolSpec // of the last request
	system       string
	memory       []MemoryFile
	session      *session.Session
	maxTokens    int
	compact      *compact.Compactor // nobody's: to be taken Apart
	pins, edited map[string]bool    // replaced, never changed
	cache        cache
}

// inForce is what is in force now, for whoever nothing else uses the agent beside.
func (a *Agent) inForce() outlook {
	return outlook{provider: a.o.Provider, model: a.o.Model, effort: a.o.Effort, system: a.o.System, memory: a.o.Memory, session: a.o.Session, maxTokens: a.o.MaxTokens,
		compact: a.compactor().Apart(), pins: a.pins, edited: a.edited, cache: a.cache}
}

// look notes what is in force; tools are those of a request.
func (a *Agent) look(tools []provider.ToolSpec) {
	o := a.inForce()
	o.tools = tools
	a.mu.Lock()
	a.seen = o
	a.mu.Unlock()
}

// lookAgain notes what is in force once something of it changed, the tools aside.
func (a *Agent) lookAgain() {
	o := a.inForce()
	a.mu.Lock()
	o.tools = a.seen.tools
	a.seen = o
	a.mu.Unlock()
}
