package agent

import (
	"forge/agent/session"
	"forge/provider"
)

// Totals adds up the session so far, what shortening it cost included.
func (a *Agent) Totals() Totals {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.totals
}

// count adds a call's usage and returns its price in US dollars, nil where it is
// not known.
func (a *Agent) count(u provider.Usage, turn bool) *float64 {
	cost := a.price(u)
	a.mu.Lock()
	a.totals.add(u, cost, turn)
	a.mu.Unlock()
	if a.o.Host != nil {
		a.o.Host.bears(u, cost, turn)
	}
	return cost
}

// price is what usage costs in US dollars, nil where it is not known.
func (a *Agent) price(u provider.Usage) *float64 {
	if u.Cost > 0 || u.Reported && a.o.Model.Price.Known {
		c := a.o.Model.Cost(u)
		return &c
	}
	return nil
}

func (t *Totals) add(u provider.Usage, cost *float64, turn bool) {
	if turn {
		t.Turns++
	}
	t.Usage = t.Usage.Add(u)
	if cost != nil {
		t.Cost += *cost
		t.priced = true
	} else if u.Reported { // a call that failed before it counted anything cost nothing
		t.unpriced = true
	}
	t.CostKnown = t.priced && !t.unpriced
}

func storedTotals(rs []session.Record) Totals {
	var t Totals
	children := func(r session.Record) {
		for _, c := range r.Calls {
			if c.Child != nil && c.Child.Usage != nil && r.Early == nil { // the same call stands in its message again
				t.add(*c.Child.Usage, childCost(*c.Child), false)
			}
		}
	}
	for _, r := range session.Owed(rs) {
		children(r)
	}
	for _, r := range rs {
		children(r)
		switch {
		case r.Message != nil && r.Message.Role == provider.Assistant:
			t.add(r.Message.Usage, r.Cost, true)
		case r.Aside != nil && r.Aside.Usage != nil:
			t.add(*r.Aside.Usage, r.Aside.Cost, false)
		case r.Cut != nil && r.Cut.Usage != nil:
			t.add(*r.Cut.Usage, r.Cut.Cost, false)
		}
	}
	return t
}
