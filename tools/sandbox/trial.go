package sandbox

// Trial is whether one form of the sandbox, or a part of one, can be had on this
// system.
type Trial struct {
	Name   string // of a Form, or "seccomp"
	Detail string // a version, where there is one
	Why    string // it cannot be had; empty: it can
}

// Trials looks for every form this system may have, the strongest first. It starts
// bubblewrap once, as NewPolicy does.
func Trials() []Trial { return trials() }
