package permission

import "forge/tools"

// Explanation is what would become of a command line, and why.
type Explanation struct {
	Parsed   [][]string // the simple commands found
	Level    Level
	ReadOnly bool
	Decision string   // allow, ask or deny
	Reasons  []string // in plain words, the worst first
	Rule     string   // the rule or the mode that decided
	Source   string   // where that rule stands; empty: it was the mode, or several
	Grants   []string // what "for the session" would store, as it is shown
	Parts    []string // the commands that need an answer, where not all do
}

// Explain decides about a command line as a Manager with these options would
// before anyone is asked. It runs no part of the line and writes nothing; it
// reads file metadata in dir and asks git for its configuration.
func Explain(line, dir string, o Options) Explanation {
	m := New(o)
	call := tools.Call{Name: runs}
	e := tools.Effect{Kind: tools.Exec, Command: line, Dir: dir}
	a := m.analyse(e)
	j := m.judge(call, e)
	out := Explanation{Parsed: a.Parsed, Level: a.Level, ReadOnly: a.ReadOnly, Decision: [...]string{"allow", "ask", "deny"}[j.decision], Rule: j.by, Source: j.rule.Source, Parts: j.parts}
	for _, r := range a.Risks {
		out.Reasons = append(out.Reasons, r.Reason)
	}
	switch {
	case a.ReadOnly:
		out.Reasons = append(out.Reasons, "only reads, and only inside the workspace")
	case len(a.Risks) == 0:
		out.Reasons = append(out.Reasons, "changes something inside the workspace that is easily undone")
	}
	if out.Rule == "" {
		out.Rule = "mode " + string(m.Mode())
	}
	for _, g := range j.grants {
		out.Grants = append(out.Grants, g.Text)
	}
	return out
}
