package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/compact"
)

// While a call runs, the window is what is known: the call without a result, and all
// before it. What is asked for then holds from the next request on, and for every one
// after it; the pairs stay whole, and a resumed conversation is the same.
func TestWindowAmidARun(t *testing.T) {
	for _, wire := range []string{"openai", "anthropic"} {
		t.Run(wire, func(t *testing.T) {
			var s *wireServer
			var a *Agent
			var o Options
			var did []error
			s, a, o = looking(t, wire, func(what string) {
				if w := a.Window(); what == "one" && slices.ContainsFunc(w.Entries, func(e Entry) bool { return e.Kind == string(compact.ItemResult) }) {
					t.Errorf("a call that runs has a result: %+v", w.Entries)
				}
				if what != "three" {
					return
				}
				one, two := item(t, a, compact.ItemResult, "one"), item(t, a, compact.ItemResult, "two")
				for _, f := range []func() error{
					func() error { return a.Drop(one.ID) },
					func() error { return a.Collapse(two.ID) },
					func() error { return a.Pin(two.ID, true) },
					func() error { return a.Restore(one.ID) },
					func() error { return a.Drop(one.ID) },
					func() error { return a.Drop("nothing of the kind") },
				} {
					a.Soon(func() { did = append(did, f()) })
				}
				if e := item(t, a, compact.ItemResult, "one"); e.Dropped || len(did) > 0 {
					t.Error("it did not wait for the next request")
				}
			})
			if err := a.Run(t.Context(), Prompt{Text: "look at it"}, nil); err != nil {
				t.Fatal(err)
			}
			if len(did) != 6 || !errors.Is(did[5], ErrNoItem) || errors.Join(did[:5]...) != nil {
				t.Fatalf("%v", did)
			}
			if n := len(s.bodies); n != 4 {
				t.Fatalf("%d requests", n)
			}
			before, after := string(s.bodies[2]), string(s.bodies[3])
			if strings.Count(before, "a line about one") != 400 || strings.Contains(after, "a line about one") ||
				strings.Count(after, "a line about two") > 60 || strings.Count(after, "a line about three") != 400 {
				t.Errorf("before %d lines of one, after %d, %d of two, %d of three", strings.Count(before, "a line about one"),
					strings.Count(after, "a line about one"), strings.Count(after, "a line about two"), strings.Count(after, "a line about three"))
			}
			if two := item(t, a, compact.ItemResult, "two"); !two.Pinned || !two.Collapsed || !two.Edited {
				t.Errorf("%+v", two)
			}

			was := fmt.Sprint(a.History())
			path := a.Session().Path()
			a.Session().Close()
			again, rs, err := session.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			o.Session = nil
			a = New(o)
			a.Resume(again, rs)
			if is := fmt.Sprint(a.History()); is != was {
				t.Errorf("resumed it is\n%s\nit was\n%s", is, was)
			}
			if body := sent(t, s, a); strings.Contains(body, "a line about one") || strings.Count(body, "a line about three") != 400 {
				t.Error("what was dropped came back with the resume")
			}
			for _, fault := range s.faults {
				t.Error(fault)
			}
		})
	}
}

// A window that is looked at again and again while a run works, and while it shortens
// the conversation, is nobody's but the one's who looks.
func TestWindowBesideARun(t *testing.T) {
	s, a, _ := looking(t, "anthropic", func(string) {})
	stop, looked := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			if w := a.Window(); w.Tokens <= 0 || len(w.Entries) < 2 {
				t.Errorf("%+v", w)
			}
			n++
			select {
			case <-stop:
				looked <- n
				return
			default:
			}
		}
	}()
	err := errors.Join(a.Run(t.Context(), Prompt{Text: "look at it"}, nil), a.Compact(t.Context(), "", nil))
	if err == nil {
		_ = sent(t, s, a)
	}
	close(stop)
	if n := <-looked; err != nil || n == 0 {
		t.Fatalf("looked %d times: %v", n, err)
	}
}

// A call is known by what it was given, and its result by its call.
func TestWindowNamesCalls(t *testing.T) {
	_, a, _ := lookAgent(t, "openai")
	if e := item(t, a, compact.ItemCall, "two"); e.About != "two" {
		t.Errorf("the call is %q", e.About)
	}
	if e := item(t, a, compact.ItemResult, "two"); e.Of != "two" || e.About != "a line about two" {
		t.Errorf("its result is %q of %q", e.About, e.Of)
	}
	for in, want := range map[string]string{
		`{"command":"go test ./...\necho","timeout":120000,"background":true,"env":{"A":"b"}}`: "go test ./... 120000 true",
		`{}`: "{}", `["a"]`: `["a"]`, `{"path":"a`: `{"path":"a`, "": "",
	} {
		if got := given(in); got != want {
			t.Errorf("%s is given as %q, not %q", in, got, want)
		}
	}
}
