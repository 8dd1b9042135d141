package permission

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"forge/tools"
	"forge/tools/sandbox"
)

// decision is what the rules, the mode and the risk say before anyone is asked.
type decision int

const (
	allow decision = iota
	ask
	deny
)

// judgement is a decision with what led to it.
type judgement struct {
	decision decision
	reason   string // for the model, where it is a deny
	rule     Rule   // the rule that decided
	by       string // the same in words; empty: the mode
	level    Level
	risks    []Risk
	grants   []Grant
	rules    []Rule   // what "as a rule" would store
	parts    []string // the commands that need an answer, where not all do
	changed  []string // why an earlier answer does not hold
	files    []string // of the workspace, that the call obeys
	reads    bool     // a command that provably only reads
}

// since says what of a judgement is not as it was.
func (j judgement) since(old judgement) []string {
	var out []string
	if j.level > old.level {
		out = append(out, fmt.Sprintf("the risk was %s and is %s now", old.level, j.level))
	}
	if j.decision == ask && j.by != old.by {
		out = append(out, "another rule decides now: "+j.by)
	}
	return out
}

// fault is the risk of what forge itself could not judge.
var fault = Risk{High, "could not be judged, by a fault of forge"}

// analyse judges a command line. A fault of ours in it is a question.
func (m *Manager) analyse(e tools.Effect) (a Analysis) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("judging a command line", "panic", p)
			a = Analysis{Parsed: [][]string{{e.Command}}, Level: High, Risks: []Risk{fault}, broken: true}
		}
	}()
	a = m.read(e.Command, world{dir: m.cwd(e), roots: m.roots(), git: m.git.unsafe})
	if m.o.Shell != "" && !sandbox.ReadsAsBash(m.o.Shell) {
		a.foreign(e.Command)
	}
	return a
}

// judge decides about a call. Any fault of ours on the way means ask.
func (m *Manager) judge(call tools.Call, e tools.Effect) (j judgement) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("deciding about a call", "tool", call.Name, "panic", p)
			j = judgement{decision: ask, level: High, risks: []Risk{fault}}
		}
	}()
	return m.decide(call, e)
}

func (m *Manager) decide(call tools.Call, e tools.Effect) judgement {
	var a Analysis
	if e.Kind == tools.Exec {
		a = m.analyse(e)
	}
	j := judgement{level: a.Level, risks: a.Risks, reads: a.ReadOnly, files: a.Files}
	if e.Kind != tools.Exec {
		j.level, j.risks = m.danger(e)
	}
	if e.Escape != tools.Confined {
		a.ReadOnly, j.reads = false, false
		j.risks = append(slices.Clone(j.risks), escaping(e))
		j.level = max(j.level, escaping(e).Level)
	}
	if values := carrying(e); values != nil {
		a.ReadOnly, j.reads = false, false // it was judged by placeholders
		j.risks = append(slices.Clone(j.risks), *values)
		j.level = max(j.level, values.Level)
	}
	if r, ok := m.match(Deny, call, e, a); ok {
		j.decision, j.rule, j.by = deny, r, r.String()
		j.reason = r.whose() + " forbids this: " + j.by
		return j
	}
	if m.o.Unattended && j.level >= Critical {
		j.decision = deny
		j.reason = "this is CRITICAL and nobody watches, so it is refused in every mode: " + reasons(j.risks)
		return j
	}
	j.decision = m.byMode(e, a, j.level)
	if j.decision == deny {
		j.reason = cmp.Or(m.mayOnlyLook(), planned)
		return j
	}
	if a.broken {
		j.decision = ask
		return j
	}
	if r, ok := m.match(Ask, call, e, a); ok && (m.Mode() != ModeYolo || r.Tier == TierPolicy) {
		j.decision, j.rule, j.by = ask, r, r.String()
		return j
	}
	if e.Said.Ask { // in every mode: who wrote the hook meant it
		j.decision, j.by = ask, e.Said.String()
		return j
	}
	if j.decision == ask && j.level < High {
		m.answered(&j, call, e, a)
	}
	if j.vouched(e) {
		j.decision, j.by = allow, e.Said.String()
	}
	return j
}

// vouched says whether a hook's word stands for an answer of the person's: only where
// that answer could have been given for the whole session, and the call changes no file
// that is to be reviewed, gets no secret, and stays in the sandbox. What nobody knows
// anything of is none of these.
func (j judgement) vouched(e tools.Effect) bool {
	known := e.Kind != tools.Unknown || e.Server != ""
	return e.Said.Vouch && j.decision == ask && j.level < High && len(j.grants) > 0 && known &&
		e.Kind != tools.Write && len(e.Changes) == 0 && len(e.Secrets) == 0 && e.Escape == tools.Confined && e.Changed == ""
}

// answered looks whether grants and allow rules answer for the person, and if not,
// what of the call is still to be asked about and what an answer could store.
func (m *Manager) answered(j *judgement, call tools.Call, e tools.Effect, a Analysis) {
	ns, can := m.needs(call, e, a)
	if !can {
		return
	}
	left, by, changed := m.open(call.Name, ns)
	if len(left) == 0 {
		j.decision, j.by = allow, strings.Join(by, ", ")
		return
	}
	j.changed = changed
	grants, rules := true, true
	for _, n := range left {
		if n.what != "" && len(left) < len(a.Parts) {
			j.parts = append(j.parts, n.what)
		}
		if grants = grants && n.grant.key != ""; grants && !slices.ContainsFunc(j.grants, func(g Grant) bool { return g.key == n.grant.key }) {
			j.grants = append(j.grants, n.grant)
		}
		if rules = rules && n.rule.Tool != ""; rules && !slices.Contains(j.rules, n.rule) {
			j.rules = append(j.rules, n.rule)
		}
	}
	if !grants {
		j.grants = nil
	}
	if !rules {
		j.rules = nil
	}
}

// whose is who made a rule, as the subject of a sentence.
func (r Rule) whose() string {
	switch r.Tier {
	case TierPolicy:
		return "the policy of this machine"
	case TierProject:
		return "a rule of this project"
	}
	return "a rule of the user"
}

func reasons(risks []Risk) string {
	var out []string
	for _, r := range risks {
		out = append(out, r.Reason)
	}
	return strings.Join(out, "; ")
}

// byMode is the mode's own word. An effect of a kind it does not know is asked
// about in every mode but yolo.
func (m *Manager) byMode(e tools.Effect, a Analysis, level Level) decision {
	mode, looks := m.Mode(), m.mayOnlyLook() != ""
	harmless := e.Kind == tools.Internal || e.Kind == tools.Delegate ||
		(e.Kind == tools.Read && level == Low) || (e.Kind == tools.Exec && a.ReadOnly)
	values := carrying(e) != nil && !m.covered(offerValues(e))
	switch {
	case harmless, mode == ModeYolo && level < Critical && !looks:
		return allow
	case looks && e.Kind != tools.Read:
		return deny
	case level >= High, e.Escape != tools.Confined, values:
		return ask
	case mode == ModeAuto && e.Kind != tools.Unknown:
		return allow
	case mode == ModeEdits && e.Kind == tools.Write && level == Low:
		return allow
	}
	return ask
}
