package agent

import (
	"forge/provider"
)

// Use is one model call of the conversation.
type Use struct {
	Model      string // provider/id, as far as it was noted
	Usage      provider.Usage
	Cost       *float64 // US dollars; nil: the price is not known
	Compaction bool
}

// Uses lists the model calls of the conversation, the oldest first, those of other
// forges that had it before included. What a cut took away is read from its file.
func (a *Agent) Uses() ([]Use, error) {
	rs, err := a.history.all()
	if err != nil {
		return nil, err
	}
	var out []Use
	model := ""
	for _, r := range rs {
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
	return out, nil
}
