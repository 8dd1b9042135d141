package agent

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// Allowance is what a person says to a request that would cross a budget. The zero
// value ends the run.
type Allowance string

// The answers.
const (
	Stop  Allowance = ""
	Raise Allowance = "raise" // the limit, by as much as it was
	Once  Allowance = "once"  // this request alone
	Lift  Allowance = "lift"  // no limit any more
)

// WaitLock is what a run waits for while another forge writes the record of what was
// spent; slowLock how long that may take before it is told.
const (
	WaitLock = "lock"
	slowLock = 300 * time.Millisecond
)

// BudgetQuestion is the ID of the question that OverBudget puts to the person.
const BudgetQuestion = "budget"

// usualOutput is how long an answer is thought to be before there was one, in
// tokens.
const usualOutput = 500

// afford asks the budget whether a request may be made, and the person where it may
// not. release says that the request is over and counted. What it is thought to take
// is noted before it is made: forge may be killed while it is on.
func (r *run) afford(ctx context.Context, next budget.Amount) (release func(), err error) {
	b := r.o.Budget
	if b == nil {
		return func() {}, nil
	}
	r.settle()
	release, crossed := b.Reserve(next)
	if crossed == nil {
		r.noteSpent()
		return release, nil
	}
	done := b.Alone(ctx.Done()) // another agent of this budget may be asking
	if done == nil {
		return nil, ctx.Err()
	}
	defer done()
	for {
		if release, crossed = b.Reserve(next); crossed == nil {
			r.noteSpent()
			return release, nil
		}
		if r.o.OverBudget == nil {
			return nil, crossed
		}
		resume := b.Wait()
		answer, err := r.o.OverBudget(ctx, crossed)
		resume()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return nil, errors.Join(crossed, err)
		}
		switch answer {
		case Raise:
			b.Raise(crossed)
			r.noteSpent()
		case Once:
			b.Once()
		case Lift:
			b.Lift(crossed)
		default:
			return nil, crossed
		}
	}
}

// expected is what a request of about this many tokens will take, as far as can be
// told before it is made: an answer like the last ones, and a cache that holds what
// it held.
func (r *run) expected(tokens int) budget.Amount {
	out := r.usual
	if out == 0 {
		out = usualOutput
	}
	if r.o.MaxTokens > 0 {
		out = min(out, r.o.MaxTokens)
	}
	u := provider.Usage{Input: tokens, Output: out, CacheRead: r.cache.holds(r.o.Model.ID, tokens, time.Now())}
	return budget.Amount{USD: r.o.Model.Cost(u), Tokens: tokens + out, Turns: 1}
}

// holds is how much of the next request a server's cache should have.
func (c *cache) holds(model string, tokens int, now time.Time) int {
	if !c.works || c.last == nil || c.last.Model != model || c.own != "" || now.Sub(c.at) >= cacheLife {
		return 0
	}
	return min(c.input, tokens)
}

// settle writes into the book what a crash cut off in this conversation, and notes that
// it has: also where nothing more may be spent.
func (r *run) settle() {
	if r.o.Lent {
		return
	}
	call := budget.Call{Provider: r.o.Model.Provider, Model: r.o.Model.ID}
	if s := r.o.Session; s != nil {
		call.Session = s.ID()
	}
	if r.o.Model.Price.Known {
		call.USD = new(float64)
	}
	did, err := r.o.Budget.Settle(call)
	if err != nil {
		r.unbooked(err)
	}
	if did {
		r.noteSpent()
	}
}

func (r *run) unbooked(err error) {
	slog.Warn("usage not kept", "err", err)
	r.once(err.Error() + "; the budget of this conversation holds all the same, that of the day forgets at the end")
}

// took counts what a call used up, and releases what was reserved for it. A server that counts nothing, and an answer that
// was cut off before it was counted, are counted by forge.
func (r *run) took(u provider.Usage, cost *float64, purpose string, sent int, m provider.Message, release func()) {
	if u.Output > 0 && purpose == "" {
		r.Agent.usual = (3*max(r.usual, u.Output) + u.Output) / 4
	}
	b := r.o.Budget
	if b == nil {
		return
	}
	if !u.Reported && u.Cost == 0 {
		if len(m.Blocks) == 0 {
			release()
			r.noteSpent()
			return
		}
		u = provider.Usage{Input: sent, Output: compact.Weigh(m)}
		if r.o.Model.Price.Known {
			c := r.o.Model.Cost(u)
			cost = &c
		}
	}
	call := budget.Call{Provider: r.o.Model.Provider, Model: r.o.Model.ID, For: purpose, USD: cost,
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
	if s := r.o.Session; s != nil {
		call.Session = s.ID()
	}
	slow := time.AfterFunc(slowLock, func() { r.emit(Waiting{For: WaitLock}) })
	err := b.Took(call)
	release()
	if !slow.Stop() {
		r.emit(Waiting{})
	}
	if err != nil {
		r.unbooked(err)
	}
	r.noteSpent()
	for _, l := range b.Warnings() {
		r.emit(BudgetWarned{l})
	}
}

// noteSpent keeps what was spent so far, for whoever resumes the conversation. A
// sub-agent's is its parent's to keep, at once: forge may be killed before the
// sub-agent has reported.
func (r *run) noteSpent() {
	if r.o.Lent {
		if h := r.o.Host; h != nil {
			h.run.noteSpent()
		}
		return
	}
	r.noting.Lock() // the last note holds: none may come after a newer one
	defer r.noting.Unlock()
	spent, raised, open := r.o.Budget.Standing()
	s := session.Spent{Amount: stored(spent)}
	if open.Tokens > 0 {
		a := stored(open)
		s.Open = &a
	}
	if raised != (budget.Amount{}) {
		a := stored(raised)
		s.Raised = &a
	}
	r.history.beside(session.Record{Spent: &s})
}

func stored(a budget.Amount) session.Amount {
	return session.Amount{USD: a.USD, Tokens: a.Tokens, Turns: a.Turns, Millis: a.Time.Milliseconds()}
}

func amount(a session.Amount) budget.Amount {
	return budget.Amount{USD: a.USD, Tokens: a.Tokens, Turns: a.Turns, Time: time.Duration(a.Millis) * time.Millisecond}
}

// beginBudget goes on with what a stored conversation spent: what it noted, or what
// its messages say where a crash came before the note.
func (a *Agent) beginBudget(rs []session.Record, t Totals) {
	if a.o.Budget == nil || a.o.Lent {
		return
	}
	last := session.LastSpent(rs)
	spent, raised, broken := amount(last.Amount), budget.Amount{}, budget.Amount{}
	if last.Raised != nil {
		raised = amount(*last.Raised)
	}
	if last.Open != nil {
		broken = amount(*last.Open)
	}
	// Of what was cut off the messages may tell a part too.
	spent.USD = max(spent.USD, t.Cost-broken.USD)
	spent.Tokens = max(spent.Tokens, t.Usage.Input+t.Usage.Output-broken.Tokens)
	spent.Turns = max(spent.Turns, t.Turns-broken.Turns)
	a.o.Budget.Begin(spent, raised, broken)
}

// work lets the budget's clock run.
func (r *run) work() (end func()) {
	if r.o.Budget == nil {
		return func() {}
	}
	return r.o.Budget.Work()
}

func exceeded(err error) *budget.Exceeded {
	var e *budget.Exceeded
	if errors.As(err, &e) {
		return e
	}
	return nil
}
