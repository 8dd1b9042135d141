// Package compact fits a history into a model's window.
//
// It owns the estimate of tokens, the places where a history may be cut, the
// shortening of old output, and the checkpoint that stands for what was cut off,
// with the facts that must not be lost in it. It speaks to a model through
// provider.Provider and changes no conversation: the agent asks it between turns
// and records what it answers. Of a conversation it remembers only how its server
// counts.
package compact

import (
	"context"
	"errors"

	"forge/provider"
)

// Errors of a compaction that is not worth making.
var (
	ErrNothing = errors.New("there is nothing to shorten yet")
	ErrNoGain  = errors.New("there is too little that could be left out; where the window is full, a new conversation has room, or a larger budget")
)

// Cut says what to leave out. Results named in Trim are told by their short texts
// from here on; where From is above 0, the messages before it, counted in the
// history as it is, are replaced by Summary. Before and After are estimates in
// tokens.
type Cut struct {
	Trim          []Trimmed
	Summary       string
	From          int
	Before, After int
	Usage         provider.Usage // what making the summary cost
	Own           error          // why forge wrote the summary itself; nil: the model did
}

// Options is everything a Compactor needs. Budget and Keep are tokens.
type Options struct {
	Provider provider.Provider
	Model    provider.Model
	At       int  // shorten above this percentage of the window; 0: what leaves a fifth, at most 20,000 tokens
	Budget   int  // shorten above this; 0: At alone decides
	Keep     int  // the newest messages that stay as they are; 0: a quarter of the limit, at most 20,000
	Rest     int  // turns between two compactions nobody asked for; 0: 3
	Off      bool // none is made that nobody asked for
}

// Request is what one compaction is told.
type Request struct {
	Focus string          // what the person wants remembered; empty: nothing special
	Facts Facts           // what must be in the summary, whatever the model writes
	Pins  map[string]bool // IDs of items that survive word for word, see Items
	Auto  bool            // nobody asked: shortening old output is enough where it makes room
	// Whole keeps the text of a call's result where the model can read it again, and
	// says where; empty: nowhere. nil: it is not kept.
	Whole func(id, text string) string
	// Afford is asked before each request a note takes, of about so many tokens; its
	// error ends the compaction. took is told what was answered, an error's rest
	// included. nil: any may be made.
	Afford func(ctx context.Context, tokens int) (took func(provider.Message), err error)
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

// Apart returns one that knows the same and may be asked beside this one, from another
// goroutine; what either learns from here on, the other does not.
func (c *Compactor) Apart() *Compactor {
	return &Compactor{Overhead: c.Overhead, o: c.o, gauge: gauge{scale: c.gauge.scale}}
}

// SetModel changes who writes summaries and whose window must fit.
func (c *Compactor) SetModel(p provider.Provider, m provider.Model) {
	if was := c.o.Model; m.ID != was.ID || m.Provider != was.Provider || m.Window != was.Window {
		c.gauge.scale = 0 // another model counts otherwise, and one that cut in silence counted nothing
	}
	c.o.Provider, c.o.Model = p, m
}

// Rest is how many turns must lie between two compactions nobody asked for.
func (c *Compactor) Rest() int {
	if c.o.Rest > 0 {
		return c.o.Rest
	}
	return 3
}

// Limit is the tokens above which a history is to be shortened, 0 where neither
// a window nor a budget is known.
func (c *Compactor) Limit() int {
	limit := 0
	if w := c.o.Model.Window; w > 0 {
		limit = w - min(w/5, 20_000)
		if c.o.At > 0 {
			limit = w * min(c.o.At, 95) / 100
		}
	}
	if b := c.o.Budget; b > 0 && (limit == 0 || b < limit) {
		limit = b
	}
	return limit
}

// target is what a compaction must come below, so that the next one is not due at
// once.
func (c *Compactor) target() int { return c.Limit() * 3 / 4 }

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

// Counted is the tokens of the next request by forge's own count alone, whatever
// the server says it reads.
func (c *Compactor) Counted(ms []provider.Message) int {
	c.gauge.weigh(ms)
	return c.Overhead + c.gauge.upTo(len(ms))
}

// Due reports whether the history is to be shortened without anybody asking: it is
// over its limit, and above least tokens.
func (c *Compactor) Due(ms []provider.Message, least int) bool {
	limit := c.Limit()
	return limit > 0 && !c.o.Off && c.Estimate(ms) > max(limit, least)
}

// Compact works out what to leave out. Old output goes first; if that is not
// enough, or somebody asked, all but the newest messages are told by a checkpoint
// the model writes and forge checks. A model that cannot write one costs no fact:
// forge then writes it from what it knows, and Own says why. The history is not
// touched; where the gain is too small for the price, the error is ErrNothing or
// ErrNoGain, and no model was asked if that was clear before. Any other error is
// that of a model that could not be asked.
func (c *Compactor) Compact(ctx context.Context, ms []provider.Message, r Request) (Cut, error) {
	cut := Cut{Before: c.Estimate(ms)}
	at := cutAt(ms, c.keep())
	if r.Auto {
		if trim, gain := trimmable(ms, at, trimKeep, r); c.scaled(gain) > cut.Before/5 && cut.Before-c.scaled(gain) < c.target() {
			cut.Trim, cut.After = trim, cut.Before-c.scaled(gain)
			return cut, nil
		}
	}
	// What is to stay may be too large itself: one result can be half a window.
	rest, saved := ms, 0
	if limit := c.target(); limit > 0 && c.Overhead+weigh(ms[at:]) > limit {
		var gain int
		if cut.Trim, gain = trimmable(ms[at:], len(ms)-at, max(2*c.keep(), trimKeep), r); gain > 0 {
			saved = gain
			rest = apply(ms, cut.Trim)
		}
	}
	if at <= 0 {
		if c.scaled(saved) > cut.Before/5 {
			cut.After = cut.Before - c.scaled(saved)
			return cut, nil
		}
		return Cut{Before: cut.Before}, ErrNothing
	}
	if c.scaled(weigh(ms[:at])+saved) < cut.Before/10 {
		return Cut{Before: cut.Before}, ErrNoGain
	}
	if err := c.checkpoint(ctx, &cut, ms[:at], ms[at:], r); err != nil {
		return cut, err
	}
	cut.From = at
	cut.After = c.scaled(c.Overhead + Count(cut.Summary) + weigh(rest[at:]))
	if cut.After > cut.Before-cut.Before/10 {
		return cut, ErrNoGain
	}
	return cut, nil
}

func (c *Compactor) scaled(n int) int { return int(float64(n) * c.gauge.factor()) }

// Scaled is a count of tokens as the server at hand would count it, as far as it is
// known.
func (c *Compactor) Scaled(n int) int { return c.scaled(n) }
