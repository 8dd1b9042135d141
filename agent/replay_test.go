package agent

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
	"forge/tools"
)

// quiet drops what only a live run tells, and joins what came in pieces.
func quiet(events []Event) []Event {
	var out []Event
	for _, e := range events {
		switch e := e.(type) {
		case ToolRunning, ToolOutput, Waiting, Notice, Compacting, Retrying:
			continue
		case ToolInput:
			if last, ok := out[len(out)-1].(ToolInput); ok && e.ID == "" && last.ID == "" {
				last.JSON += e.JSON
				out[len(out)-1] = last
				continue
			}
			out = append(out, e)
		case ToolEnd:
			e.Took = 0
			out = append(out, e)
		default:
			out = append(out, e)
		}
	}
	return out
}

func TestReplayTellsWhatTheScreenSaw(t *testing.T) {
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	edit := tool{name: "edit", kind: tools.Exec, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
		return tools.Result{Text: "ok", Display: "1 line", Images: []tools.Image{{MIME: "image/png", Data: "iVBORw=="}}}, nil
	}}
	m := &model{}
	priced := provider.Model{ID: "m", Window: 50_000, Price: provider.Price{Input: 1, Known: true}}
	w := &world{file: "f"}
	a := New(Options{Provider: m, Model: priced, Exec: w.executor(t, edit), Session: s, Compact: compact.New(compact.Options{Provider: m, Keep: 10})})
	var live tape
	first := ends(provider.StopToolUse, append([]provider.Event{provider.ThinkingDelta{Text: "hm", Signature: "s"}, provider.TextDelta{Index: 1, Text: "see"}}, uses(2, "edit", `read {"n":1}`, "nope")...)...)
	first.before = func() { a.Steer("also this") }
	full := provider.Stop{Reason: provider.StopEnd, Usage: provider.Usage{Input: 4000, Output: 100, Reported: true}}
	m.replies = []reply{first, {events: []provider.Event{provider.TextDelta{Text: "an answer"}, full}}}
	if err := a.Run(t.Context(), Prompt{Text: strings.Repeat("one ", 2000), Images: []provider.Image{{MIME: "image/png", Data: "iVBORw=="}}}, live.sink); err != nil {
		t.Fatal(err)
	}
	m.replies = []reply{noted("the note")}
	if err := a.Compact(t.Context(), "", live.sink); err != nil {
		t.Fatal(err)
	}
	m.replies = []reply{says("two")}
	if err := a.Run(t.Context(), Prompt{Text: "second"}, live.sink); err != nil {
		t.Fatal(err)
	}
	var again tape
	a.Replay(again.sink)
	s, rs := reopened(t, s)
	b := New(Options{Provider: m, Model: priced})
	b.Resume(s, rs)
	var resumed tape
	b.Replay(resumed.sink)

	want := quiet(live.events)
	// The totals of a run that ended before a compaction do not know its price, and
	// RunEnd of a stored run is told when the next one begins.
	var compacted Event
	for i, e := range want {
		if _, ok := e.(Compacted); ok {
			compacted, want = e, append(want[:i:i], want[i+1:]...)
			break
		}
	}
	for name, got := range map[string][]Event{"in memory": again.events, "from the file": resumed.events} {
		seen := false
		for i, e := range got {
			if reflect.DeepEqual(e, compacted) {
				seen, got = true, append(got[:i:i], got[i+1:]...)
				break
			}
		}
		if !seen {
			t.Errorf("%s: the compaction is not told", name)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d events, want %d\n%s\n\nwant\n%s", name, len(got), len(want), &tape{got}, &tape{want})
		}
		for i := range got {
			if end, ok := got[i].(RunEnd); ok && i < len(got)-1 {
				end.Totals = want[i].(RunEnd).Totals
				got[i] = end
			}
			if end, ok := got[i].(ToolEnd); ok {
				end.Took = 0 // as quiet makes it: a slow machine needs a whole millisecond
				got[i] = end
			}
			switch e := got[i].(type) { // what is said now has no time of its own
			case RunEnd:
				if e.At.IsZero() {
					t.Errorf("%s: nobody knows when the run ended", name)
				}
				e.At = time.Time{}
				got[i] = e
			case UserMessage:
				if e.At.IsZero() {
					t.Errorf("%s: nobody knows when %q was said", name, e.Text)
				}
				e.At = time.Time{}
				got[i] = e
			case TurnStart:
				if e.At.IsZero() {
					t.Errorf("%s: nobody knows when turn %d was", name, e.Turn)
				}
				e.At = time.Time{}
				got[i] = e
			}
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("%s, event %d:\n got %#v\nwant %#v", name, i, got[i], want[i])
			}
		}
	}
	if a.Totals() != b.Totals() {
		t.Errorf("totals %+v after resuming, %+v before", b.Totals(), a.Totals())
	}
	if !reflect.DeepEqual(a.History(), b.History()) {
		t.Error("the resumed history is another one")
	}
	var none tape
	New(Options{Provider: m}).Replay(none.sink)
	if len(none.events) != 0 {
		t.Errorf("an empty conversation tells %v", none.events)
	}
}

func TestResumeClosesWhatWasRunning(t *testing.T) {
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []provider.Message{
		provider.UserText("go"),
		{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: "1", Name: "silent", Input: "{}"}}},
	} {
		if err := s.Append(session.Record{Message: &m}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close() // killed here
	for range 2 {
		s, rs, err := session.Open(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		m := &model{replies: []reply{asks("silent"), says("ok")}}
		a := New(Options{Provider: m, Exec: (&world{}).executor(t)})
		a.Resume(s, rs)
		var p tape
		a.Replay(p.sink)
		if !strings.Contains(p.String(), "end(silent: "+session.Interrupted+")") {
			t.Errorf("replay\n%s", &p)
		}
		if err := a.Run(t.Context(), Prompt{Text: "on"}, nil); err != nil {
			t.Fatal(err)
		}
		valid(t, a, m)
		s.Close()
		check, rs, err := session.Open(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		check.Close()
		if got := session.Messages(rs); !reflect.DeepEqual(got, a.History()) {
			t.Errorf("the file holds\n%+v\nthe agent\n%+v", got, a.History())
		}
	}
}

// Why a run ended is told again as it was told then: what went wrong, that it was
// interrupted, which limit it reached.
func TestReplayTellsWhyARunEnded(t *testing.T) {
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	m := &model{}
	o := Options{Provider: m, Exec: (&world{}).executor(t), Session: s, MaxTurns: 2}
	a := New(o)
	var live tape
	ctx, cancel := context.WithCancel(t.Context())
	stopped := says("never seen")
	stopped.before = cancel
	long := fails(provider.KindServer, 500, strings.Repeat("a page 页", 1000))
	for _, run := range []struct {
		ctx     context.Context
		replies []reply
	}{
		{t.Context(), []reply{{err: &provider.Error{Kind: provider.KindAuth, Message: "connection refused", Hint: "set the key"}}}},
		{t.Context(), []reply{says("fine")}},
		{ctx, []reply{stopped}},
		{t.Context(), []reply{asks("silent"), asks("silent")}},
		{t.Context(), []reply{long}},
	} {
		m.replies = run.replies
		a.Run(run.ctx, Prompt{Text: "go"}, live.sink)
	}
	var again tape
	a.Replay(again.sink)
	s, rs := reopened(t, s)
	o.Session = nil
	b := New(o)
	b.Resume(s, rs)
	var resumed, tail tape
	b.Replay(resumed.sink)
	end, err := session.Tail(s.Path(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	Retell(end, 0, tail.sink)

	ends := func(p *tape) (out []RunEnd) {
		for _, e := range p.events {
			if e, ok := e.(RunEnd); ok {
				out = append(out, e)
			}
		}
		return out
	}
	want := ends(&live)
	for name, p := range map[string]*tape{"in memory": &again, "from the file": &resumed, "from its end": &tail} {
		got := ends(p)
		if len(got) != len(want) {
			t.Fatalf("%s: %d ends, want %d", name, len(got), len(want))
		}
		for i, e := range got {
			w := want[i]
			if i == len(want)-1 { // longer than is kept
				if e.Err == nil || len(e.Err.Error()) > mostError || !strings.HasPrefix(w.Err.Error(), e.Err.Error()) {
					t.Errorf("%s: the long error is %q", name, e.Err)
				}
				continue
			}
			if (e.Err == nil) != (w.Err == nil) || e.Err != nil && e.Err.Error() != w.Err.Error() || e.Limit != w.Limit || errors.Is(e.Err, context.Canceled) != errors.Is(w.Err, context.Canceled) {
				t.Errorf("%s, end %d: %+v, want %+v", name, i, e, w)
			}
			was, is := &provider.Error{}, &provider.Error{}
			if errors.As(w.Err, &was); errors.As(e.Err, &is) && is.Hint != was.Hint || is.Hint == "" && was.Hint != "" {
				t.Errorf("%s, end %d: what could be done is %q, was %q", name, i, is.Hint, was.Hint)
			}
		}
	}
}
