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
// starts forge again: nothing that would still ask, and no mode that is laxer than a
// policy lets it be. strictest is that policy's; empty: there is none.
func (r Request) Way(strictest Mode) string {
	allows := func(m Mode) bool { return Stricter(m, strictest) == m }
	yolo := allows(ModeYolo)
	small := r.Effect.Kind == tools.Write && r.Level == Low
	switch {
	case r.Rule != "" && yolo:
		return "--yolo, or without the rule " + r.Rule
	case r.Rule != "":
		return "settings without the rule " + r.Rule
	case r.Level >= High, r.Effect.Escape != tools.Confined:
		if !yolo {
			return "another policy of this machine: it lets nobody have --yolo, and this is " + r.Level.String()
		}
		return "--yolo, which asks nothing: this is " + r.Level.String()
	case small && yolo:
		return "--mode edits, a rule in the settings, or --yolo"
	case small && allows(ModeEdits):
		return "--mode edits, or a rule in the settings"
	case !small && r.Effect.Kind != tools.Unknown && yolo:
		return "--mode auto, a rule in the settings, or --yolo"
	case !small && r.Effect.Kind != tools.Unknown && allows(ModeAuto):
		return "--mode auto, or a rule in the settings"
	case yolo:
		return "a rule in the settings, or --yolo"
	}
	return "a rule in the settings"
}
