package permission

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
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

	mu     sync.Mutex
	mode   Mode
	grants map[string]bool
}

// New returns a Manager without grants.
func New(o Options) *Manager {
	if o.Mode == "" {
		o.Mode = ModeAsk
	}
	return &Manager{o: o, mode: o.Mode, turn: make(chan struct{}, 1), grants: map[string]bool{}}
}

// Mode returns the mode in force.
func (m *Manager) Mode() Mode {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mode
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
	rule     string // the rule that decided; empty: the mode
	level    Level
	risks    []Risk
	grants   []Grant
	reads    bool // a command that provably only reads
}

// Authorize implements tools.Guard: the strictest of deny rules, plan mode,
// danger, ask rules and the mode decides; a grant or an allow rule answers only
// an ask that it covers exactly, never one at HIGH or above.
func (m *Manager) Authorize(ctx context.Context, call tools.Call, e tools.Effect) (tools.Verdict, error) {
	j := m.judge(call, e)
	if j.decision == ask {
		return m.question(ctx, call, e)
	}
	return j.verdict(), nil
}

// verdict is a judgement nobody has to be asked about. A command that runs
// because it only reads gets the environment that claim rests on; one a person
// allowed does not, since it would switch off their own hooks.
func (j judgement) verdict() tools.Verdict {
	v := tools.Verdict{Allow: j.decision == allow, Reason: j.reason}
	if v.Allow && j.reads {
		v.Env = append(GitEnv(), "GOTOOLCHAIN=local", "GOPROXY=off")
	}
	return v
}

// question takes the turn, looks again (an earlier answer may cover this call by
// now), and asks.
func (m *Manager) question(ctx context.Context, call tools.Call, e tools.Effect) (tools.Verdict, error) {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return tools.Verdict{}, ctx.Err()
	}
	defer func() { <-m.turn }()
	j := m.judge(call, e)
	if j.decision != ask {
		return j.verdict(), nil
	}
	a, err := m.o.Asker.Ask(ctx, Request{
		ID: "q" + strconv.FormatInt(m.ids.Add(1), 10), Call: call, Effect: e, Level: j.level, Risks: j.risks,
		Cwd: m.cwd(e), Rule: j.rule, Sandbox: m.confinement(e), Grants: j.grants,
	})
	if err != nil {
		return tools.Verdict{}, err
	}
	if !a.Allow {
		if a.Unattended {
			return tools.Verdict{Reason: a.Reason}, nil
		}
		return tools.Verdict{Reason: refusal(a.Reason)}, nil
	}
	if a.Scope == ScopeSession {
		m.keep(j.grants)
	}
	v := tools.Verdict{Allow: true, Changes: a.Changes, Asked: true}
	if a.Reason != "" {
		v.Reason = "the user says: " + a.Reason
	}
	return v, nil
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

// analyse judges a command line. A fault of ours in it is a question.
func (m *Manager) analyse(e tools.Effect) (a Analysis) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("judging a command line", "panic", p)
			a = Analysis{Parsed: [][]string{{e.Command}}, Level: High, Risks: []Risk{{High, "could not be judged"}}}
		}
	}()
	return analyse(e.Command, world{dir: m.cwd(e), roots: m.o.Roots, git: m.git.unsafe})
}

func (m *Manager) judge(call tools.Call, e tools.Effect) judgement {
	var a Analysis
	if e.Kind == tools.Exec {
		a = m.analyse(e)
	}
	j := judgement{level: a.Level, risks: a.Risks, reads: a.ReadOnly}
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
		j.decision, j.rule = deny, r
		j.reason = "a rule of the user forbids this: " + r
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
	if r, ok := m.match(Ask, call, e, a); ok && m.Mode() != ModeYolo {
		j.decision, j.rule = ask, r
		return j
	}
	if j.decision == ask && j.level < High {
		if j.grants = m.offer(call, e, a); len(j.grants) > 0 && carrying(e) != nil {
			j.grants = append(j.grants, offerValues(e)...)
		}
		if m.covered(j.grants) {
			j.decision = allow
		} else if e.Escape != tools.Confined {
			return j // a rule for the command is no rule for what confines it
		} else if carrying(e) != nil && !m.covered(offerValues(e)) {
			return j // nor for what it is given
		} else if r, ok := m.match(Allow, call, e, a); ok {
			j.decision, j.rule = allow, r
		}
	}
	return j
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
	case harmless, mode == ModeYolo:
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

// danger is the risk of an effect that is not a command.
func (m *Manager) danger(e tools.Effect) (Level, []Risk) {
	var risks []Risk
	outside := slices.ContainsFunc(e.Paths, func(p string) bool { return !m.inside(p) })
	switch e.Kind {
	case tools.Write:
		if outside {
			risks = append(risks, Risk{High, "writes outside the workspace"})
		}
		if m.o.Protected != nil && slices.ContainsFunc(e.Paths, m.o.Protected) {
			risks = append(risks, Risk{High, "writes a file that programs take orders from"})
		}
		for _, c := range e.Changes {
			if c.Op == tools.Delete {
				risks = append(risks, Risk{Medium, "deletes " + c.Path})
			}
		}
	case tools.Read:
		if outside {
			risks = append(risks, Risk{Medium, "reads outside the workspace"})
		}
	case tools.Network:
		risks = append(risks, Risk{Medium, "sends something over the network"})
	case tools.Unknown:
		risks = append(risks, Risk{Medium, "does not say what it does"})
	}
	level := Low
	for _, r := range risks {
		level = max(level, r.Level)
	}
	return level, risks
}

func (m *Manager) inside(path string) bool {
	return slices.ContainsFunc(m.o.Roots, func(root string) bool { return within(root, path) })
}

// within reports whether path is root or beneath it; both are absolute and clean.
func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
