// Package loop keeps prompts that are sent again and again by the clock: which there are,
// when each is due, how its runs went, and when it ends.
//
// It sends nothing, waits for nothing and has no goroutine: a face asks a Book what is due
// whenever something has changed, and has one timer for the next. Times are those of the
// wall clock, so that a machine which slept is late, not behind.
package loop

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"forge/sorting"
)

// Bounds of a loop.
const (
	Shortest = 30 * time.Second
	Longest  = 7 * 24 * time.Hour
	Life     = 7 * 24 * time.Hour // after which it ends by itself
	Most     = 10                 // at once
	Fails    = 3                  // runs in a row that fail, and it ends
	MaxBytes = 4000               // of a prompt
)

// late is how long after its life one that was never free to be sent is still waited for.
const late = time.Hour

// Loop is a prompt and how often it is sent.
type Loop struct {
	N      int // what a person calls it, from 1
	Every  time.Duration
	Prompt string
	Next   time.Time // when it is due
	Until  time.Time // it is not due after that
	Runs   int       // so far
	fails  int       // in a row
	on     bool      // its run is
}

// Outcome is how a run of a loop went.
type Outcome int

// The outcomes.
const (
	Done    Outcome = iota
	Stopped         // by the person: no failure
	Failed
	Broke // nothing may be spent any more
)

// Why is why a loop has ended; empty: it goes on.
type Why string

// The causes.
const (
	Old      Why = "old"
	Failing  Why = "failing"
	Spent    Why = "spent"
	NotEnded Why = ""
)

// ErrMany is the error of one loop too many.
var ErrMany = errors.New("there are as many loops as there may be")

// Book is the loops of a conversation. The zero value has none and may be used by many
// goroutines.
type Book struct {
	// Keep writes the loops there are down; it is called by Save alone.
	Keep func([]Loop) error

	mu    sync.Mutex
	loops []Loop
	rest  []Loop // of a conversation that is gone on with: they do not run
	last  int    // number given
	moved int    // counts what is to be kept

	saving sync.Mutex
	saved  int // moved, as it was kept last
}

// Add begins one that is due at once.
func (b *Book) Add(every time.Duration, prompt string, now time.Time) (Loop, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.add(every, prompt, now)
}

func (b *Book) add(every time.Duration, prompt string, now time.Time) (Loop, error) {
	if len(b.loops) >= Most {
		return Loop{}, ErrMany
	}
	now = now.Round(0) // of the wall clock
	if len(b.loops) == 0 {
		b.last = 0
	}
	b.last++
	l := Loop{N: b.last, Every: every, Prompt: prompt, Next: now, Until: now.Add(Life)}
	b.loops = append(b.loops, l)
	b.rest = nil // what was before is not asked for any more
	b.moved++
	return l, nil
}

// Stop ends the loop with a number, or with 0 every one, and returns those that ended.
func (b *Book) Stop(n int) (ended []Loop) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loops = slices.DeleteFunc(b.loops, func(l Loop) bool {
		if n != 0 && l.N != n {
			return false
		}
		ended = append(ended, l)
		return true
	})
	if n == 0 && len(b.rest) > 0 {
		b.rest = nil
		b.moved++
	}
	if len(ended) > 0 {
		b.moved++
	}
	return ended
}

// List is a copy of all that run, by their numbers.
func (b *Book) List() []Loop {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.loops)
}

// Any reports whether one runs.
func (b *Book) Any() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.loops) > 0
}

// Next is the loop that is due first, which may be now; false where none runs. One whose
// run is on is none of them, and a clock that was set back makes none wait longer than its
// interval.
func (b *Book) Next(now time.Time) (Loop, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := -1
	for i := range b.loops {
		l := &b.loops[i]
		if l.Next.Sub(now) > l.Every {
			l.Next = now.Round(0).Add(l.Every)
		}
		if !l.on && (first < 0 || l.Next.Before(b.loops[first].Next)) {
			first = i
		}
	}
	if first < 0 {
		return Loop{}, false
	}
	return b.loops[first], true
}

// Due reports whether a loop is due.
func (l Loop) Due(now time.Time) bool { return !l.Next.After(now) }

// Expired ends those whose life was over long ago without a moment to send them, and
// returns them.
func (b *Book) Expired(now time.Time) (ended []Loop) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loops = slices.DeleteFunc(b.loops, func(l Loop) bool {
		if l.on || !now.After(l.Until.Add(late)) {
			return false
		}
		ended = append(ended, l)
		return true
	})
	if len(ended) > 0 {
		b.moved++
	}
	return ended
}

// Begin notes that a run of a loop begins. What was missed is not made up for: it is due
// again at the first of its times that is still to come.
func (b *Book) Begin(n int, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.find(n); l != nil {
		l.on = true
		l.Runs++
		l.pass(now)
	}
}

// pass leaves out the times that have passed.
func (l *Loop) pass(now time.Time) {
	if late := now.Sub(l.Next); late >= 0 {
		l.Next = l.Next.Add((late/l.Every + 1) * l.Every)
	}
}

// End notes how a run of a loop went. ok is false where it was stopped meanwhile; why says
// that this run was its last.
func (b *Book) End(n int, how Outcome, now time.Time) (l Loop, why Why, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.find(n)
	if at == nil {
		return Loop{}, NotEnded, false
	}
	at.on = false
	switch how {
	case Done:
		at.fails = 0
	case Failed:
		at.fails++
	}
	at.pass(now)
	switch {
	case how == Broke:
		why = Spent
	case at.fails >= Fails:
		why = Failing
	case at.Next.After(at.Until):
		why = Old
	}
	l = *at
	if why != NotEnded {
		b.loops = slices.DeleteFunc(b.loops, func(o Loop) bool { return o.N == n })
		b.moved++
	}
	return l, why, true
}

func (b *Book) find(n int) *Loop {
	for i := range b.loops {
		if b.loops[i].N == n {
			return &b.loops[i]
		}
	}
	return nil
}

// Took tells which loops the record of the conversation has that is open from now on. Those
// that run and are in it go on: it is a copy of theirs. Any others end, and are returned as
// gone. Those of the record that do not run rest until Resume.
func (b *Book) Took(records []Loop) (gone, rest []Loop) {
	b.saving.Lock() // nothing is written into the wrong one
	defer b.saving.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.loops) > 0 && slices.EqualFunc(b.loops, records, func(l, r Loop) bool {
		return l.N == r.N && l.Every == r.Every && l.Until.Equal(r.Until) // its prompt may be kept in another way
	}) {
		return nil, nil
	}
	gone, b.loops = b.loops, nil
	b.rest = slices.Clone(records)
	b.saved = b.moved
	return gone, slices.Clone(b.rest)
}

// Rest lists those of the conversation that do not run since it was opened again.
func (b *Book) Rest() []Loop {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.rest)
}

// Resume begins those that rest anew, each due after its interval, and returns all that
// run now.
func (b *Book) Resume(now time.Time) []Loop {
	b.mu.Lock()
	defer b.mu.Unlock()
	rest := b.rest
	for _, l := range rest {
		if _, err := b.add(l.Every, l.Prompt, now); err != nil {
			break
		}
		b.loops[len(b.loops)-1].Next = now.Round(0).Add(l.Every)
	}
	b.rest = nil
	return slices.Clone(b.loops)
}

// Kept are the loops as the record of a copy is to have them.
func (b *Book) Kept() []Loop {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all()
}

func (b *Book) all() []Loop {
	all := slices.Concat(b.loops, b.rest)
	sorting.StableBy(all, func(x, y Loop) int { return cmp.Compare(x.N, y.N) })
	return all
}

// Save has what changed since the last time written down. It may be called by many
// goroutines, and is not for the loop of a screen: it writes a file.
func (b *Book) Save() error {
	b.saving.Lock()
	defer b.saving.Unlock()
	b.mu.Lock()
	all, moved := b.all(), b.moved
	b.mu.Unlock()
	if moved == b.saved || b.Keep == nil {
		return nil
	}
	b.saved = moved
	return b.Keep(all)
}
