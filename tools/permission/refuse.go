package permission

import "context"

// Refuse is the Asker of a run nobody watches: it answers no, and why.
type Refuse struct{ Why string }

// Ask implements Asker.
func (r Refuse) Ask(context.Context, Request) (Answer, error) {
	why := r.Why
	if why == "" {
		why = "this needs a permission and nobody is there to be asked; go on without it and say what was left out"
	}
	return Answer{Reason: why, Unattended: true}, nil
}
