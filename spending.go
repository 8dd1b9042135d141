package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"forge/agent"
	"forge/agent/budget"
	"forge/agent/config"
	"forge/models"
	"forge/tools"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
)

// openBudget makes the counter of what this start may spend. The demo costs nothing
// and is in no book.
func (f *forge) openBudget() {
	o := budget.Options{
		Session: allowed(f.flags.Session, f.cfg.Spend.Session), Day: allowed(f.flags.Day, f.cfg.Spend.Day),
		WarnAt: f.cfg.Spend.Warn, Project: f.hands.workspace.Root(),
	}
	if !f.flags.Demo {
		o.Book = budget.OpenBook(f.dirs.Usage())
	}
	f.budget = budget.New(o)
}

// allowed takes the limits of the flags, and those of the settings where a flag says
// nothing.
func allowed(flags budget.Amount, set config.Spending) budget.Amount {
	a := flags
	if a.USD == 0 {
		a.USD = set.USD
	}
	if a.Tokens == 0 {
		a.Tokens = set.Tokens
	}
	if a.Turns == 0 {
		a.Turns = set.Turns
	}
	if a.Time == 0 {
		a.Time = time.Duration(set.Minutes * float64(time.Minute))
	}
	return a
}

// priced looks whether a budget of money can hold: a model whose price nobody knows
// costs what it costs. A server of one's own costs nothing.
func (f *forge) priced() error {
	if !f.budget.Limited(budget.Money) || f.model.ID == "" || f.model.Price.Known || f.model.Local {
		return nil
	}
	return fmt.Errorf("the budget of money cannot hold: the price of %s is not known; set prices.input and prices.output, or limit tokens with --max-budget-tokens", f.model.ID)
}

// overBudget asks the person about a request that would cross a limit; nil where
// nobody is there.
func (f *forge) overBudget(face *face) func(context.Context, *budget.Exceeded) (agent.Allowance, error) {
	if face.turns == nil {
		return nil
	}
	return func(ctx context.Context, e *budget.Exceeded) (agent.Allowance, error) {
		title := lang.T("The next request would cross the budget of this conversation")
		if e.Scope == budget.Day {
			title = lang.T("The next request would cross the budget of today")
		}
		body := lang.T("%s of %s are spent; the next request takes about %s.", ui.Amount(e.Kind, e.Spent), ui.Amount(e.Kind, e.Limit), ui.Amount(e.Kind, e.Next))
		if e.Kind == budget.Time {
			body = lang.T("%s of %s are used up.", ui.Amount(e.Kind, e.Spent), ui.Amount(e.Kind, e.Limit))
		}
		reply, err := face.turns.Ask(ctx, tools.Question{ID: agent.BudgetQuestion, Source: "forge", Title: title, Body: body, Choices: []tools.Choice{
			{ID: string(agent.Raise), Label: lang.T("raise it to %s", ui.Amount(e.Kind, e.Raised)), Key: "y"},
			{ID: string(agent.Once), Label: lang.T("this request only"), Key: "o"},
			{ID: string(agent.Lift), Label: lang.T("no limit any more"), Key: "l"},
			{ID: "stop", Label: lang.T("stop"), Key: "n"},
		}})
		if err != nil || reply.Choice == "stop" {
			return agent.Stop, err
		}
		return agent.Allowance(reply.Choice), nil
	}
}

// mostShown is how much of a failure is shown in a question, in bytes.
const mostShown = 600

// unstick asks the person about a call that fails the same way over and over; nil
// where nobody is there.
func (f *forge) unstick(face *face) func(context.Context, agent.Stuck) (agent.Unstick, error) {
	if face.turns == nil {
		return nil
	}
	return func(ctx context.Context, s agent.Stuck) (agent.Unstick, error) {
		defer f.budget.Wait()()
		what := lang.Title(s.Title)
		if what == "" {
			what = s.Name + " " + s.Input
		}
		said := strings.TrimSpace(s.Result)
		if len(said) > mostShown {
			said = strings.ToValidUTF8(said[:mostShown], "") + " …"
		}
		q := tools.Question{ID: "stuck", Source: "forge", Title: lang.T("The same call failed the same way %d times", s.Times),
			Body: what + "\n\n" + said, Choices: []tools.Choice{
				{ID: "go", Label: lang.T("go on"), Key: "y"},
				{ID: "tell", Label: lang.T("tell the model something"), Key: "t"},
				{ID: "stop", Label: lang.T("stop"), Key: "n"},
			}}
		reply, err := face.turns.Ask(ctx, q)
		if err != nil {
			return agent.Unstick{}, err
		}
		switch reply.Choice {
		case "go":
			return agent.Unstick{GoOn: true}, nil
		case "tell":
			reply, err = face.turns.Ask(ctx, tools.Question{ID: "stuck-words", Source: "forge", Title: lang.T("What shall the model know?"),
				Fields:  []tools.Field{{Name: "words", Label: lang.T("Your words"), Required: true}},
				Choices: []tools.Choice{{ID: "send", Label: lang.T("send")}}})
			if words := strings.TrimSpace(reply.Values["words"]); err == nil && reply.Choice == "send" && words != "" {
				return agent.Unstick{GoOn: true, Tell: words}, nil
			}
		}
		return agent.Unstick{}, err
	}
}

// checkPrice refuses, or tells, that a budget of money cannot hold.
func (f *forge) checkPrice() error {
	err := f.priced()
	switch m := f.model; {
	case err == nil && f.budget.Limited(budget.Money) && m.Local && !m.Price.Known && models.Unnamed(m.Provider):
		// A proxy to somebody who charges looks like a server of one's own.
		f.tell(lang.T("the budget of money takes %s for a model of this machine that costs nothing: if it is a paid one behind a proxy, set prices.input and prices.output", m.ID))
	case err == nil:
	case f.flags.Headless:
		return cli.Usage{Err: err}
	default:
		f.tell(lang.T("the budget of money cannot hold: the price of %s is not known; the limits of tokens, turns and time do", f.model.ID))
	}
	return nil
}
