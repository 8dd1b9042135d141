package lsp

import (
	"time"

	"forge/sorting"
)

// Status is how one server stands, for a person.
type Status struct {
	Name, Command string
	Root          string // empty: it has not been started anywhere
	State         State
	Reason        string // of the state, in English
	Since         time.Time
	About         string // what it calls itself
	Pid           int
	Memory        int64 // bytes, with all it started; 0: not known
	Errors        int   // it knows of
	Words         []string
	Missing       bool // its program is not found
	Own           bool // the person named it; else it counts where it is installed
}

// Status lists the servers: those that have been of use, and those that may be.
func (m *Manager) Status() (out []Status) {
	seen := map[string]bool{}
	for _, i := range m.list() {
		i.mu.Lock()
		st, s := i.status(), i.session
		i.mu.Unlock()
		if s != nil {
			st.About, st.Pid, st.Words = s.about, s.conn.proc.Pid(), s.said.all()
			st.Memory, st.Errors = s.conn.proc.Memory(), s.found.count(severityError)
		}
		out = append(out, st)
		seen[i.server.Name] = true
	}
	for _, s := range m.o.Servers {
		if seen[s.Name] {
			continue
		}
		st := Status{Name: s.Name, Command: s.Line(), State: Idle, Own: !s.found}
		st.Missing = s.missing(m.o.Root)
		out = append(out, st)
	}
	sorting.StableBy(out, func(a, b Status) int { return rank(a) - rank(b) })
	return out
}

// rank puts those that run first, and those that are not there last.
func rank(s Status) int {
	switch {
	case s.Missing:
		return 2
	case s.Root == "":
		return 1
	}
	return 0
}

// status is how it stands, without what takes a look at its process. The lock is held.
func (i *instance) status() Status {
	return Status{Name: i.server.Name, Command: i.server.Line(), Root: i.root, State: i.state, Reason: i.reason, Since: i.since, Own: !i.server.found}
}
