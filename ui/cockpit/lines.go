package cockpit

import (
	"strings"

	"forge/ui/lang"
	"forge/ui/safe"
)

// In words: what a face says that shows no panel, line by line.

// Line says how a server stands.
func (s Server) Line() string {
	return strings.Join(append([]string{safe.Line(s.Name) + lang.T(": ") + stateName(s.State)}, facts(s)...), lang.T(", "))
}

// Lines says all of a server: how it stands, what is known of it, its tools, and whole
// what waits for an approval.
func (s Server) Lines() []string {
	out := []string{s.Line()}
	for _, f := range about(&s) {
		out = append(out, f[0]+lang.T(": ")+safe.Line(f[1]))
	}
	for _, t := range s.Tools {
		out = append(out, t.line())
		for _, w := range t.Warnings {
			out = append(out, lang.T("warning: %s", safe.Line(w)))
		}
	}
	return append(out, s.Waiting("")...)
}

// Waiting says whole what waits for an approval, of one tool or with an empty name all
// of it.
func (s Server) Waiting(tool string) (out []string) {
	for _, ch := range s.Changes {
		if tool != "" && ch.Tool != tool {
			continue
		}
		out = append(out, lang.T("to approve: %s", ch.title()))
		for line := range strings.Lines(ch.Diff) {
			out = append(out, safe.Prompt(strings.TrimRight(line, "\n")))
		}
	}
	return out
}

func (t Tool) line() string {
	line := lang.T("tool %s", safe.Line(t.Remote)) + lang.T(": ")
	switch {
	case t.On:
		line += lang.T("on")
	case t.Why != "":
		line += lang.T("off: %s", safe.Line(t.Why))
	default:
		line += lang.T("off")
	}
	if t.Tokens > 0 {
		line += lang.T(", ") + lang.T("%s tokens", count(t.Tokens))
	}
	if about := safe.Line(t.About); about != "" {
		line += lang.T(", ") + about
	}
	return line
}
