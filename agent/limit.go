package agent

import (
	"context"
	"fmt"

	"forge/tools"
)

// DefaultTurns is after how many model calls a run asks, or ends where nobody can be
// asked. Ordinary tasks take a few dozen; the same failure over and over is noticed long
// before.
const DefaultTurns = 100

// moreTurns is what one "go on" allows; anybody who looks away for longer says
// "no limit".
const moreTurns = 25

// mayGoOn asks at the turn limit whether to go on.
func (r *run) mayGoOn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.limit <= 0 || r.turns < r.limit {
		return nil
	}
	if r.o.Asker == nil {
		return ErrTurnLimit
	}
	reply, err := r.o.Asker.Ask(ctx, tools.Question{
		ID:     fmt.Sprintf("turn-limit-%d", r.turns),
		Source: "forge",
		Title:  turned(r.turns),
		Body:   "The agent has called the model this often for one prompt. It may be on a long task, or going round in circles.",
		Choices: []tools.Choice{
			{ID: "more", Label: fmt.Sprintf("%d more", moreTurns), Key: "y"},
			{ID: "any", Label: "no limit", Key: "l"},
			{ID: "stop", Label: "stop", Key: "n"}, // as everywhere: n is no
		},
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrTurnLimit, err)
	}
	switch reply.Choice {
	case "more":
		r.limit = r.turns + moreTurns
	case "any":
		r.limit = 0
	default:
		return ErrTurnLimit
	}
	return nil
}

func turned(n int) string {
	if n == 1 {
		return "1 turn and no end yet"
	}
	return fmt.Sprintf("%d turns and no end yet", n)
}
