package mcp

import (
	"cmp"
	"fmt"

	"forge/sorting"
	"forge/tools"
)

// budget is how many tokens definitions may take before they are deferred.
func (m *Manager) budget() int { return int(float64(m.o.Window) * m.o.Share) }

// plan decides whose definitions every request carries and whose are found with
// find_tools: all are carried if they fit into the budget, else the largest servers
// are deferred until the rest fits. It does not matter which was ready first, so that
// the same servers give the same requests in another session. What a model has been
// sent stays: taking it back would cost more than it saves.
func (m *Manager) plan() {
	m.planning.Lock()
	defer m.planning.Unlock()
	left := m.budget()
	type candidate struct {
		s    *server
		cost int
	}
	var open []candidate
	for _, s := range m.fleet.Load().all {
		s.mu.Lock()
		switch {
		case len(s.want) == 0:
			s.deferred = s.cfg.Defer != nil && *s.cfg.Defer
		case s.cfg.Defer != nil:
			s.deferred = *s.cfg.Defer
		case !s.sent:
			open = append(open, candidate{s, s.cost})
		}
		if (s.sent || s.cfg.Defer != nil) && !s.deferred {
			left -= s.cost
		}
		s.mu.Unlock()
	}
	sorting.StableBy(open, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	for _, c := range open {
		c.s.mu.Lock()
		c.s.deferred = c.cost > left
		c.s.mu.Unlock()
		if c.cost <= left {
			left -= c.cost
		}
	}
}

// turn is what happens between two turns of the model: what servers offer now is
// taken over, and lists that are no longer fresh are asked for again, to be taken
// over at a later one. It does not wait for anybody.
func (m *Manager) turn() {
	m.plan()
	m.turning.Lock()
	defer m.turning.Unlock()
	var later []tools.Spec // deferred, and not told of yet
	fleet := m.fleet.Load()
	m.forget(fleet)
	for _, s := range fleet.all {
		s.mu.Lock()
		want, deferred, changed := s.want, s.deferred, s.dirty
		s.dirty, s.sent = false, len(want) > 0
		s.mu.Unlock()
		if changed && m.o.Registry != nil {
			if err := m.o.Registry.Set("mcp:"+s.name, want, deferred); err != nil {
				s.mu.Lock()
				s.notes = append(s.notes, err.Error())
				s.mu.Unlock()
				s.log.printf("forge: %v", err)
			}
		}
		if deferred {
			for _, t := range want {
				if spec := t.Spec(); !m.listed[spec.Name] {
					later = append(later, spec)
				}
			}
		}
		s.freshen()
	}
	m.list(later)
}

// list tells the model the names of deferred tools: the first ones in the description
// of find_tools, later ones by a note, since the description must stay as it is.
func (m *Manager) list(specs []tools.Spec) {
	if len(specs) == 0 || m.o.Registry == nil {
		return
	}
	if m.listed == nil {
		m.listed = map[string]bool{}
		names := catalogue(specs, m.budget())
		if err := m.o.Registry.Set("mcp", []tools.Tool{finder(m.o.Registry, names), caller{m.o.Registry}}, false); err != nil {
			return // two names of ours, in a registry of ours
		}
	} else {
		m.tell(fmt.Sprintf("More tools can be found with find_tools now:\n%s", catalogue(specs, m.budget())))
	}
	for _, s := range specs {
		m.listed[s.Name] = true
	}
}

// tell has the model told something at the next turn.
func (m *Manager) tell(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news = append(m.news, text)
}

// News is what the model is to be told before the next turn, and nothing twice: tools
// that can be found since, resources that have changed since they were read. It may be called from any goroutine and does not wait.
func (m *Manager) News() []string {
	m.turn()
	m.mu.Lock()
	defer m.mu.Unlock()
	news := m.news
	m.news = nil
	return news
}
