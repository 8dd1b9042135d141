package provider

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// takes plays one list of events and errors for each call.
type takes struct {
	replies [][]any // Event or error
	calls   int
	at      []time.Time
}

func (s *takes) Stream(ctx context.Context, _ Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		i := min(s.calls, len(s.replies)-1)
		s.calls++
		s.at = append(s.at, time.Now())
		for _, x := range s.replies[i] {
			switch x := x.(type) {
			case error:
				yield(nil, x)
				return
			case Event:
				if !yield(x, nil) {
					return
				}
			}
		}
	}
}

func failure(k Kind) *Error { return &Error{Kind: k, Message: string(k)} }

func TestRetryVoidsAndNeverSplices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &takes{replies: [][]any{
			{Start{"a"}, TextDelta{0, "half an ans"}, failure(KindNetwork)},
			{Start{"b"}, ToolUseStart{Index: 0, ID: "x", Name: "t"}, failure(KindServer)},
			{Start{"c"}, TextDelta{0, "whole"}, Stop{Reason: StopEnd}},
		}}
		var retries []Retry
		m, err := Collect(WithRetry(src, 0).Stream(t.Context(), Request{}), func(e Event) {
			if r, ok := e.(Retry); ok {
				retries = append(retries, r)
			}
		})
		if err != nil || m.PlainText() != "whole" || m.Origin != "c" || len(m.Blocks) != 1 {
			t.Fatalf("%+v %v", m, err)
		}
		if len(retries) != 2 || retries[0].Attempt != 1 || retries[1].Attempt != 2 || retries[0].Attempts != DefaultAttempts || retries[0].Err == nil {
			t.Fatalf("%+v", retries)
		}
		for i, r := range retries {
			if got := src.at[i+1].Sub(src.at[i]); got != r.After || got <= 0 {
				t.Errorf("waited %s, said %s", got, r.After)
			}
		}
	})
}

func TestRetryOnlyWhatMayPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for kind, want := range map[Kind]int{
			KindAuth: 1, KindQuota: 1, KindOverflow: 1, KindInvalid: 1, KindRefused: 1, KindRate: 4, KindServer: 4, KindNetwork: 4,
		} {
			src := &takes{replies: [][]any{{Start{}, failure(kind)}}}
			_, err := Collect(WithRetry(src, 4).Stream(t.Context(), Request{}), nil)
			var e *Error
			if !errors.As(err, &e) || e.Kind != kind || src.calls != want {
				t.Errorf("%s: %v after %d calls, want %d", kind, err, src.calls, want)
			}
		}
		forbidden := failure(KindServer)
		forbidden.NoRetry = true
		for _, err := range []error{forbidden, errors.New("a bug")} {
			src := &takes{replies: [][]any{{err}}}
			if _, got := Collect(WithRetry(src, 4).Stream(t.Context(), Request{}), nil); !errors.Is(got, err) || src.calls != 1 {
				t.Errorf("%v: %v after %d calls", err, got, src.calls)
			}
		}
	})
}

func TestRetryWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := failure(KindRate)
		asked.After = 40 * time.Second
		src := &takes{replies: [][]any{{asked}, {Start{}, TextDelta{0, "x"}, Stop{Reason: StopEnd}}}}
		if _, err := Collect(WithRetry(src, 0).Stream(t.Context(), Request{}), nil); err != nil {
			t.Fatal(err)
		}
		if got := src.at[1].Sub(src.at[0]); got < asked.After || got > asked.After+retryBase {
			t.Errorf("waited %s, the server asked for %s", got, asked.After)
		}
		// An hour is told of, not waited for.
		long := failure(KindRate)
		long.After = time.Hour
		src = &takes{replies: [][]any{{long}}}
		began := time.Now()
		if _, err := Collect(WithRetry(src, 0).Stream(t.Context(), Request{}), nil); !errors.Is(err, long) || time.Since(began) != 0 || src.calls != 1 {
			t.Errorf("%v after %s and %d calls", err, time.Since(began), src.calls)
		}
		// Waits add up to the total cap, however many attempts are left.
		slow := failure(KindRate)
		slow.After = 4 * time.Minute
		src = &takes{replies: [][]any{{slow}}}
		began = time.Now()
		if _, err := Collect(WithRetry(src, 100).Stream(t.Context(), Request{}), nil); !errors.Is(err, slow) || time.Since(began) > retryTotal {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if src.calls != 4 {
			t.Errorf("%d calls, want 4", src.calls)
		}
	})
}

func TestBackoffGrowsWithJitter(t *testing.T) {
	for attempt := 1; attempt < 80; attempt++ {
		seen := map[time.Duration]bool{}
		for range 20 {
			d := backoff(attempt)
			if d < retryBase/2 || d > retryMax+retryBase {
				t.Fatalf("attempt %d waits %s", attempt, d)
			}
			if attempt == 1 && d > 3*retryBase {
				t.Fatalf("first wait %s", d)
			}
			seen[d] = true
		}
		if len(seen) < 2 {
			t.Fatalf("attempt %d always waits the same", attempt)
		}
	}
}

func TestRetryCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		asked := failure(KindRate)
		asked.After = time.Minute
		src := &takes{replies: [][]any{{asked}}}
		began := time.Now()
		_, err := Collect(WithRetry(src, 0).Stream(ctx, Request{}), func(e Event) {
			if _, ok := e.(Retry); ok {
				time.AfterFunc(time.Second, cancel)
			}
		})
		if !errors.Is(err, context.Canceled) || time.Since(began) != time.Second || src.calls != 1 {
			t.Errorf("%v after %s, %d calls", err, time.Since(began), src.calls)
		}
	})
}

func TestRetryEmptyResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		empty := []any{Start{"e"}, ThinkingDelta{Index: 0, Text: "hm"}, TextDelta{1, ""}, Stop{Reason: StopEnd, Usage: Usage{Output: 7}}}
		src := &takes{replies: [][]any{empty}}
		m, err := Collect(WithRetry(src, 0).Stream(t.Context(), Request{}), nil)
		var e *Error
		if !errors.As(err, &e) || e.Kind != KindServer || src.calls != 2 || m.Stop != StopAborted || e.Hint == "" {
			t.Fatalf("%v after %d calls, %+v", err, src.calls, m)
		}
		src = &takes{replies: [][]any{empty, {Start{}, TextDelta{0, "ok"}, Stop{Reason: StopEnd}}}}
		if m, err := Collect(WithRetry(src, 0).Stream(t.Context(), Request{}), nil); err != nil || m.PlainText() != "ok" || len(m.Blocks) != 1 {
			t.Errorf("%+v %v", m, err)
		}
		// A refusal, an exhausted limit and a pause need no words.
		for _, r := range []StopReason{StopRefusal, StopMaxTokens, StopPause, StopError} {
			src = &takes{replies: [][]any{{Start{}, Stop{Reason: r}}}}
			if m, err := Collect(WithRetry(src, 0).Stream(t.Context(), Request{}), nil); err != nil || m.Stop != r || src.calls != 1 {
				t.Errorf("%s: %+v %v after %d calls", r, m, err, src.calls)
			}
		}
		// A stream that just ends is a cut one.
		src = &takes{replies: [][]any{{Start{}, TextDelta{0, "half"}}}}
		if _, err := Collect(WithRetry(src, 2).Stream(t.Context(), Request{}), nil); !errors.As(err, &e) || e.Code != "cut" || src.calls != 2 {
			t.Errorf("%v after %d calls", err, src.calls)
		}
	})
}

func TestRetryLeavingTheRange(t *testing.T) {
	src := &takes{replies: [][]any{{Start{}, TextDelta{0, "a"}, TextDelta{0, "b"}, failure(KindServer)}}}
	var got []Event
	for ev := range WithRetry(src, 0).Stream(t.Context(), Request{}) {
		got = append(got, ev)
		if len(got) == 2 {
			break
		}
	}
	if src.calls != 1 || !slices.Equal(got, []Event{Start{}, TextDelta{0, "a"}}) {
		t.Errorf("%d calls, %v", src.calls, got)
	}
}

// told is a server that answers one stream with a rate limit, and all others.
type told struct {
	mu    sync.Mutex
	calls int
	at    []time.Duration // since began
	began time.Time
}

func (s *told) Stream(context.Context, Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s.mu.Lock()
		s.calls++
		first := s.calls == 1
		s.at = append(s.at, time.Since(s.began))
		s.mu.Unlock()
		if first {
			yield(nil, &Error{Kind: KindRate, Message: "slow down", After: 20 * time.Second})
			return
		}
		_ = yield(Start{}, nil) && yield(TextDelta{0, "ok"}, nil) && yield(Stop{Reason: StopEnd}, nil)
	}
}

// What a server told one stream to wait, all streams of the provider wait.
func TestStreamsShareOneRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &told{began: time.Now()}
		p := WithRetry(server, 0)
		var wg sync.WaitGroup
		waited := make([]int, 4)
		for i := range waited {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Second) // virtual
				_, err := Collect(p.Stream(t.Context(), Request{}), func(e Event) {
					if ph, ok := e.(Phase); ok && ph.Waiting == WaitLimit {
						waited[i]++
					}
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if server.calls != 5 {
			t.Errorf("%d requests", server.calls)
		}
		for i, at := range server.at {
			if i > 0 && at < 20*time.Second {
				t.Errorf("request %d came after %s", i, at)
			}
		}
		if waited[0] != 0 || waited[1] != 1 || waited[2] != 1 || waited[3] != 1 {
			t.Errorf("told of their wait: %v", waited)
		}
		// A cancel ends the wait.
		ctx, cancel := context.WithCancel(t.Context())
		p.(*retrier).hold.till(time.Now().Add(time.Hour))
		cancel()
		if _, err := Collect(p.Stream(ctx, Request{}), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}
