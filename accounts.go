package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"forge/agent"
	"forge/agent/budget"
	"forge/agent/config"
	"forge/agent/session"
	"forge/provider"
	"forge/provider/demo"
	"forge/sorting"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// ledger joins what the conversation holds and costs to the screen's panels of it.
func (f *forge) ledger() *ui.Ledger {
	return &ui.Ledger{Window: f.window, Act: f.actOn, Usage: f.usage, Text: f.agent.TextOf}
}

func (f *forge) window() ledger.Window {
	w := f.agent.Window()
	out := ledger.Window{Tokens: w.Tokens, Limit: w.Limit, Size: w.Size, CostKnown: w.CostKnown}
	out.Turns, out.Costs = f.turns.look(f.agent)
	for _, e := range w.Entries {
		out.Items = append(out.Items, ledger.Item{ID: e.ID, Group: string(e.Group), Kind: e.Kind, Owner: e.Owner, Name: e.Name, About: e.About, Of: e.Of,
			Tokens: e.Tokens, Age: e.Age, Cost: e.Cost, Pinned: e.Pinned, Dropped: e.Dropped, Collapsed: e.Collapsed, Edited: e.Edited, Fixed: e.Fixed, Short: e.Short, Whole: e.Whole})
	}
	return out
}

// actOn does what was asked for in the panel of the window.
func (f *forge) actOn(a ledger.Action) error {
	switch err := f.change(a); {
	case errors.Is(err, agent.ErrShort):
		return errors.New(lang.T("that is too short to save anything"))
	case errors.Is(err, agent.ErrNoItem):
		return errors.New(lang.T("that is not in the window any more"))
	default:
		return err
	}
}

func (f *forge) change(a ledger.Action) error {
	switch a.Want {
	case ledger.Drop:
		return f.agent.Drop(a.ID)
	case ledger.Collapse:
		return f.agent.Collapse(a.ID)
	case ledger.Restore:
		return f.agent.Restore(a.ID)
	}
	return f.agent.Pin(a.ID, a.Want == ledger.Pin)
}

func (f *forge) usage() ledger.Usage {
	u := ledger.Usage{Demo: f.flags.Demo}
	uses, err := f.agent.Uses()
	if err != nil {
		u.Trouble = err.Error()
	}
	at := map[string]int{}
	u.Tokens, u.Costs = eachTurn(uses)
	for _, use := range uses {
		name := use.Model
		if use.Agent != "" {
			name = lang.T("sub-agent %s", use.Agent)
		}
		i, ok := at[name]
		if !ok {
			i = len(u.Models)
			at[name] = i
			u.Models = append(u.Models, ledger.Sum{Name: name})
		}
		add(&u.Session, use)
		add(&u.Models[i], use)
	}
	for _, use := range f.agent.Besides() {
		s := ledger.Sum{Name: cli.Purpose(use.Beside)}
		add(&s, use)
		add(&u.Session, use)
		u.Models = append(u.Models, s)
	}
	t := f.agent.Totals()
	u.Missed, u.MissedCost = t.Missed, t.MissedCost
	u.Session.USD, u.Session.Input, u.Session.Output, u.Session.CacheRead = t.Cost, t.Usage.Input, t.Usage.Output, t.Usage.CacheRead // as in the status line
	if spent, _ := f.budget.Spent(); spent.Time > 0 {
		u.Work = ui.Amount(budget.Time, spent.Time.Seconds())
	}
	for _, l := range f.budget.Levels() {
		u.Levels = append(u.Levels, ledger.Level{Name: levelName(l), Spent: ui.Amount(l.Kind, l.Spent), Limit: ui.Amount(l.Kind, l.Limit), Share: l.Share()})
	}
	w := f.agent.Window()
	u.Used, u.Size, u.Limit = w.Tokens, w.Size, w.Limit
	if f.flags.Demo {
		return u
	}
	y, m, d := time.Now().Date()
	calls, err := spentSince(f.dirs, time.Date(y, m, d, 0, 0, 0, 0, time.Local))
	if u.TodayKnown = err == nil; err != nil {
		u.Trouble = err.Error()
	}
	var sum budget.Sum
	for _, c := range calls {
		sum.Add(c)
	}
	u.Today = ledger.Sum{Calls: sum.Calls, USD: sum.USD, Unpriced: sum.Unpriced, Input: sum.Input, Output: sum.Output, CacheRead: sum.CacheRead}
	return u
}

// turns remembers what each turn took: it stands in the whole record, which is read anew
// only once another has been used.
type turns struct {
	mu            sync.Mutex
	of            provider.Usage
	tokens, costs []float64
}

func (t *turns) look(a *agent.Agent) (tokens, costs []float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := a.Totals().Usage; t.tokens == nil || now != t.of {
		uses, err := a.Uses()
		if err != nil {
			return nil, nil // the panel of usage says why
		}
		t.of = now
		t.tokens, t.costs = eachTurn(uses)
	}
	return t.tokens, t.costs
}

// eachTurn is the tokens of each turn of the conversation, and what it cost; no costs
// where no price is known.
func eachTurn(uses []agent.Use) (tokens, costs []float64) {
	priced := false
	for _, use := range uses {
		if use.Compaction || use.Agent != "" { // no turn of the conversation
			continue
		}
		tokens = append(tokens, float64(use.Usage.Input+use.Usage.Output))
		cost := 0.0
		if use.Cost != nil {
			cost, priced = *use.Cost, true
		}
		costs = append(costs, cost)
	}
	if !priced {
		costs = nil
	}
	return tokens, costs
}

func add(s *ledger.Sum, u agent.Use) {
	calls := max(1, u.Calls)
	s.Calls += calls
	switch {
	case u.Cost == nil:
		s.Unpriced += calls
	default:
		s.USD += *u.Cost
		s.Unpriced += u.Unpriced
	}
	s.Input += u.Usage.Input
	s.Output += u.Usage.Output
	s.CacheRead += u.Usage.CacheRead
}

// levelName says whose limit of what it is, in a few letters.
func levelName(l budget.Level) string {
	kind := map[budget.Kind]string{budget.Money: lang.T("money"), budget.Tokens: lang.T("tokens"), budget.Turns: lang.T("turns"), budget.Time: lang.T("time")}[l.Kind]
	if l.Scope == budget.Day {
		return fmt.Sprintf("%s, %s", kind, lang.T("today"))
	}
	return kind
}

// spent reads the model calls that this person's forges made since a time.
func spent(since time.Time) ([]budget.Call, error) {
	dirs, err := config.Paths()
	if err != nil {
		return nil, err
	}
	return spentSince(dirs, since)
}

// spentSince is what the book has, and what killed forges had on the way: that comes
// into the book only once its conversation is gone on with.
func spentSince(dirs config.Dirs, since time.Time) ([]budget.Call, error) {
	calls, err := budget.OpenBook(dirs.Usage()).Calls(since)
	for _, c := range session.CutOffs(dirs.Sessions(), since) { // behind the book: what is settled meanwhile is not counted twice
		if c.Model.Provider == demo.Model().Provider { // it is in no book
			continue
		}
		call := budget.Call{When: c.When, Session: c.ID, Project: c.Cwd, Provider: c.Model.Provider, Model: c.Model.ID, Input: c.Open.Tokens}
		if c.Open.USD > 0 {
			call.USD = &c.Open.USD
		}
		if c.Open.Turns == 0 {
			call.For = budget.ForCompaction
		}
		calls = append(calls, call)
	}
	sorting.StableBy(calls, func(a, b budget.Call) int { return a.When.Compare(b.When) })
	return calls, err
}
