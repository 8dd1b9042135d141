package permission

import (
	"fmt"
	"strings"
)

// runs is the tool that runs command lines: what a rule says of commands can be judged
// only for the tool they go to. Beside the tools that rules about files name (see
// about), nothing else here knows a tool by name.
const runs = "run_bash"

// CheckAllow says whether a rule may allow what it says, and why not: the same that
// a grant may not be. What is HIGH, an interpreter or a wrapper is asked about each
// time, whatever the rules say.
func CheckAllow(r Rule, roots []string) (ok bool, why string) {
	switch {
	case r.Action != Allow:
		return true, ""
	case strings.Contains(r.Tool, "*"):
		return false, "an allow rule names one tool, without *"
	case remoteName(r.Tool) && r.Pattern != "":
		return false, "an allow rule for a server's tool is for the whole tool; leave the pattern out"
	case r.Tool != runs:
		return true, ""
	case r.Pattern == "":
		return false, "it would allow every command: name the program, as in run_bash(go test *)"
	}
	line := r.Pattern
	if i := strings.Index(strings.Replace(line, " ... in ", scopeMark, 1), scopeMark); i >= 0 {
		line = line[:i]
	}
	program, _, _ := strings.Cut(line, " ")
	if parts := stars(program); len(parts) > 1 || parts[0] == "" {
		return false, "it would allow programs nobody named: begin with one, as in run_bash(go test *)"
	}
	sample := strings.TrimSpace(strings.Join(stars(line), "x"))
	a := analyse(sample, world{roots: roots, git: func(string) string { return "" }})
	switch {
	case a.Level >= High:
		return false, fmt.Sprintf("%s is %s, which is asked about each time: %s", sample, a.Level, a.Risks[0].Reason)
	case a.ReadOnly, len(a.Shapes) > 0:
		return true, ""
	}
	return false, sample + " runs other code (an interpreter, a wrapper, a script) or more than plain words, which is asked about each time"
}

// Standing is a rule with what it counts for.
type Standing struct {
	Rule    Rule
	InForce bool
	// Why says why it is not in force, or which rules win over it where both match.
	Why string
}

// Standings tells of each rule whether it is in force in a workspace, and which of
// two that contradict each other wins. unread says that no allow rule counts,
// because one that asks or denies could not be read.
func Standings(rules []Rule, roots []string, unread bool) []Standing {
	out := make([]Standing, len(rules))
	for i, r := range rules {
		out[i] = Standing{Rule: r, InForce: true}
		s := &out[i]
		no := func(why string) { s.InForce, s.Why = false, why }
		ok, why := CheckAllow(r, roots)
		switch {
		case r.Action == Allow && r.Tier != TierUser:
			no(fmt.Sprintf("a %s may only restrict", r.Tier))
		case r.Action == Allow && unread:
			no("a rule that asks or denies cannot be read; mend that first")
		case !r.here(roots):
			no("it holds in " + r.Folder)
		case !ok:
			no(why)
		default:
			s.Why = beaten(r, rules, roots)
		}
	}
	return out
}

// beaten names the stricter rules that a rule meets.
func beaten(r Rule, rules []Rule, roots []string) string {
	var wins []string
	for _, o := range rules {
		if stricter(o, r) && o.here(roots) && o.meets(r) {
			wins = append(wins, o.String())
		}
	}
	if len(wins) == 0 {
		return ""
	}
	return "where both match wins " + strings.Join(wins, ", ")
}

func stricter(a, b Rule) bool {
	rank := map[Action]int{Allow: 0, Ask: 1, Deny: 2}
	return rank[a.Action] > rank[b.Action]
}

// meets reports whether some call matches both rules.
func (r Rule) meets(o Rule) bool {
	if !meet(r.Tool, o.Tool) {
		return false
	}
	if r.Pattern == "" || o.Pattern == "" {
		return true
	}
	pattern := func(p string) string {
		if head, _, ok := strings.Cut(strings.Replace(p, " ... in ", scopeMark, 1), scopeMark); ok {
			return escape(head) + " *"
		}
		return strings.ReplaceAll(p, "**", "*")
	}
	return meet(pattern(r.Pattern), pattern(o.Pattern))
}
