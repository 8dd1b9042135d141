package tools

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Registry holds the tools of a session by owner: forge's own, one per server.
// Active tools are what the model sees; their order is stable, since a change in
// it costs the prompt cache. Deferred ones are searched, and called through a Proxy.
// Its methods may be called from any goroutine.
type Registry struct {
	mu     sync.RWMutex
	before []func() // what Before put there
	soon   []func() // what SetSoon put off
	tools  []entry
	byName map[string]int
	keep   func(owner, name string) bool // what Narrow left; nil: all
}

type entry struct {
	owner  string
	tool   Tool
	spec   Spec
	active bool // in the list the model is sent
	loaded bool // deferred, but may be called
	off    bool // the person does not want it
}

// NewRegistry returns a registry of these tools, owned by forge.
func NewRegistry(ts ...Tool) (*Registry, error) {
	r := &Registry{}
	return r, r.Set("forge", ts, false)
}

// Set replaces the tools of owner. Deferred ones are found by Search and called
// only once loaded. Tools that stay keep their place and stay as active or loaded as
// they are; new ones come last. A name that belongs to another owner, or comes twice, is an
// error and nothing changes.
func (r *Registry) Set(owner string, ts []Tool, deferred bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := make(map[string]Tool, len(ts))
	var order []string
	for _, t := range ts {
		name := t.Spec().Name
		if !validName(name) {
			return fmt.Errorf("register tools of %s: %q is no name for a tool; 1 to 64 of A-Z a-z 0-9 _ - are", owner, name)
		}
		if _, twice := fresh[name]; twice {
			return fmt.Errorf("register tools of %s: two are named %s", owner, name)
		}
		if i, taken := r.byName[name]; taken && r.tools[i].owner != owner {
			return fmt.Errorf("register tools of %s: %s belongs to %s already", owner, name, r.tools[i].owner)
		}
		fresh[name] = t
		order = append(order, name)
	}
	var next []entry
	for _, e := range r.tools {
		if e.owner == owner {
			t, stays := fresh[e.spec.Name]
			if !stays {
				continue
			}
			delete(fresh, e.spec.Name)
			e.tool, e.spec = t, t.Spec()
		}
		next = append(next, e)
	}
	for _, name := range order {
		if t, isNew := fresh[name]; isNew {
			next = append(next, entry{owner: owner, tool: t, spec: t.Spec(), active: !deferred})
		}
	}
	r.replace(next)
	return nil
}

// SetSoon replaces the tools of owner as Set does, but not before the next time the
// active tools are asked for: a server's list may change in the middle of a turn,
// and the calls of that turn were written for the tools it began with. failed hears
// of the error Set would return; it may be called from any goroutine.
func (r *Registry) SetSoon(owner string, ts []Tool, deferred bool, failed func(error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.soon = append(r.soon, func() {
		if err := r.Set(owner, ts, deferred); err != nil && failed != nil {
			failed(err)
		}
	})
}

// Before has f called each time the active tools are asked for, before they are
// given: it is the moment between two turns when an owner may Set its tools. f must
// not block.
func (r *Registry) Before(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before = append(r.before, f)
}

// settle does what was put off.
func (r *Registry) settle() {
	r.mu.RLock()
	before := r.before
	r.mu.RUnlock()
	for _, f := range before {
		f()
	}
	r.mu.Lock()
	soon := r.soon
	r.soon = nil
	r.mu.Unlock()
	for _, f := range soon {
		f()
	}
}

// validName holds names to what every provider takes: one bad name fails the
// whole request, and every one after it.
func validName(name string) bool {
	return len(name) >= 1 && len(name) <= 64 && strings.IndexFunc(name, func(r rune) bool { return safeName(r) != r }) < 0
}

func (r *Registry) replace(es []entry) {
	for i, e := range es {
		es[i].off = e.off || r.barred(e)
	}
	r.tools = es
	r.byName = make(map[string]int, len(es))
	for i, e := range es {
		r.byName[e.spec.Name] = i
	}
}

// Get returns a tool that may be called, active or loaded, by name.
func (r *Registry) Get(name string) (Tool, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	i, ok := r.byName[name]
	if !ok || r.tools[i].off || !r.tools[i].active && !r.tools[i].loaded {
		return nil, false
	}
	return r.tools[i].tool, true
}

// deferred reports whether name is there, but not to be called yet.
func (r *Registry) deferred(name string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	i, ok := r.byName[name]
	return ok && !r.tools[i].off && !r.tools[i].active && !r.tools[i].loaded
}

// Active returns what the model sees, in the order it was added. A turn begins with
// it, so that what SetSoon put off happens here.
func (r *Registry) Active() []Tool {
	r.settle()
	return r.active()
}

func (r *Registry) active() []Tool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var ts []Tool
	for _, e := range r.tools {
		if e.active && !e.off {
			ts = append(ts, e.tool)
		}
	}
	return ts
}

// Owner names whose tool it is: "forge", a server, or empty where there is none of
// this name.
func (r *Registry) Owner(name string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if i, ok := r.byName[name]; ok {
		return r.tools[i].owner
	}
	return ""
}

// Names returns the names of the active tools, sorted.
func (r *Registry) Names() []string {
	var names []string
	for _, t := range r.active() {
		names = append(names, t.Spec().Name)
	}
	sort.Strings(names)
	return names
}

// Search returns at most n deferred tools whose name or description has every
// word of query, those with a word in the name first. Loaded ones are among them: a
// model may have forgotten what it was told of them.
func (r *Registry) Search(query string, n int) []Spec {
	words := strings.Fields(strings.ToLower(query))
	r.mu.RLock()
	defer r.mu.RUnlock()
	var named, described []Spec
	for _, e := range r.tools {
		if e.active || e.off {
			continue
		}
		name, text := strings.ToLower(e.spec.Name), strings.ToLower(e.spec.Description)
		all, inName := true, false
		for _, w := range words {
			all = all && (strings.Contains(name, w) || strings.Contains(text, w))
			inName = inName || strings.Contains(name, w)
		}
		switch {
		case !all:
		case inName:
			named = append(named, e.spec)
		default:
			described = append(described, e.spec)
		}
	}
	found := append(named, described...)
	return found[:min(max(n, 0), len(found))]
}

// Load lets deferred tools be called. The list the model is sent stays as it is, to
// the byte: a change in it would cost the prompt cache of all that follows it. Unknown
// names are left out.
func (r *Registry) Load(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		if i, ok := r.byName[name]; ok && !r.tools[i].active {
			r.tools[i].loaded = true
		}
	}
}

// Subset returns a registry of its own that holds the named active tools.
func (r *Registry) Subset(names ...string) *Registry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	sub := &Registry{keep: r.keep}
	var es []entry
	for _, e := range r.tools {
		if e.active && slices.Contains(names, e.spec.Name) {
			es = append(es, e)
		}
	}
	sub.replace(es)
	return sub
}

// Listed is a tool as a person sees it.
type Listed struct {
	Owner    string
	Spec     Spec
	Deferred bool // found by Search
	Off      bool
}

// List returns every tool, in the order they were added, those that are off included.
func (r *Registry) List() []Listed {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []Listed
	for _, e := range r.tools {
		out = append(out, Listed{e.owner, e.spec, !e.active, e.off})
	}
	return out
}

// Switch turns a tool off, or on again: one that is off is in no request, is not
// found and cannot be called. It stays so when its owner sets its tools anew.
func (r *Registry) Switch(name string, on bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.byName[name]
	if !ok {
		return fmt.Errorf("switch %s: there is no such tool", name)
	}
	if on && r.barred(r.tools[i]) {
		return fmt.Errorf("%s was left out when forge was started (--tools, --deny-tools)", name)
	}
	r.tools[i].off = !on
	return nil
}

// Narrow switches off, for good, what keep says no to: of the tools that are there and
// of those that come later. Switch does not turn such a one on. keep must not call the
// registry.
func (r *Registry) Narrow(keep func(owner, name string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep = keep
	r.replace(r.tools)
}

func (r *Registry) barred(e entry) bool { return r.keep != nil && !r.keep(e.owner, e.spec.Name) }
