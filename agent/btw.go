package agent

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// btwMark opens a question beside the work. Who plays a script in a model's place
// knows such a request by it.
const btwMark = "[a question beside the work]\n" +
	"The user asks this while the work above goes on by itself. Answer in words, from this conversation alone: no tool can be called, and nothing of it is kept in the conversation.\n\n"

// Errors of a question beside the work.
var (
	ErrNoQuestion = errors.New("the question is empty; write it behind /btw")
	ErrWantsTools = errors.New("the model wanted to look something up; ask it as a prompt")
)

// Ask puts a question beside the work: the model sees the conversation as it is, and
// the conversation does not see the question. say hears the answer as it comes, from
// the caller's goroutine. It may be called from any goroutine at any time, during a
// run too; its cost is the conversation's, and a budget that would be crossed is an
// error.
func (a *Agent) Ask(ctx context.Context, question string, say func(delta string)) error {
	return a.ask(ctx, budget.ForBtw, question, say)
}

// ask is Ask, booked under what it is for.
func (a *Agent) ask(ctx context.Context, purpose, question string, say func(delta string)) error {
	question = strings.TrimSpace(clean(question))
	if question == "" {
		return ErrNoQuestion
	}
	if a.o.Veil != nil && !a.o.SendAsIs {
		question, _ = a.o.Veil.Mask(question)
	}
	o := a.looked()
	if o.provider == nil {
		return ErrNoModel
	}
	// The same beginning as the run's own requests, tools included: the server has it in
	// its cache, and some take no history of calls without them.
	if o.tools == nil && a.o.Exec != nil && !o.model.NoTools {
		for _, t := range a.o.Exec.Tools.Active() {
			o.tools = append(o.tools, provider.ToolSpec(t.Spec()))
		}
	}
	messages := append(a.history.view(), provider.UserText(btwMark+question))
	if o.model.Blind { // as in a run's own requests
		messages = session.Unseen(messages, "this model cannot see")
	}
	sent := compact.Count(o.system)
	for _, m := range messages {
		sent += compact.Weigh(m)
	}
	release, err := a.reserve(o.model, sent)
	if err != nil {
		return err
	}
	defer release()
	m, err := provider.Collect(o.provider.Stream(ctx, provider.Request{Model: o.model.ID, System: o.system, Messages: messages,
		Tools: o.tools, MaxTokens: o.maxTokens, Effort: o.effort}), func(e provider.Event) {
		if e, ok := e.(provider.TextDelta); ok && say != nil {
			say(e.Text)
		}
	})
	a.asked(o, purpose, question, m, sent)
	switch {
	case err != nil:
		return err
	case strings.TrimSpace(m.PlainText()) == "" && len(m.ToolUses()) > 0:
		return ErrWantsTools
	case strings.TrimSpace(m.PlainText()) == "":
		return ErrEmpty
	}
	return nil
}

// reserve asks the budget; nobody is asked whether to go over it.
func (a *Agent) reserve(m provider.Model, sent int) (release func(), err error) {
	if a.o.Budget == nil {
		return func() {}, nil
	}
	next := budget.Amount{USD: m.Cost(provider.Usage{Input: sent, Output: usualOutput}), Tokens: sent + usualOutput} // it is no turn
	release, crossed := a.o.Budget.Reserve(next)
	if crossed != nil {
		return nil, crossed
	}
	return release, nil
}

// asked counts what a question beside the work used, and keeps it where the
// conversation is kept.
func (a *Agent) asked(o outlook, purpose, question string, m provider.Message, sent int) {
	u := m.Usage
	if !u.Reported && u.Cost == 0 && len(m.Blocks) == 0 {
		return
	}
	var cost *float64
	if u.Cost > 0 || u.Reported && o.model.Price.Known {
		c := o.model.Cost(u)
		cost = &c
	}
	a.bears(u, cost)
	a.mu.Lock()
	a.besides = countBeside(slices.Clone(a.besides), purpose, u, cost)
	a.mu.Unlock()
	kept := &session.Aside{Question: question, Answer: a.masked(m.PlainText()), Usage: &u, Cost: cost}
	if purpose != budget.ForBtw {
		kept.For = purpose
	}
	a.history.beside(session.Record{Aside: kept})
	b := a.o.Budget
	if b == nil {
		return
	}
	call := budget.Call{Provider: o.model.Provider, Model: o.model.ID, For: purpose, USD: cost,
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
	if !u.Reported {
		call.Input, call.Output = sent, compact.Weigh(m)
	}
	if o.session != nil {
		call.Session = o.session.ID()
	}
	if err := b.Took(call); err != nil {
		slog.Warn("usage not kept", "err", err)
	}
}
