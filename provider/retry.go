package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
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
//
// All streams of the provider it returns share one limit: what a server told one of
// them to wait, the next attempts of all the others wait as well.
func WithRetry(p Provider, attempts int) Provider {
	if attempts <= 0 {
		attempts = DefaultAttempts
	}
	return &retrier{next: p, attempts: attempts}
}

type retrier struct {
	next     Provider
	attempts int
	hold     hold
}

// hold keeps all streams back until a moment.
type hold struct {
	mu    sync.Mutex
	until time.Time
}

func (h *hold) till(t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.After(h.until) {
		h.until = t
	}
}

func (h *hold) left() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Until(h.until)
}

// held waits as long as another stream was told to. left says that the reader left.
func (r *retrier) held(ctx context.Context, yield func(Event, error) bool) (left bool) {
	waited := false
	for d := r.hold.left(); d > 0; d = r.hold.left() {
		if !waited && !yield(Phase{Waiting: WaitLimit, Until: time.Now().Add(d)}, nil) {
			return true
		}
		waited = true
		// A little on top: all who waited for the same moment come back at it.
		if !sleep(ctx, d+time.Duration(rand.Int64N(int64(retryBase)))) {
			yield(nil, ctx.Err())
			return true
		}
	}
	return waited && !yield(Phase{Waiting: WaitStream}, nil)
}

func (r *retrier) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		var waited time.Duration
		emptied := false
		for attempt := 1; ; attempt++ {
			if r.held(ctx, yield) {
				return
			}
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
			if e.Kind == KindRate {
				r.hold.till(time.Now().Add(max(e.After, wait-retryBase)))
			}
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
