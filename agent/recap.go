package agent

import (
	"context"
	"errors"
	"strings"

	"forge/agent/budget"
	"forge/provider"
)

// What is asked beside the work in the person's place.
const (
	recapQuestion   = "The user comes back to this conversation. Say in at most six short lines what they wanted, what was done, and what is still open or waits for them. Plain text: no heading, no code. Write in the language the user writes in."
	nameQuestion    = "What would you call this conversation? Answer with one line of at most six words that says what it is about, in the language the user writes in: the name alone, without quotes and without a full stop."
	suggestQuestion = "What will the user most likely ask for next? Answer with that prompt alone, as the user would write it to you: one line of at most twelve words, in the language the user writes in, without quotes. If nothing obvious comes next, answer with a single dash."
)

// Errors of what is asked about a whole conversation.
var (
	ErrNothingAsked = errors.New("nothing was asked in this conversation yet")
	ErrAnotherNow   = errors.New("another conversation was opened meanwhile; ask again in the one you mean")
)

// mostSuggested is how much of an answer to suggestQuestion is listened to, in bytes: what
// is longer is no short prompt, and costs more with each word.
const mostSuggested = 600

// Recap asks the model what was done in the conversation and what is open, as Ask does,
// with Ask's errors; ErrNothingAsked where there is nothing to tell of, ErrAnotherNow where
// the answer is about a conversation that is closed by now.
func (a *Agent) Recap(ctx context.Context) (string, error) {
	return a.tell(ctx, budget.ForRecap, recapQuestion, nil)
}

// MakeName asks the model what the conversation might be called, as Recap does. What it
// answers is as the model wrote it.
func (a *Agent) MakeName(ctx context.Context) (string, error) {
	return a.tell(ctx, budget.ForName, nameQuestion, nil)
}

// Suggest asks the model what the person may ask for next, as Recap does. What it answers
// is as the model wrote it; one that goes on and on is ended, with context.Canceled.
func (a *Agent) Suggest(ctx context.Context) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	said := 0
	text, err := a.tell(ctx, budget.ForSuggestion, suggestQuestion, func(text string) {
		if said += len(text); said > mostSuggested {
			cancel()
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	return text, err
}

// tell is the whole answer to a question beside the work, without its reasoning. hear is
// told of it piece by piece; nil: nobody is.
func (a *Agent) tell(ctx context.Context, purpose, question string, hear func(text string)) (string, error) {
	if len(a.history.view()) == 0 {
		return "", ErrNothingAsked
	}
	was := a.looked().session
	var said strings.Builder
	err := a.ask(ctx, purpose, question, func(text string) {
		said.WriteString(text)
		if hear != nil {
			hear(text)
		}
	})
	if err != nil {
		return "", err
	}
	if a.looked().session != was {
		return "", ErrAnotherNow
	}
	_, text, _ := provider.SplitThink(said.String())
	if text = strings.TrimSpace(text); text == "" {
		return "", ErrEmpty
	}
	return text, nil
}

// looked is what a run works with, as whoever asks beside it sees that.
func (a *Agent) looked() outlook {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen
}
