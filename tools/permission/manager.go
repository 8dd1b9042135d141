package permission

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"forge/tools"
)

// Options is what a Manager needs.
type Options struct {
	Rules []Rule
	Roots []string // the workspace and the folders added to it, absolute
	// Readable reports whether a path may be read as those in Roots may, though it may lie
	// in none; nil: none may.
	Readable func(path string) bool
	Asker    Asker
	Mode     Mode   // empty: ModeAsk
	Sandbox  string // what confines commands, for the question: "none"
	// Shell is the program that lines are run by; empty: one that reads them as bash does.
	Shell string
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

	folders atomic.Pointer[[]string] // Options.Roots and those that were added

	mu     sync.Mutex
	mode   Mode
	looks  []string          // why nothing may change now, by each who wants that
	grants map[string]string // to what they are bound
	rules  []Rule            // in force, those of policies first
}

// New returns a Manager without grants.
func New(o Options) *Manager {
	if o.Mode == "" {
		o.Mode = ModeAsk
	}
	m := &Manager{o: o, mode: o.Mode, turn: make(chan struct{}, 1), grants: map[string]string{}, read: analyse}
	m.folders.Store(&o.Roots)
	m.git.roots = m.roots
	for _, r := range inForce(o.Rules, o.Roots) {
		if ok, _ := CheckAllow(r, o.Roots); ok {
			m.rules = append(m.rules, r)
		}
	}
	return m
}

// SetRules puts other rules in the place of those there are. Grants of the session stay.
func (m *Manager) SetRules(rules []Rule) {
	var out []Rule
	for _, r := range inForce(rules, m.roots()) {
		if ok, _ := CheckAllow(r, m.roots()); ok {
			out = append(out, r)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rules = out
}

func (m *Manager) roots() []string { return *m.folders.Load() }

// AddRoot makes a folder, absolute, one of the workspace's from now on.
func (m *Manager) AddRoot(dir string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := append(slices.Clone(m.roots()), dir)
	m.folders.Store(&all)
}

// Mode returns the mode in force.
func (m *Manager) Mode() Mode {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stricter(m.mode, m.o.Strictest)
}

// SetMode changes the mode; a question that is open already stays open.
func (m *Manager) SetMode(mode Mode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mode = mode
}

// OnlyLook lets nothing change until end is called, whatever the mode is: what would is
// refused as plan mode refuses it, and why is told to the model.
func (m *Manager) OnlyLook(why string) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.looks = append(m.looks, why)
	return sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.looks = slices.Delete(m.looks, slices.Index(m.looks, why), slices.Index(m.looks, why)+1)
	})
}

// Looks reports whether nothing may change now, by the mode or by OnlyLook.
func (m *Manager) Looks() bool { return m.mayOnlyLook() != "" }

// planned is what a model is told of a call that plan mode refuses.
const planned = "plan mode is on and nothing may change: go on reading, then present the plan"

// mayOnlyLook is why nothing may change now; empty: things may.
func (m *Manager) mayOnlyLook() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.looks) > 0 {
		return m.looks[0]
	}
	if Stricter(m.mode, m.o.Strictest) == ModePlan {
		return planned
	}
	return ""
}

// Authorize implements tools.Guard: the strictest of a policy's and the person's
// deny rules, danger, ask rules and the mode decides; a grant or an allow rule
// answers only an ask that it covers exactly, never one at HIGH or above.
func (m *Manager) Authorize(ctx context.Context, call tools.Call, e tools.Effect) (tools.Verdict, error) {
	j := m.judge(call, e)
	m.trace(ctx, call, j)
	v, changed, ok := m.foretold(ctx, call, e, j)
	if ok {
		return v, nil
	}
	if e.Changed == "" {
		e.Changed = changed
	}
	if j.decision == ask {
		v, err := m.question(ctx, call, e)
		m.traceAnswer(call, v, err)
		return v, err
	}
	return m.verdict(j, call, e, m.facts(e, j)), nil
}

// verdict is a judgement nobody has to be asked about. A command that runs
// because it only reads gets the environment that claim rests on; one a person
// allowed does not, since it would switch off their own hooks.
func (m *Manager) verdict(j judgement, call tools.Call, e tools.Effect, seen facts) tools.Verdict {
	v := tools.Verdict{Allow: j.decision == allow, Reason: j.reason}
	if v.Allow {
		v.Still = m.still(call, e, seen, false)
	}
	if v.Allow && j.reads {
		v.Env = append(GitEnv(), "GOTOOLCHAIN=local", "GOPROXY=off")
	}
	return v
}

func (m *Manager) cwd(e tools.Effect) string {
	if e.Dir != "" || len(m.roots()) == 0 {
		return e.Dir
	}
	return m.roots()[0]
}
