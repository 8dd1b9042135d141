package budget

import "time"

// Work says that an agent works, from now until end is called.
func (c *Counter) Work() (end func()) { return c.count(&c.running) }

// Wait says that somebody who works waits for the person, until end is called:
// their time is no cost.
func (c *Counter) Wait() (end func()) { return c.count(&c.waiting) }

func (c *Counter) count(n *int) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick()
	*n++
	ended := false
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if ended {
			return
		}
		ended = true
		c.tick()
		*n--
	}
}

// tick counts the time since it was last called, if somebody worked. Agents that
// work side by side take the time of one.
func (c *Counter) tick() {
	now := c.o.Now()
	if d := now.Sub(c.since); c.running > c.waiting && d > 0 && !c.since.IsZero() {
		c.spent.Time += d
		c.day.spent.Time += d
	}
	c.since = now
}

// What a call is for, beside the turns of runs, which have no word. Older books have
// ForBtw for every question beside the work.
const (
	ForCompaction = "compaction"
	ForBtw        = "btw"
	ForRecap      = "recap"
	ForName       = "name"
	ForSuggestion = "suggestion"
)

// Call is one model call as the book has it.
type Call struct {
	When       time.Time     `json:"time"`
	Session    string        `json:"session,omitempty"`
	Project    string        `json:"project,omitempty"` // the folder it worked in
	Provider   string        `json:"provider,omitempty"`
	Model      string        `json:"model,omitempty"`
	For        string        `json:"for,omitempty"` // one of the words above, or empty: a turn
	USD        *float64      `json:"usd"`           // null: the price is not known
	Input      int           `json:"in"`            // cached ones included
	Output     int           `json:"out"`
	CacheRead  int           `json:"cache_read,omitempty"`
	CacheWrite int           `json:"cache_write,omitempty"`
	Time       time.Duration `json:"-"`
	Millis     int64         `json:"ms,omitempty"` // of work since the one before
}

// Amount is what a call counts as.
func (c Call) Amount() Amount {
	a := Amount{Tokens: c.Input + c.Output, Time: time.Duration(c.Millis) * time.Millisecond}
	if c.USD != nil {
		a.USD = *c.USD
	}
	if c.For == "" {
		a.Turns = 1
	}
	return a
}

// Took counts a call and writes it into the book. The error is the book's; the call
// is counted all the same.
func (c *Counter) Took(call Call) error {
	c.mu.Lock()
	c.tick()
	a := call.Amount()
	a.Time = 0 // the clock counts it
	c.spent = c.spent.Add(a)
	return c.enter(call, a)
}

// Settle writes into the book what a crash cut off, once: call says whose it was. A
// call that is no turn stands for those that were none. did says that there was
// something.
func (c *Counter) Settle(call Call) (did bool, err error) {
	c.mu.Lock()
	a := c.broken
	if a == (Amount{}) {
		c.mu.Unlock()
		return false, nil
	}
	c.tick()
	c.broken = Amount{}
	if call.Input = a.Tokens; call.USD != nil {
		call.USD = &a.USD
	}
	if a.Turns == 0 {
		call.For = ForCompaction
	}
	a.Time = 0
	return true, c.enter(call, a)
}

// enter writes a call into the book and counts it in the day. It is entered with the
// lock and lets it go.
func (c *Counter) enter(call Call, a Amount) error {
	call.When = c.o.Now()
	c.turn(call.When)
	c.day.spent = c.day.spent.Add(a)
	// What is in the book is read back with the day, so only what is new goes in.
	call.Millis = (c.spent.Time - c.booked).Milliseconds()
	c.booked = c.spent.Time
	call.Project = c.o.Project
	book := c.o.Book
	c.mu.Unlock()
	if book == nil {
		return nil
	}
	err := book.write(call)
	if err != nil { // the day has it, though the book has not
		c.mu.Lock()
		defer c.mu.Unlock()
		date := call.When.Local().Format(time.DateOnly)
		c.lost[date] = c.lost[date].Add(call.Amount())
	}
	return err
}

// readDay brings the day up to date with what other forges wrote.
func (c *Counter) readDay() {
	now := c.o.Now()
	if c.o.Book == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.turn(now)
		return
	}
	if c.o.Day == (Amount{}) {
		return
	}
	sum := c.o.Book.day(now) // reads a file: without the lock
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(now)
	c.tick()
	sum.Time += c.spent.Time - c.booked // worked and not booked yet
	c.day.spent = sum.Add(c.lost[c.day.date])
}

// turn makes the day that of now. One the clock goes back to is what it was: what was
// spent on it, and how far its limits were raised.
func (c *Counter) turn(now time.Time) {
	date := now.Local().Format(time.DateOnly)
	if c.day.date == date {
		return
	}
	c.days[c.day.date] = c.day
	c.day = c.days[date]
	c.day.date = date
}
