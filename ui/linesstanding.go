package ui

import (
	"context"

	"forge/ui/lang"
	"forge/ui/linear"
)

// standing says how things stand.
func (l *lines) standing(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
	s := status{model: l.o.Model, effort: l.o.Effort, mode: l.o.Mode, sandbox: l.o.Sandbox, network: l.o.Network}
	if l.o.InForce != nil {
		s.mode = l.o.InForce()
	}
	for _, f := range standing(l.o, s) {
		say(f[0] + lang.T(": ") + f[1])
	}
	return nil, nil
}
