package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"
)

// The waits between attempts. The first is short, since most failures are a
// connection that broke; the whole stays within what a person waits for.
const (
	retryBase     = 500 * time.Millisecond
	retryMax      = 32 * time.Second
	retryAfterMax = 5 * time.Minute  // a server that asks for more is told of, not waited for
	retryTotal    = 15 * time.Minute // all waits of one call together
)

// DefaultAttempts is how often a call is tried in all, as the official SDKs and
// their users' complaints suggest: two retries are too few for an overload.
const DefaultAttempts = 6

// WithRetry returns a provider that tries p's calls again, attempts times in all
// (0: DefaultAttempts), when they fail in a way that may pass: see
// Error.Temporary. It waits with exponential backoff and full jitter, at least as
// long as the server asked, and never after ctx ends. Before each new attempt it
// yields a Retry event: all since Start is void. Two replies are never spliced.
//
// A reply that stops with nothing said counts as a failure that may pass, once.
func WithRetry(p Provider, attempts int) Provider {
	if attempts <= 0 {
		attempts = DefaultAttempts
	}
	return &retrier{next: p, attempts: attempts}
}

type retrier struct {
	next     Provider
	attempts int
}

func (r *retrier) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var waited time.Duration
		emptied := false
		for attempt := 1; ; attempt++ {
			err, left := r.attempt(ctx, req, yield)
			if left || err == nil {
				return
			}
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			var e *Error
			if !errors.As(err, &e) || !e.Temporary() || attempt >= r.attempts {
				yield(nil, err)
				return
			}
			if e.Code == codeEmpty {
				if emptied {
					yield(nil, err)
					return
				}
				emptied = true
			}
			wait := backoff(attempt)
			if e.After > 0 {
				// A little on top: all who were told the same moment come back at it.
				wait = e.After + time.Duration(rand.Int64N(int64(retryBase)))
			}
			if e.After > retryAfterMax || waited+wait > retryTotal {
				yield(nil, err)
				return
			}
			waited += wait
			if !yield(Retry{Err: err, After: wait, Attempt: attempt, Attempts: r.attempts}, nil) {
				return
			}
			if !sleep(ctx, wait) {
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// codeEmpty marks a reply that ended well and said nothing.
const codeEmpty = "empty_response"

// attempt passes one reply on. It holds back a Stop until it knows that something
// was said. left says that the reader left the range.
func (r *retrier) attempt(ctx context.Context, req Request, yield func(Event, error) bool) (err error, left bool) {
	said, stopped := false, false
	for ev, err := range r.next.Stream(ctx, req) {
		if err != nil {
			return err, false
		}
		switch e := ev.(type) {
		case TextDelta:
			said = said || e.Text != ""
		case ToolUseStart, OpaqueBlock:
			said = true
		case Stop:
			stopped = true
			if !said && emptyStop(e.Reason) {
				return emptyResponse(e), false
			}
		}
		if !yield(ev, nil) {
			return nil, true
		}
	}
	if !stopped {
		// A wire reports a cut stream itself; this catches one that forgot.
		return &Error{Kind: KindNetwork, Code: "cut", Message: "stream ended early", Hint: "try again"}, false
	}
	return nil, false
}

// emptyStop tells the reasons that promise words from those that explain their
// absence: a refusal, a pause or an exhausted limit is an answer in itself.
func emptyStop(r StopReason) bool {
	return r == StopEnd || r == StopToolUse || r == StopNone || r == StopOther
}

func emptyResponse(s Stop) *Error {
	msg := "empty response"
	if s.Usage.Output > 0 {
		msg = fmt.Sprintf("empty response: %d tokens, none of them words or calls", s.Usage.Output)
	}
	return &Error{Kind: KindServer, Code: codeEmpty, Message: msg, Hint: "the model said nothing: say it differently, lower --effort, or use another model"}
}

// backoff is a random wait up to a ceiling that doubles with each attempt.
func backoff(attempt int) time.Duration {
	ceiling := retryMax
	if attempt < 8 {
		ceiling = min(retryMax, retryBase<<attempt)
	}
	return retryBase/2 + time.Duration(rand.Int64N(int64(ceiling)))
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
