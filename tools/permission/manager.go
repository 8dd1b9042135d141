package permission

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"forge/tools"
)

// Options is what a Manager needs.
type Options struct {
	Rules   []Rule
	Roots   []string // the workspace and the folders added to it, absolute
	Asker   Asker
	Mode    Mode   // empty: ModeAsk
	Sandbox string // what confines commands, for the question: "none"
	// Strictest bounds the mode, whatever is chosen: a policy's. Empty: none does.
	Strictest Mode
	// Keep stores a rule in the person's settings; StoredIn is that file. nil: no
	// answer is offered as a rule.
	Keep     func(Rule) error
	StoredIn string
	// Unattended says that nobody watches the run: even without questions what is
	// CRITICAL is refused.
	Unattended bool
	// Protected reports whether a path inside a root is one that a write to must
	// always be asked about (.git internals, forge's own settings). nil: none is.
	Protected func(path string) bool
}

// Manager is a tools.Guard. Its methods may be called from any goroutine.
type Manager struct {
	o    Options
	git  gitConfigs
	turn chan struct{} // one slot: the question that is open
	ids  atomic.Int64

	read func(line string, w world) Analysis // analyse

	mu     sync.Mutex
	mode   Mode
	grants map[string]string // to what they are bound
	rules  []Rule            // in force, those of policies first
}

// New returns a Manager without grants.
func New(o Options) *Manager {
	if o.Mode == "" {
		o.Mode = ModeAsk
	}
	m := &Manager{o: o, mode: o.Mode, turn: make(chan struct{}, 1), grants: map[string]string{}, read: analyse}
	for _, r := range inForce(o.Rules, o.Roots) {
		if ok, _ := CheckAllow(r, o.Roots); ok {
			m.rules = append(m.rules, r)
		}
	}
	return m
}

// Mode returns the mode in force.
func (m *Manager) Mode() Mode {
	m.mu.Lock()
	defer m.mu.Unlock()
	return stricterMode(m.mode, m.o.Strictest)
}

// SetMode changes the mode; a question that is open already stays open.
func (m *Manager) SetMode(mode Mode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mode = mode
}

// ParseMode reads a mode's name.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case ModeAsk, ModeEdits, ModePlan, ModeAuto, ModeYolo:
		return m, nil
	}
	return "", fmt.Errorf("mode %q is unknown: use ask, edits, plan, auto or yolo", s)
}

// stricterMode is the stricter of two modes; an empty one bounds nothing.
func stricterMode(a, b Mode) Mode {
	order := []Mode{ModePlan, ModeAsk, ModeEdits, ModeAuto, ModeYolo}
	if i := slices.Index(order, b); i >= 0 && i < slices.Index(order, a) {
		return b
	}
	return a
}

// Next is the mode Shift+Tab goes to. Yolo is left by it, never entered.
func (m Mode) Next() Mode {
	cycle := []Mode{ModeAsk, ModeEdits, ModePlan, ModeAuto}
	return cycle[(slices.Index(cycle, m)+1)%len(cycle)]
}

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

// Authorize implements tools.Guard: the strictest of a policy's and the person's
// deny rules, danger, ask rules and the mode decides; a grant or an allow rule
// answers only an ask that it covers exactly, never one at HIGH or above.
func (m *Manager) Authorize(ctx context.Context, call tools.Call, e tools.Effect) (tools.Verdict, error) {
	j := m.judge(call, e)
	if j.decision == ask {
		return m.question(ctx, call, e)
	}
	return m.verdict(j, call, e, m.facts(e, j)), nil
}

// verdict is a judgement nobody has to be asked about. A command that runs
// because it only reads gets the environment that claim rests on; one a person
// allowed does not, since it would switch off their own hooks.
func (m *Manager) verdict(j judgement, call tools.Call, e tools.Effect, seen facts) tools.Verdict {
	v := tools.Verdict{Allow: j.decision == allow, Reason: j.reason}
	if v.Allow {
		v.Still = m.still(call, e, seen)
	}
	if v.Allow && j.reads {
		v.Env = append(GitEnv(), "GOTOOLCHAIN=local", "GOPROXY=off")
	}
	return v
}

// maxAsked is how often one call is asked about while what it rests on changes.
const maxAsked = 4

// question takes the turn, looks again (an earlier answer may cover this call by
// now), and asks. What changed while the question stood is asked about again.
func (m *Manager) question(ctx context.Context, call tools.Call, e tools.Effect) (tools.Verdict, error) {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return tools.Verdict{}, ctx.Err()
	}
	defer func() { <-m.turn }()
	var changed []string
	if e.Changed != "" {
		changed = []string{e.Changed}
	}
	for range maxAsked {
		j := m.judge(call, e)
		seen := m.facts(e, j)
		if j.decision != ask {
			return m.verdict(j, call, e, seen), nil
		}
		a, err := m.o.Asker.Ask(ctx, m.request(call, e, j, append(changed, j.changed...)))
		if err != nil {
			return tools.Verdict{}, err
		}
		if !a.Allow {
			if a.Unattended {
				return tools.Verdict{Reason: a.Reason}, nil
			}
			return tools.Verdict{Reason: refusal(a.Reason)}, nil
		}
		now := m.judge(call, e)
		if changed = append(m.facts(e, now).since(seen), now.since(j)...); len(changed) > 0 {
			continue
		}
		if now.decision == deny {
			return m.verdict(now, call, e, seen), nil
		}
		m.remember(a.Scope, j)
		v := tools.Verdict{Allow: true, Changes: a.Changes, Asked: true, Still: m.still(call, e, seen)}
		if a.Reason != "" {
			v.Reason = "the user says: " + a.Reason
		}
		return v, nil
	}
	return tools.Verdict{Reason: "what it rests on changed each time it was allowed: " + strings.Join(changed, "; ")}, nil
}

// request is what a person is asked.
func (m *Manager) request(call tools.Call, e tools.Effect, j judgement, changed []string) Request {
	r := Request{
		ID: "q" + strconv.FormatInt(m.ids.Add(1), 10), Call: call, Effect: e, Level: j.level, Risks: j.risks,
		Cwd: m.cwd(e), Rule: j.by, Sandbox: m.confinement(e), Grants: j.grants, Parts: j.parts, Changed: changed,
	}
	for _, rule := range j.rules {
		r.Rules, r.StoredIn = append(r.Rules, rule.Text()), m.o.StoredIn
	}
	return r
}

// remember keeps an answer for as long as it was given. A rule that cannot be
// stored holds for the session: the person meant no less.
func (m *Manager) remember(scope Scope, j judgement) {
	switch {
	case scope == ScopeSession:
		m.keep(j.grants)
	case scope == ScopeRule && len(j.rules) > 0:
		for _, r := range j.rules {
			if err := m.o.Keep(r); err != nil {
				slog.Warn("rule not stored", "rule", r.Text(), "err", err)
				m.keep(j.grants)
				return
			}
			m.mu.Lock()
			m.rules = append(slices.Clone(m.rules), r)
			m.mu.Unlock()
		}
	}
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

func refusal(words string) string {
	if words == "" {
		return "the user declined; do something else or ask what they want"
	}
	return "the user declined and says: " + words
}

func (m *Manager) cwd(e tools.Effect) string {
	if e.Dir != "" || len(m.o.Roots) == 0 {
		return e.Dir
	}
	return m.o.Roots[0]
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
	return m.read(e.Command, world{dir: m.cwd(e), roots: m.o.Roots, git: m.git.unsafe})
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
		j.reason = "plan mode is on and nothing may change: go on reading, then present the plan"
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
	if j.decision == ask && j.level < High {
		m.answered(&j, call, e, a)
	}
	return j
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
	mode := m.Mode()
	harmless := e.Kind == tools.Internal || e.Kind == tools.Delegate ||
		(e.Kind == tools.Read && level == Low) || (e.Kind == tools.Exec && a.ReadOnly)
	values := carrying(e) != nil && !m.covered(offerValues(e))
	switch {
	case harmless, mode == ModeYolo && level < Critical:
		return allow
	case mode == ModePlan && e.Kind != tools.Read:
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
