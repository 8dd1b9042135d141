package permission

import (
	"context"

	"forge/tools"
)

// Refuse is the Asker of a run nobody watches: it answers no, and why.
type Refuse struct {
	Why   string
	Asked func(Request) // hears of every question, from the goroutines of calls; nil: nobody does
}

// Ask implements Asker.
func (r Refuse) Ask(_ context.Context, q Request) (Answer, error) {
	if r.Asked != nil {
		r.Asked(q)
	}
	why := r.Why
	if why == "" {
		why = "this needs a permission and nobody is there to be asked; go on without it and say what was left out"
	}
	return Answer{Reason: why, Unattended: true}, nil
}

// Way names what would have let the call run without this question, for whoever
// starts forge again: nothing that would still ask.
func (r Request) Way() string {
	switch {
	case r.Rule != "":
		return "--yolo, or without the rule " + r.Rule
	case r.Level >= High, r.Effect.Escape != tools.Confined:
		return "--yolo, which asks nothing: this is " + r.Level.String()
	case r.Effect.Kind == tools.Write && r.Level == Low:
		return "--mode edits, a rule in the settings, or --yolo"
	case r.Effect.Kind == tools.Unknown:
		return "a rule in the settings, or --yolo"
	}
	return "--mode auto, a rule in the settings, or --yolo"
}
