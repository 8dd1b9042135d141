package linear

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"forge/agent"
)

// What is sent by the clock waits for the end of what is on, and of a line that goes on with
// the next; what is queued behind it is sent however it went.
func TestTimed(t *testing.T) {
	var at time.Time // when it is due; zero: never
	var runs, overs int
	var failed bool
	hold := make(chan struct{})
	var opt Options
	opt.Timed = &Timed{
		Next: func(time.Time) (time.Time, string, bool) { return at, "", !at.IsZero() },
		Take: func(now time.Time) (string, func(context.Context, agent.Sink) error) {
			runs++
			at = now.Add(time.Minute)
			return "loop 1 sends", func(ctx context.Context, _ agent.Sink) error {
				select {
				case <-hold:
					return errors.New("it broke")
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		},
		Over: func(_ error, halted, f bool) string {
			overs++
			failed = f
			if halted {
				return "it goes on later"
			}
			return ""
		},
	}
	chat(t, opt, func(k *talk) {
		hold = make(chan struct{}) // of the bubble
		release := make(chan struct{})
		k.run = func(context.Context, string, agent.Sink) error { <-release; return nil }
		k.text()
		at = time.Now().Add(time.Minute)
		k.write("a prompt of mine")
		time.Sleep(2 * time.Minute)
		if k.text(); runs != 0 {
			t.Fatal("it was sent beside a run")
		}
		close(release)
		k.want(k.text(), "loop 1 sends")
		k.write("queued behind it")
		close(hold)
		k.want(k.text(), "error: it broke", "sending what was queued: queued behind it")
		if runs != 1 || overs != 1 || !failed {
			t.Errorf("%d runs, %d over, failed %v", runs, overs, failed)
		}
		hold = make(chan struct{})
		k.write(`this line goes on \`)
		time.Sleep(5 * time.Minute)
		if k.text(); runs != 1 {
			t.Fatal("it was sent into a line")
		}
		k.write("here")
		k.text()
		time.Sleep(time.Second)
		k.want(k.text(), "loop 1 sends")
		k.ints <- nil
		time.Sleep(time.Second)
		k.want(k.text(), "stopping", "it goes on later")
		if got := k.sent(); len(got) != 3 {
			t.Errorf("sent %q", got)
		}
		at = time.Time{}
	})
}

// A tip is said in a run that takes its time, and not again at once.
func TestTip(t *testing.T) {
	var opt Options
	opt.Tip = func() string { return "tip: /usage" }
	chat(t, opt, func(k *talk) {
		k.run = func(ctx context.Context, _ string, _ agent.Sink) error {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
			return nil
		}
		k.write("go")
		time.Sleep(5 * time.Second)
		if text := k.since(); strings.Contains(text, "tip") {
			t.Errorf("at once: %s", text)
		}
		time.Sleep(5 * time.Second)
		k.want(k.since(), "tip: /usage")
		time.Sleep(time.Minute)
		k.write("again")
		time.Sleep(30 * time.Second)
		if text := k.since(); strings.Contains(text, "tip") {
			t.Errorf("again: %s", text)
		}
	})
}
