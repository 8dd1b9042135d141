// Package budget holds what work may cost, and what it has cost.
//
// It owns the counter of a conversation: its limits in money, tokens, turns and
// time, for the conversation and for the day, and what was spent of them; and the
// book, one file a month in which every forge of this person writes each model
// call. The agent asks the counter before each request and tells it after; an
// agent and all its sub-agents share one. It knows no model, no price and no
// screen: amounts go in, levels and crossings come out.
package budget

import (
	"fmt"
	"sync"
	"time"
)

// Amount is something spent, or to be spent. Tokens are input and output together,
// cached ones included.
type Amount struct {
	USD    float64       `json:"usd,omitempty"`
	Tokens int           `json:"tokens,omitempty"`
	Turns  int           `json:"turns,omitempty"`
	Time   time.Duration `json:"time,omitempty"` // nanoseconds of work
}

// Add returns two amounts together.
func (a Amount) Add(b Amount) Amount {
	return Amount{a.USD + b.USD, a.Tokens + b.Tokens, a.Turns + b.Turns, a.Time + b.Time}
}

// Kind is what a limit counts.
type Kind string

// The kinds of limits.
const (
	Money  Kind = "usd"
	Tokens Kind = "tokens"
	Turns  Kind = "turns"
	Time   Kind = "time"
)

// Kinds lists them in the order they are shown and asked about.
func Kinds() []Kind { return []Kind{Money, Tokens, Turns, Time} }

// Of is one kind of an amount as a plain number; of time, seconds.
func (k Kind) Of(a Amount) float64 {
	switch k {
	case Money:
		return a.USD
	case Tokens:
		return float64(a.Tokens)
	case Turns:
		return float64(a.Turns)
	}
	return a.Time.Seconds()
}

// amount is the opposite of Of.
func (k Kind) amount(n float64) Amount {
	switch k {
	case Money:
		return Amount{USD: n}
	case Tokens:
		return Amount{Tokens: int(n)}
	case Turns:
		return Amount{Turns: int(n)}
	}
	return Amount{Time: time.Duration(n * float64(time.Second))}
}

// Scope is what a limit is for.
type Scope string

// The scopes of limits.
const (
	Session Scope = "session"
	Day     Scope = "day" // of the person's own clock, over all their conversations
)

// Level is how one limit stands. The numbers are US dollars, tokens, turns or
// seconds.
type Level struct {
	Scope        Scope
	Kind         Kind
	Limit, Spent float64
}

// Share is how much of the limit is spent, from 0 up.
func (l Level) Share() float64 {
	if l.Limit <= 0 {
		return 0
	}
	return l.Spent / l.Limit
}

// Exceeded is a limit the next request would cross: the error of a run that ends
// there, and what a person is asked about. Next is what the request is estimated to
// take.
type Exceeded struct {
	Level
	Next   float64
	Raised float64 // the limit as Raise would make it
}

// Error implements error.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("the budget of this %s does not hold the next request: %s of %s spent, about %s to come; raise %s",
		e.Scope, e.Kind.Say(e.Spent), e.Kind.Say(e.Limit), e.Kind.Say(e.Next), e.Flag())
}

// Flag names the flag that sets the limit.
func (l Level) Flag() string {
	if l.Scope == Day {
		return "--max-day-" + string(l.Kind)
	}
	return "--max-budget-" + string(l.Kind)
}

// Say writes a number of this kind for a person, in English.
func (k Kind) Say(n float64) string {
	switch k {
	case Money:
		if n > 0 && n < 0.1 {
			return fmt.Sprintf("$%.4f", n)
		}
		return fmt.Sprintf("$%.2f", n)
	case Time:
		return time.Duration(n * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%d %s", int(n), k)
}

// Options is what a counter holds to. A limit of 0 is none.
type Options struct {
	Session, Day Amount
	WarnAt       int              // percent of a limit at which it is warned of; 0: 80
	Book         *Book            // where the day is read and calls are written; nil: nothing is kept
	Project      string           // the folder that is worked in, for the book
	Now          func() time.Time // nil: time.Now
}

// Counter counts what one conversation spends. Its methods may be called from any
// goroutine.
type Counter struct {
	o   Options
	ask chan struct{} // held by whoever asks the person: one question for all

	mu       sync.Mutex
	spent    Amount
	raised   map[Scope]Amount  // on top of the limits
	reserved Amount            // requests that are on
	warned   map[Level]bool    // Spent is 0 in its keys
	once     bool              // the person let one request pass
	day      day               // what the day was when the book was last read
	days     map[string]day    // the others that were: a clock may go back to one
	running  int               // agents at work
	waiting  int               // of them, those that wait for the person
	since    time.Time         // work was last counted
	booked   time.Duration     // of spent.Time, what the book has
	broken   Amount            // of spent, what requests took that a crash cut off; the book has it not yet
	lost     map[string]Amount // of each day, what could not be written into it
}

// day is what all forges spent today.
type day struct {
	date  string
	spent Amount
	raise Amount
}

// New returns a counter at zero.
func New(o Options) *Counter {
	if o.WarnAt <= 0 {
		o.WarnAt = 80
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Counter{o: o, ask: make(chan struct{}, 1), raised: map[Scope]Amount{}, warned: map[Level]bool{}, days: map[string]day{}, lost: map[string]Amount{}}
	c.day.date = o.Now().Local().Format(time.DateOnly)
	return c
}

// Limited reports whether there is any limit of a kind.
func (c *Counter) Limited(k Kind) bool {
	return c != nil && (k.Of(c.o.Session) > 0 || k.Of(c.o.Day) > 0)
}

// Begin goes on with a conversation that has spent this, and whose limit was raised
// by so much. broken is what requests were thought to take that were on when its last
// forge ended: nobody knows better, so it counts as spent.
func (c *Counter) Begin(spent, raised, broken Amount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick()
	c.spent, c.booked, c.once, c.warned = spent.Add(broken), spent.Time, false, map[Level]bool{}
	c.broken = broken
	c.raised = map[Scope]Amount{Session: raised}
}

// Spent is what the conversation spent so far, and how far its limits were raised.
func (c *Counter) Spent() (spent, raised Amount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick()
	return c.spent, c.raised[Session]
}

// Standing is Spent, and what the requests that are on are thought to take.
func (c *Counter) Standing() (spent, raised, open Amount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick()
	return c.spent, c.raised[Session], c.reserved
}

// Levels lists how every limit stands, those of the conversation first.
func (c *Counter) Levels() []Level {
	c.readDay()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick()
	return c.levels()
}

func (c *Counter) levels() []Level {
	var out []Level
	for _, s := range []struct {
		scope        Scope
		limit, spent Amount
	}{{Session, c.o.Session, c.spent}, {Day, c.o.Day, c.day.spent}} {
		for _, k := range Kinds() {
			if limit := k.Of(s.limit); limit > 0 {
				out = append(out, Level{s.scope, k, limit + k.Of(c.more(s.scope)), k.Of(s.spent)})
			}
		}
	}
	return out
}

// more is how far the limits of a scope were raised.
func (c *Counter) more(s Scope) Amount {
	if s == Day {
		return c.day.raise
	}
	return c.raised[s]
}

// Reserve asks whether a request that is estimated to take next may be made. If so,
// it counts as spent until release is called; else it says which limit it would
// cross first.
func (c *Counter) Reserve(next Amount) (release func(), crossed *Exceeded) {
	c.readDay()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick()
	if !c.once {
		for _, l := range c.levels() {
			n := l.Kind.Of(next)
			taken := l.Spent + l.Kind.Of(c.reserved)
			// Time goes by whatever is asked: its limit is crossed when it is used up.
			if taken+n > l.Limit && n > 0 || l.Kind == Time && taken >= l.Limit {
				l.Spent = taken
				return nil, &Exceeded{l, n, l.Limit + c.step(l, n)}
			}
		}
	}
	c.once = false
	c.reserved = c.reserved.Add(next)
	var done sync.Once
	return func() {
		done.Do(func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.reserved = c.reserved.Add(Amount{-next.USD, -next.Tokens, -next.Turns, -next.Time})
		})
	}, nil
}

// Raise adds to a limit: as much as it was set to, or what the next request needs if
// that is more.
func (c *Counter) Raise(e *Exceeded) {
	c.mu.Lock()
	defer c.mu.Unlock()
	by := e.Kind.amount(c.step(e.Level, e.Next))
	if e.Scope == Day {
		c.day.raise = c.day.raise.Add(by)
	} else {
		c.raised[e.Scope] = c.raised[e.Scope].Add(by)
	}
}

// step is how far a limit is raised at a time.
func (c *Counter) step(l Level, next float64) float64 {
	set := c.o.Session
	if l.Scope == Day {
		set = c.o.Day
	}
	return max(l.Kind.Of(set), l.Spent+next-l.Limit)
}

// Once lets the next request pass, whatever it crosses.
func (c *Counter) Once() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.once = true
}

// Lift takes the limit away that was crossed, for as long as forge runs.
func (c *Counter) Lift(e *Exceeded) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := &c.o.Session
	if e.Scope == Day {
		at = &c.o.Day
	}
	switch e.Kind {
	case Money:
		at.USD = 0
	case Tokens:
		at.Tokens = 0
	case Turns:
		at.Turns = 0
	case Time:
		at.Time = 0
	}
}

// Warnings returns the limits that came over the warning level since it was last
// asked.
func (c *Counter) Warnings() []Level {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick()
	var out []Level
	for _, l := range c.levels() {
		key := Level{Scope: l.Scope, Kind: l.Kind, Limit: l.Limit}
		if l.Share()*100 >= float64(c.o.WarnAt) && !c.warned[key] {
			c.warned[key] = true
			out = append(out, l)
		}
	}
	return out
}

// Alone waits until nobody else asks the person about this budget; done lets the
// next one ask. stop ends the waiting, and done is nil then.
func (c *Counter) Alone(stop <-chan struct{}) (done func()) {
	select {
	case c.ask <- struct{}{}:
		return func() { <-c.ask }
	case <-stop:
		return nil
	}
}
