// Package compact fits a history into a model's window.
//
// It owns the estimate of tokens, the places where a history may be cut, and the
// summary that stands for what was cut off. It speaks to a model through
// provider.Provider and keeps no state of a conversation: the agent asks it
// between turns and records what it answers.
package compact

import (
	"context"
	"errors"
	"fmt"

	"forge/provider"
)

// Errors of a compaction that is not worth making.
var (
	ErrNothing = errors.New("there is nothing to shorten yet")
	ErrNoGain  = errors.New("there is too little that could be left out; a new conversation has room, or a larger budget")
)

// Cut says that the messages before index From are replaced by Summary. Before
// and After are estimates in tokens.
type Cut struct {
	Summary       string
	From          int
	Before, After int
	Usage         provider.Usage // what making the summary cost
}

// Options is everything a Compactor needs. Budget and Keep are tokens.
type Options struct {
	Provider provider.Provider
	Model    provider.Model
	Budget   int // shorten above this; 0: above what the model's window leaves room for
	Keep     int // the newest messages that stay as they are; 0: a quarter of the limit, at most 20,000
}

// Compactor shortens histories. Its methods are called by one agent, one at a
// time.
type Compactor struct {
	// Overhead is the tokens of a request beside its messages: system prompt and
	// tools. The agent sets it; it counts where no usage was reported yet.
	Overhead int
	o        Options
	gauge    gauge
}

// New returns a Compactor.
func New(o Options) *Compactor { return &Compactor{o: o} }

// SetModel changes who writes summaries and whose window must fit.
func (c *Compactor) SetModel(p provider.Provider, m provider.Model) {
	if m.ID != c.o.Model.ID || m.Provider != c.o.Model.Provider {
		c.gauge.scale = 0 // another model counts otherwise
	}
	c.o.Provider, c.o.Model = p, m
}

// Limit is the tokens above which a history is to be shortened, 0 where neither
// a window nor a budget is known. A fifth of the window, at most 20,000 tokens,
// is left for the answer and for what the estimate gets wrong.
func (c *Compactor) Limit() int {
	limit := 0
	if w := c.o.Model.Window; w > 0 {
		limit = w - min(w/5, 20_000)
	}
	if b := c.o.Budget; b > 0 && (limit == 0 || b < limit) {
		limit = b
	}
	return limit
}

func (c *Compactor) keep() int {
	limit := c.Limit()
	keep := c.o.Keep
	if keep <= 0 {
		keep = 20_000
		if limit > 0 {
			keep = min(keep, limit/4)
		}
	}
	if limit > 0 { // keeping more than half would be back at the limit at once
		keep = min(keep, limit/2)
	}
	return keep
}

// Estimate is the tokens the next request will have.
func (c *Compactor) Estimate(ms []provider.Message) int {
	return c.gauge.estimate(ms, c.Overhead)
}

// Needed reports whether the history is over its limit.
func (c *Compactor) Needed(ms []provider.Message) bool {
	limit := c.Limit()
	return limit > 0 && c.Estimate(ms) > limit
}

// Compact has the model summarise all but the newest messages. focus, where not
// empty, is what the person wants remembered. The history is not touched; where
// the gain is too small for the price, the error is ErrNothing or ErrNoGain, and
// no model was asked if that was clear before.
func (c *Compactor) Compact(ctx context.Context, ms []provider.Message, focus string) (Cut, error) {
	from := cutAt(ms, c.keep())
	if from <= 0 {
		return Cut{}, ErrNothing
	}
	cut := Cut{From: from, Before: c.Estimate(ms)}
	gone := weigh(ms[:from])
	if gone < cut.Before/10 {
		return Cut{}, ErrNoGain
	}
	summary, usage, err := c.summarise(ctx, ms[:from], focus)
	cut.Usage = usage
	if err != nil {
		return cut, fmt.Errorf("shorten the conversation: %w", err)
	}
	if goal := lastRequest(ms, from); goal != "" {
		summary += "\n\n" + goalMark + "\n" + goal
	}
	cut.Summary = summary
	cut.After = c.Overhead + Count(summary) + weigh(ms[from:])
	if cut.After > cut.Before-cut.Before/10 {
		return cut, ErrNoGain
	}
	return cut, nil
}
