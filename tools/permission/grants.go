package permission

import (
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"forge/lazy"
	"forge/tools"
)

// need is one thing of a call that a permission is needed for: a command of a line,
// a folder files are written to, a remote tool.
type need struct {
	what    string          // the command, for the question; empty: the call itself
	grant   Grant           // what "for the session" would store; no key: nothing
	rule    Rule            // what "as a rule" would store; no tool: nothing
	covered func(Rule) bool // by an allow rule
}

// needs lists what a call needs permission for. can is false where nothing may
// answer for the person: a line that cannot be granted.
func (m *Manager) needs(call tools.Call, e tools.Effect, a Analysis) (ns []need, can bool) {
	switch e.Kind {
	case tools.Exec:
		if len(a.Shapes) == 0 {
			return nil, false
		}
		for _, p := range a.Parts {
			if !p.Harmless {
				ns = append(ns, m.commandNeed(call, e, p))
			}
		}
	case tools.Write:
		ns = m.folderNeeds(call, e)
	case tools.Unknown, tools.Network:
		ns = []need{{
			grant:   Grant{Text: "use " + call.Name, key: "tool\x00" + e.Server + "\x00" + call.Name},
			rule:    m.ruleHere(Rule{Action: Allow, Tool: call.Name}),
			covered: func(r Rule) bool { return r.Pattern == "" || e.Server == "" && len(e.Paths) > 0 && m.all(r, e.Paths) },
		}}
	default:
		ns = []need{{covered: func(r Rule) bool { return r.Pattern == "" || e.Server == "" && m.all(r, e.Paths) }}}
	}
	if carrying(e) != nil { // nothing said of the call itself is said of what it is given
		for _, g := range offerValues(e) {
			ns = append(ns, need{grant: g, covered: func(Rule) bool { return false }})
		}
	}
	return ns, len(ns) > 0
}

func (m *Manager) all(r Rule, paths []string) bool {
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return !r.hitsPath(m.roots(), p) })
}

func (m *Manager) commandNeed(call tools.Call, e tools.Effect, p Part) need {
	n := need{what: typed(p.Argv), covered: func(r Rule) bool { return e.Escape == tools.Confined && r.coversPart(p) }}
	n.grant = Grant{Text: "run " + p.Shape, key: "exec\x00" + p.Shape, files: p.Files, bound: bound(p.Files)}
	if e.Escape != tools.Confined {
		n.grant.Text += " " + string(e.Escape)
		n.grant.key += "\x00" + string(e.Escape)
		return n // a rule for the command is no rule for what confines it
	}
	if n.grant.bound != "" {
		return n // what it does stands in a file, and a rule knows no file's content
	}
	pattern := p.Shape
	if !strings.Contains(pattern, scopeMark) {
		pattern = escape(pattern)
	}
	n.rule = m.ruleHere(Rule{Action: Allow, Tool: call.Name, Pattern: pattern})
	return n
}

// folderNeeds are the folders that files are written to, or deleted from: who let
// files be edited said nothing of files that go. A whole folder that goes or moves,
// and what undo could not bring back, is asked about each time, unless a rule covers
// all of it.
func (m *Manager) folderNeeds(call tools.Call, e tools.Effect) []need {
	paths := slices.Clone(e.Paths)
	sort.Strings(paths)
	var ns []need
	kind := "dir"
	if slices.ContainsFunc(e.Changes, func(c tools.Change) bool { return c.Op == tools.Delete }) {
		kind = "gone"
	}
	whole := slices.ContainsFunc(e.Changes, func(c tools.Change) bool { return c.Thing == tools.Folder || c.Lost > 0 })
	for _, p := range paths {
		p, dir := p, filepath.Dir(p)
		n := need{covered: func(r Rule) bool { return r.Pattern == "" || r.hitsPath(m.roots(), p) }}
		if m.inside(p) && !whole {
			n.grant.key = kind + "\x00" + dir
			n.grant.Text = m.shown(n.grant.key)
			if rel, err := filepath.Rel(m.roots()[0], dir); err == nil && within(m.roots()[0], dir) {
				pattern := "*"
				if rel != "." {
					pattern = globEscape(filepath.ToSlash(rel)) + "/*"
				}
				n.rule = m.ruleHere(Rule{Action: Allow, Tool: call.Name, Pattern: pattern})
			}
		}
		ns = append(ns, n)
	}
	return ns
}

var globLetters = lazy.Value[*strings.Replacer]{Of: func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`)
}}

func globEscape(s string) string { return globLetters.Get().Replace(s) }

// ruleHere is a rule for this workspace alone; the zero Rule where its text would
// not be read as what is meant.
func (m *Manager) ruleHere(r Rule) Rule {
	if m.o.Keep == nil || len(m.roots()) == 0 {
		return Rule{}
	}
	r.Folder = canonical(m.roots()[0])
	again, err := ParseRule(r.Action, r.Text())
	if err != nil || again != r {
		return Rule{}
	}
	if ok, _ := CheckAllow(r, m.roots()); !ok {
		return Rule{}
	}
	return r
}

// short is a directory as a person knows it: relative to the workspace.
func (m *Manager) short(dir string) string {
	for i, root := range m.roots() {
		if rel, err := filepath.Rel(root, dir); err == nil && within(root, dir) && i == 0 {
			if rel == "." {
				return "the workspace root"
			}
			return filepath.ToSlash(rel) + "/"
		}
	}
	return dir + string(filepath.Separator)
}

func (m *Manager) keep(gs []Grant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range gs {
		m.grants[g.key] = g.bound
	}
}

// held says whether a grant was given, and whether it was but for files that hold
// something else now.
func (m *Manager) held(g Grant) (now, before bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range []string{g.key, wider(g.key)} {
		if b, given := m.grants[key]; given && g.key != "" {
			if b == g.bound {
				return true, true
			}
			before = true
		}
	}
	return false, before
}

// open are the needs of a call that no grant and no allow rule answers. by names the
// rules that answered others; changed says which grants no longer hold, and why.
func (m *Manager) open(tool string, ns []need) (left []need, by, changed []string) {
	rules := m.current()
	for _, n := range ns {
		now, before := m.held(n.grant)
		if now {
			continue
		}
		i := slices.IndexFunc(rules, func(r Rule) bool { return r.Action == Allow && wildcard(r.Tool, tool) && n.covered(r) })
		if i >= 0 {
			if text := rules[i].String(); !slices.Contains(by, text) {
				by = append(by, text)
			}
			continue
		}
		if before {
			changed = append(changed, "you allowed "+strings.TrimPrefix(n.grant.Text, "run ")+" for this session; what it obeys has changed since: "+m.names(n.grant.files))
		}
		left = append(left, n)
	}
	return left, by, changed
}

// names lists the files that are there, as a person knows them.
func (m *Manager) names(files []string) string {
	var out []string
	for _, f := range files {
		if digest(f) == "missing" {
			continue
		}
		name := f
		for _, root := range m.roots() {
			if root = canonical(root); within(root, f) {
				name, _ = filepath.Rel(root, f)
				break
			}
		}
		out = append(out, filepath.ToSlash(name))
	}
	if len(out) == 0 {
		return "a file that is gone"
	}
	return strings.Join(out, ", ")
}

// covered reports whether every one of these grants was given.
func (m *Manager) covered(gs []Grant) bool {
	return len(gs) > 0 && !slices.ContainsFunc(gs, func(g Grant) bool { now, _ := m.held(g); return !now })
}

// widerShape is the shape for the whole workspace beside one for a folder of it.
func widerShape(shape string) string {
	if i := strings.LastIndex(shape, scopeMark); i >= 0 && strings.HasSuffix(shape, "/") {
		return shape[:i] + scopeMark + "the workspace"
	}
	return shape
}

// wider is the same for a grant's key.
func wider(key string) string {
	if shape, ok := strings.CutPrefix(key, "exec\x00"); ok {
		return "exec\x00" + widerShape(shape)
	}
	return key
}

// Forget drops what was granted: another conversation begins.
func (m *Manager) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.grants)
}

// Granted lists the session's grants as they were shown, sorted.
func (m *Manager) Granted() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for key := range m.grants {
		out = append(out, m.shown(key))
	}
	sort.Strings(out)
	return out
}

// shown is a grant as it was shown, of the key it is kept under.
func (m *Manager) shown(key string) string {
	kind, what, _ := strings.Cut(key, "\x00")
	switch kind {
	case "exec":
		return "run " + strings.Replace(what, "\x00", " ", 1)
	case "secret":
		return "give commands the " + what
	case "dir":
		return "edit files in " + m.short(what)
	case "gone":
		return "delete files in " + m.short(what)
	}
	_, name, _ := strings.Cut(what, "\x00")
	return "use " + name
}

// Revoke takes a grant back, named as Granted does, and reports whether there was
// one.
func (m *Manager) Revoke(shown string) (found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.grants {
		if m.shown(key) == shown {
			delete(m.grants, key)
			found = true
		}
	}
	return found
}

// Drop forgets a rule of the person's for this session; whoever stored it takes it
// out of the file. Rules of others stay.
func (m *Manager) Drop(r Rule) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var left []Rule
	for _, old := range m.rules {
		if old.Tier != TierUser || old.Action != r.Action || old.Text() != r.Text() {
			left = append(left, old)
		}
	}
	m.rules = left
}
