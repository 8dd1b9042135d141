package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
	"forge/tools"
)

// lookAgent has read three things; the results are called "one", "two" and "three" and
// are long.
func lookAgent(t *testing.T, wire string) (*wireServer, *Agent, Options) {
	t.Helper()
	s, a, o := looking(t, wire, func(string) {})
	if err := a.Run(t.Context(), Prompt{Text: "look at it"}, nil); err != nil {
		t.Fatal(err)
	}
	return s, a, o
}

// looking is an agent that is to look at the three; during is called in each look.
func looking(t *testing.T, wire string, during func(what string)) (*wireServer, *Agent, Options) {
	t.Helper()
	s := newWireServer(t)
	s.compacts = func(int) (say, int, string) { return say{text: checkpoint("")}, 0, "" }
	look := tool{name: "look", kind: tools.Read, run: func(_ context.Context, in map[string]any, _ io.Writer) (tools.Result, error) {
		during(fmt.Sprint(in["say"]))
		return tools.Result{Text: strings.Repeat(fmt.Sprint("a line about ", in["say"], "\n"), 400)}, nil
	}}
	reg, err := tools.NewRegistry(look)
	if err != nil {
		t.Fatal(err)
	}
	sess, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sess.Close() })
	p := s.wires()[wire]
	m := provider.Model{ID: "m", Window: 100_000, Price: provider.Price{Input: 10, Output: 10, Known: true}}
	o := Options{Provider: p, Model: m, Exec: &tools.Executor{Tools: reg, Guard: allow{}, Bound: tools.Bound{Dir: t.TempDir()}}, Session: sess,
		System: "You work.\n\nDo as AGENTS.md says: be kind.", Memory: []MemoryFile{{Name: "AGENTS.md", Text: "be kind"}},
		Compact: compact.New(compact.Options{Provider: p, Model: m, Keep: 100})}
	a := New(o)
	says := []say{{tool: "look", input: `{"say":"one"}`}, {tool: "look", input: `{"say":"two"}`}, {tool: "look", input: `{"say":"three"}`}, {text: "I looked."}}
	s.next = func() say {
		if len(says) == 0 {
			return say{text: "done"}
		}
		next := says[0]
		says = says[1:]
		return next
	}
	return s, a, o
}

func item(t *testing.T, a *Agent, kind compact.ItemKind, about string) Entry {
	t.Helper()
	for _, e := range a.Window().Entries {
		if e.Kind == string(kind) && (strings.Contains(e.About, about) || strings.Contains(e.Name, about)) {
			return e
		}
	}
	t.Fatalf("no %s %s in %+v", kind, about, a.Window().Entries)
	return Entry{}
}

// sent runs once more and returns the request that went out.
func sent(t *testing.T, s *wireServer, a *Agent) string {
	t.Helper()
	if err := a.Run(t.Context(), Prompt{Text: "go on"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := session.Check(a.History()); err != nil {
		t.Fatal(err)
	}
	return string(s.bodies[len(s.bodies)-1])
}

func TestLedgerOnBothWires(t *testing.T) {
	for _, wire := range []string{"openai", "anthropic"} {
		t.Run(wire, func(t *testing.T) {
			s, a, o := lookAgent(t, wire)
			whole := sent(t, s, a)
			two, three := item(t, a, compact.ItemResult, "two"), item(t, a, compact.ItemResult, "three")
			if two.Tokens < 1000 || two.Age != 3 || three.Age != 2 || two.Cost < float64(two.Tokens)*9.9e-6 {
				t.Errorf("%+v", two)
			}

			// Dropped, the next request is smaller, and its pairs are whole.
			if err := a.Drop(two.ID); err != nil {
				t.Fatal(err)
			}
			if err := a.Collapse(three.ID); err != nil {
				t.Fatal(err)
			}
			less := sent(t, s, a)
			if len(less) > len(whole)/2 || strings.Contains(less, "a line about two") || !strings.Contains(less, "a line about one") ||
				strings.Count(less, "a line about three") > 60 || !strings.Contains(less, "a line about three") {
				t.Fatalf("%d of %d bytes are sent", len(less), len(whole))
			}
			if e := item(t, a, compact.ItemResult, "left out by the user"); e.ID != two.ID || !e.Dropped || !e.Edited || e.Tokens > 60 {
				t.Errorf("%+v", e)
			}

			// Resumed, it is the same; restored, it is all there again.
			sess := a.Session()
			sess.Close()
			again, rs, err := session.Open(sess.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			was := fmt.Sprint(a.History())
			o.Session = nil
			a = New(o)
			a.Resume(again, rs)
			if is := fmt.Sprint(a.History()); is != was {
				t.Fatalf("resumed it is\n%s\nit was\n%s", is, was)
			}
			for _, id := range []string{two.ID, three.ID} {
				if err := a.Restore(id); err != nil {
					t.Fatal(err)
				}
			}
			if back := sent(t, s, a); len(back) < len(whole) || strings.Count(back, "a line about two") != 400 || strings.Count(back, "a line about three") != 400 {
				t.Errorf("restored, %d of %d bytes are sent", len(back), len(whole))
			}
			if err := a.Restore(two.ID); !errors.Is(err, ErrNotLeft) {
				t.Errorf("restored twice: %v", err)
			}
			for _, fault := range s.faults {
				t.Error(fault)
			}
		})
	}
}

// A pin outlives a resume and a compaction; what was dropped stays dropped when a
// compaction is taken back, and what was dropped since is so as well.
func TestLedgerOverCompaction(t *testing.T) {
	for _, wire := range []string{"openai", "anthropic"} {
		t.Run(wire, func(t *testing.T) {
			s, a, o := lookAgent(t, wire)
			one, two := item(t, a, compact.ItemResult, "one"), item(t, a, compact.ItemResult, "two")
			if err := errors.Join(a.Pin(one.ID, true), a.Drop(two.ID)); err != nil {
				t.Fatal(err)
			}
			sess := a.Session()
			sess.Close()
			again, rs, err := session.Open(sess.Path())
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			a = New(o)
			a.Resume(again, rs)
			if e := item(t, a, compact.ItemResult, "one"); !e.Pinned {
				t.Error("the pin did not outlive the resume")
			}
			before := fmt.Sprint(a.History())
			if err := a.Compact(t.Context(), "", nil); err != nil {
				t.Fatal(err)
			}
			if body := sent(t, s, a); strings.Count(body, "a line about one") < 300 || strings.Contains(body, "a line about three") {
				t.Errorf("after the compaction %d lines of the pinned result are sent", strings.Count(body, "a line about one"))
			}
			if err := a.Uncompact(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if now := fmt.Sprint(a.History()); !strings.Contains(now, "left out by the user") || len(now) < len(before) {
				t.Errorf("taken back, it is\n%s", now)
			}
			if err := a.Restore(two.ID); err != nil {
				t.Fatal(err)
			}
			if body := sent(t, s, a); strings.Count(body, "a line about two") != 400 {
				t.Error("not restored after the compaction was taken back")
			}
		})
	}
}

// Whatever is done to the items, in whatever order, the history keeps its promise and
// a resumed conversation is the same.
func TestLedgerKeepsThePromise(t *testing.T) {
	s, a, o := lookAgent(t, "anthropic")
	_ = sent(t, s, a)
	for step := range 60 {
		es := a.Window().Entries
		e := es[(step*7)%len(es)]
		var err error
		switch step % 5 {
		case 0, 1:
			err = a.Drop(e.ID)
		case 2:
			err = a.Collapse(e.ID)
		case 3:
			err = a.Restore(e.ID)
		case 4:
			err = a.Pin(e.ID, step%2 == 0)
		}
		switch {
		case err == nil, errors.Is(err, ErrFixed), errors.Is(err, ErrShort), errors.Is(err, ErrNotLeft), errors.Is(err, ErrNoItem), errors.Is(err, ErrBound):
		default:
			t.Fatalf("step %d: %v", step, err)
		}
		switch short := errors.Is(err, ErrShort); {
		case e.Fixed || e.ID == "" || e.Dropped:
		case step%5 < 2 && short != e.Short:
			t.Fatalf("step %d: dropped, %+v is too short: %v", step, e, short)
		case step%5 == 2 && e.Kind == string(compact.ItemResult) && !e.Collapsed && short != e.Whole:
			t.Fatalf("step %d: collapsed, %+v is too short: %v", step, e, short)
		}
		if err := session.Check(a.History()); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		switch step {
		case 20:
			_ = sent(t, s, a)
		case 30:
			if err := a.Compact(t.Context(), "", nil); err != nil {
				t.Fatal(err)
			}
		case 45:
			if err := a.Uncompact(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		rs, err := a.history.all()
		if err != nil {
			t.Fatal(err)
		}
		b := New(Options{Model: o.Model})
		b.Resume(nil, rs)
		if was, is := fmt.Sprint(a.History()), fmt.Sprint(b.History()); was != is {
			t.Fatalf("step %d (%s): resumed it is\n%s\nit was\n%s", step, e.ID, is, was)
		}
	}
}

// What is part of every request is listed by what it belongs to, and cannot be dropped.
func TestLedgerListsTheWholeWindow(t *testing.T) {
	_, a, _ := lookAgent(t, "openai")
	w := a.Window()
	groups := map[Group]int{}
	for _, e := range w.Entries {
		groups[e.Group]++
		if e.Tokens <= 0 {
			t.Errorf("no tokens: %+v", e)
		}
		if e.Group != GroupTalk && !errors.Is(a.Drop(e.ID), ErrFixed) {
			t.Errorf("dropped: %+v", e)
		}
		if e.Group == GroupTools && e.Owner != "forge" {
			t.Errorf("%+v", e)
		}
	}
	// A prompt, three calls with results, an answer.
	if groups[GroupSystem] != 1 || groups[GroupMemory] != 1 || groups[GroupTools] != 1 || groups[GroupTalk] != 8 {
		t.Errorf("%v", groups)
	}
	if w.Size != 100_000 || w.Limit != 80_000 || w.Tokens == 0 || !w.CostKnown {
		t.Errorf("%+v", w)
	}
}

// What a list of instructions or tools says of a text is what the window says of it,
// also once a server has told how it counts.
func TestCounterCountsAsTheWindowDoes(t *testing.T) {
	files := []MemoryFile{{Name: "AGENTS.md", Text: strings.Repeat("be kind to whoever reads this\n", 40)}}
	a := New(Options{System: "You work.\n" + files[0].Text, Memory: files, Model: provider.Model{ID: "m", Window: 100_000}})
	said := strings.Repeat("a line about something\n", 400)
	prompt, answer := provider.UserText(said), provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "fine"}},
		Usage: provider.Usage{Input: 2 * compact.Count(said+files[0].Text), Output: 2, Reported: true}}
	a.Resume(nil, []session.Record{{Message: &prompt}, {Message: &answer}})
	count := a.Counter()
	if raw := compact.Count(files[0].Text); count(files[0].Text) < raw*3/2 {
		t.Fatalf("%d tokens, as if the server had told nothing (%d)", count(files[0].Text), raw)
	}
	for _, e := range a.Window().Entries {
		if e.Group == GroupMemory && e.Tokens != count(files[0].Text) {
			t.Errorf("the window says %d tokens, the counter %d", e.Tokens, count(files[0].Text))
		}
	}
}
