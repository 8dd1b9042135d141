package ui

import (
	"context"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// standing says how things stand.
func (l *lines) standing(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
	s := status{model: l.now().Model, effort: l.now().Effort, mode: l.now().Mode, sandbox: l.now().Sandbox, network: l.now().Network}
	if l.now().InForce != nil {
		s.mode = l.now().InForce()
	}
	for _, f := range standing(*l.now(), s) {
		say(f[0] + lang.T(": ") + f[1])
	}
	return nil, nil
}

// memory says which instructions the model has.
func (l *lines) memory(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
	all := l.now().Memory()
	if len(all) == 0 {
		say(lang.T("there is no AGENTS.md or CLAUDE.md; /init writes one"))
	}
	for _, f := range all {
		say(safe.Line(f.Name) + lang.T(", ") + f.note())
	}
	return nil, nil
}
