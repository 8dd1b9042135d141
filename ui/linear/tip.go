package linear

import "time"

// When a tip is said: so long after a run began, and so long after the last one.
const (
	tipAfter = 8 * time.Second
	tipEvery = 10 * time.Minute
)

// tip is when one may be said.
type tip struct {
	due  <-chan time.Time // nil: not in this run
	last time.Time
}

// tipLater has one looked for if the run that begins takes its time.
func (f *face) tipLater() {
	if f.o.Tip != nil && (f.tip.last.IsZero() || time.Since(f.tip.last) >= tipEvery) {
		f.tip.due = time.After(tipAfter)
	}
}

// tipNow says one, beside nothing else that wants to be heard.
func (f *face) tipNow() {
	f.tip.due = nil
	if f.cancel == nil || len(f.open) > 0 {
		return
	}
	f.tip.last = time.Now()
	find, send := f.o.Tip, f.o.Send
	go guard(func() {
		if text := find(); text != "" {
			send(plain(text))
		}
	})
}
