package agent

import (
	"cmp"
	"slices"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/provider"
)

// Use is one model call of the conversation, or all those of one sub-agent.
type Use struct {
	Model      string // provider/id, as far as it was noted
	Usage      provider.Usage
	Cost       *float64 // US dollars; nil: the price is not known
	Compaction bool
	Agent      string // the sub-agent whose calls these are, its own agents' included; empty: the conversation's
	Calls      int    // how many of its; 0: one
	Beside     string // what was asked beside the work, one of budget's words; empty: it is none of that
	Unpriced   int    // of Calls, those without a known price; only of what was asked beside
}

// Uses lists the model calls of the conversation, the oldest first, those of other
// forges that had it before, and those of its sub-agents included;
// questions beside it are in Besides. What a cut took away is read from its file.
func (a *Agent) Uses() ([]Use, error) {
	rs, err := a.history.all()
	if err != nil {
		return nil, err
	}
	var out []Use
	model := ""
	children := func(r session.Record) {
		for _, c := range r.Calls {
			if c.Child != nil && c.Child.Usage != nil && r.Early == nil { // the same call stands in its message again
				out = append(out, Use{Model: model, Usage: *c.Child.Usage, Cost: childCost(*c.Child), Agent: cmp.Or(c.Child.Agent, "agent"), Calls: c.Child.Turns})
			}
		}
	}
	for _, r := range rs {
		children(r)
		switch {
		case r.Model != nil:
			model = r.Model.ID
			if r.Model.Provider != "" {
				model = r.Model.Provider + "/" + model
			}
		case r.Message != nil && r.Message.Role == provider.Assistant:
			out = append(out, Use{Model: model, Usage: r.Message.Usage, Cost: r.Cost})
		case r.Cut != nil && r.Cut.Usage != nil:
			out = append(out, Use{Model: model, Usage: *r.Cut.Usage, Cost: r.Cut.Cost, Compaction: true})
		}
	}
	for _, r := range session.Owed(rs) {
		children(r)
	}
	return out, nil
}

// Besides is what was asked beside the conversation, added up by what it was for, in the
// order in which each was asked first.
func (a *Agent) Besides() []Use {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.besides)
}

// countBeside adds a question beside the work to its like.
func countBeside(all []Use, purpose string, u provider.Usage, cost *float64) []Use {
	i := slices.IndexFunc(all, func(b Use) bool { return b.Beside == purpose })
	if i < 0 {
		i = len(all)
		all = append(all, Use{Beside: purpose})
	}
	b := &all[i]
	b.Calls++
	b.Usage = b.Usage.Add(u)
	sum := 0.0
	switch {
	case cost == nil:
		b.Unpriced++
		return all
	case b.Cost != nil:
		sum = *b.Cost
	}
	sum += *cost
	b.Cost = &sum
	return all
}

// storedBesides is that of a conversation that is gone on with.
func storedBesides(rs []session.Record) (all []Use) {
	for _, r := range rs {
		if r.Aside != nil && r.Aside.Usage != nil {
			all = countBeside(all, cmp.Or(r.Aside.For, budget.ForBtw), *r.Aside.Usage, r.Aside.Cost)
		}
	}
	return all
}
