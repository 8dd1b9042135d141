package agent

import (
	"cmp"

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
}

// Uses lists the model calls of the conversation, the oldest first, those of other
// forges that had it before, and those of its sub-agents included;
// questions beside it are in Totals alone. What a cut took away is read from its file.
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
