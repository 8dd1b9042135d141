// Package doctor examines what forge stands on, and says what is wrong and how to
// mend it.
//
// It owns what a finding is, how checks are run side by side within a bounded time,
// and how findings look as text, as JSON and on the screen. It holds the checks that
// need nothing of forge: the terminal, the programs beside forge, files and folders.
// Those that need a room of forge's are main's, which hands them in. It reads, asks
// and measures; it mends nothing.
package doctor

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"forge/ui/lang"
)

// Level is how bad a finding is.
type Level string

// The levels. Only Fail means that something does not work.
const (
	Ok   Level = "ok"
	Warn Level = "warn"
	Fail Level = "fail"
)

// Finding is what a check found, in the person's language.
type Finding struct {
	ID    string // stable, its area first: "endpoint.openai"
	Level Level
	Text  string // one line
	Fix   string // one line to act on; empty where there is nothing to mend
}

// Area is the part of an ID that names what it is about.
func (f Finding) Area() string {
	for i, r := range f.ID {
		if r == '.' {
			return f.ID[:i]
		}
	}
	return f.ID
}

// Check is one question. Run may take Limit; what is not answered by then is a
// finding, too. It must not change anything.
type Check struct {
	ID    string        // of the finding where Run has none of its own
	Limit time.Duration // 0: limit
	Run   func(ctx context.Context) []Finding
}

// limit is how long a check may take that says nothing of it.
const limit = 3 * time.Second

// Report is what all checks found, in the order of the checks.
type Report struct {
	Version  string
	Findings []Finding
}

// Count says how many findings have a level.
func (r Report) Count(l Level) (n int) {
	for _, f := range r.Findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// Well reports whether nothing fails.
func (r Report) Well() bool { return r.Count(Fail) == 0 }

// Examine runs the checks side by side and returns what they found, in their order.
// One that panics or takes too long is a finding of its own and costs no other.
func Examine(ctx context.Context, version string, checks []Check) Report {
	began := time.Now()
	answers := make([]chan []Finding, len(checks))
	for i, c := range checks {
		answers[i] = make(chan []Finding, 1)
		go c.run(ctx, answers[i])
	}
	r := Report{Version: version}
	for i, c := range checks {
		r.Findings = append(r.Findings, c.await(ctx, answers[i], began)...)
	}
	return r
}

func (c Check) limit() time.Duration {
	if c.Limit > 0 {
		return c.Limit
	}
	return limit
}

func (c Check) run(ctx context.Context, answer chan<- []Finding) {
	ctx, cancel := context.WithTimeout(ctx, c.limit())
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a check crashed", "check", c.ID, "panic", p, "stack", string(debug.Stack()))
			answer <- []Finding{{ID: c.ID, Level: Warn, Text: lang.T("this check crashed: %v", p), Fix: lang.T("forge feedback writes a report about it")}}
		}
	}()
	answer <- c.Run(ctx)
}

// grace is what a check has beyond its limit to say what it found till then, on a
// machine with much to do.
const grace = 2 * time.Second

func (c Check) await(ctx context.Context, answer <-chan []Finding, began time.Time) []Finding {
	t := time.NewTimer(c.limit() + grace - time.Since(began))
	defer t.Stop()
	select {
	case fs := <-answer:
		return fs
	case <-t.C:
		select {
		case fs := <-answer: // while one before was waited for
			return fs
		default:
		}
		return []Finding{{ID: c.ID, Level: Warn, Text: lang.T("no answer within %s", c.limit().String()), Fix: lang.T("run it again; if it stays so, forge feedback writes a report about it")}}
	case <-ctx.Done():
		return []Finding{{ID: c.ID, Level: Warn, Text: lang.T("not examined: it was interrupted")}}
	}
}
