package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

var priced = provider.Model{ID: "m", Provider: "test", Window: 100_000, Price: provider.Price{Input: 1000, Output: 1000, Known: true}}

// A call of this model costs 0.12 dollars: 100 tokens in and 20 out.
func spender(t *testing.T, m *model, limit budget.Amount, ask func(*budget.Exceeded) Allowance) (*Agent, *budget.Counter) {
	t.Helper()
	b := budget.New(budget.Options{Session: limit})
	o := Options{Provider: m, Model: priced, Exec: (&world{file: "x"}).executor(t), Budget: b}
	if ask != nil {
		o.OverBudget = func(_ context.Context, e *budget.Exceeded) (Allowance, error) { return ask(e), nil }
	}
	return New(o), b
}

func many(n int) []reply {
	var rs []reply
	for range n {
		rs = append(rs, asks(`silent`))
	}
	return rs
}

// The request that would cross is not made; what was done is kept, and the run can
// be gone on with.
func TestBudgetEndsARunNobodyWatches(t *testing.T) {
	for name, limit := range map[string]budget.Amount{"turns": {Turns: 3}, "tokens": {Tokens: 5000}, "usd": {USD: 3}} {
		t.Run(name, func(t *testing.T) {
			m := &model{replies: many(50)}
			a, b := spender(t, m, limit, nil)
			var p tape
			err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink)
			var e *budget.Exceeded
			if !errors.As(err, &e) || string(e.Kind) != name || !Limited(err) {
				t.Fatal(err)
			}
			spent, _ := b.Spent()
			n := len(m.requests)
			if n == 0 || n >= 50 || spent.Turns != n || spent.Tokens != 120*n || e.Spent > e.Limit || e.Spent+e.Next <= e.Limit {
				t.Errorf("%d requests, spent %+v, %+v", n, spent, e)
			}
			if end := p.events[len(p.events)-1].(RunEnd); !end.Limit {
				t.Error("told as no limit")
			}
			valid(t, a, m)
			if err := a.Run(t.Context(), Prompt{Text: "on"}, nil); !errors.As(err, &e) || len(m.requests) != n {
				t.Errorf("the next run: %v, %d requests", err, len(m.requests)-n)
			}
		})
	}
}

func TestBudgetAsks(t *testing.T) {
	m := &model{replies: many(7)}
	var asked []budget.Exceeded
	answers := []Allowance{Once, Raise, Stop}
	a, b := spender(t, m, budget.Amount{Turns: 2}, func(e *budget.Exceeded) Allowance {
		asked = append(asked, *e)
		return answers[len(asked)-1]
	})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); !Limited(err) {
		t.Fatal(err)
	}
	// Two, one more, asked again at three and raised to four, asked at four.
	if len(asked) != 3 || len(m.requests) != 4 || asked[1].Spent != 3 || asked[2].Limit != 4 {
		t.Errorf("asked %+v, %d requests", asked, len(m.requests))
	}
	if !strings.Contains(p.String(), "budgetwarned") {
		t.Error("not warned")
	}
	if spent, raised := b.Spent(); spent.Turns != 4 || raised.Turns != 2 {
		t.Errorf("%+v %+v", spent, raised)
	}
	valid(t, a, m)
}

// Resumed, a conversation has spent what it spent, and its limit is as high as it
// was raised.
func TestBudgetOverResume(t *testing.T) {
	m := &model{replies: many(3)}
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	b := budget.New(budget.Options{Session: budget.Amount{Turns: 2}})
	o := Options{Provider: m, Model: priced, Exec: (&world{}).executor(t), Budget: b, Session: s,
		OverBudget: func(context.Context, *budget.Exceeded) (Allowance, error) { return Raise, nil }}
	if err := New(o).Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
		t.Fatal(err)
	}
	was, raised := b.Spent()
	if was.Turns != 4 || raised.Turns != 2 {
		t.Fatalf("%+v %+v", was, raised)
	}
	path := s.Path()
	s.Close()
	again, rs, err := session.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	o.Budget, o.OverBudget, o.Session = budget.New(budget.Options{Session: budget.Amount{Turns: 2}}), nil, nil
	a := New(o)
	a.Resume(again, rs)
	is, now := o.Budget.Spent()
	if is.Turns != was.Turns || is.Tokens != was.Tokens || is.USD < was.USD-1e-9 || now != raised {
		t.Errorf("spent %+v raised %+v, was %+v", is, now, was)
	}
	if err := a.Run(t.Context(), Prompt{Text: "on"}, nil); !Limited(err) {
		t.Error(err)
	}
	// A crash before the note costs nothing of it: the messages say it too.
	var cut []session.Record
	for _, r := range rs {
		if r.Spent == nil {
			cut = append(cut, r)
		}
	}
	a.Resume(again, cut)
	if is, _ := o.Budget.Spent(); is.Turns != 4 || is.Tokens != 480 {
		t.Errorf("from its messages: %+v", is)
	}
}

// Shortening costs, and is asked about like anything else.
func TestBudgetCountsCompaction(t *testing.T) {
	long := says(strings.Repeat("a long answer ", 600))
	long.events[len(long.events)-1] = provider.Stop{Reason: provider.StopEnd} // counted by nobody
	m := &model{replies: []reply{long, long, long}}
	b := budget.New(budget.Options{})
	a := New(Options{Provider: m, Model: priced, Budget: b, Compact: compact.New(compact.Options{Provider: m, Model: priced, Keep: 10})})
	for range 3 {
		if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	was, _ := b.Spent()
	if err := a.Compact(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	is, _ := b.Spent()
	if is.Turns != was.Turns || is.Tokens <= was.Tokens || is.USD <= was.USD {
		t.Errorf("before %+v, after %+v", was, is)
	}
	n := len(m.requests)
	tight := budget.New(budget.Options{Session: budget.Amount{Tokens: 10}})
	a.o.Budget = tight
	if err := a.Compact(t.Context(), "", nil); exceeded(err) == nil || len(m.requests) != n {
		t.Errorf("%v, %d requests", err, len(m.requests)-n)
	}
}

// One counter for an agent and those that work for it.
func TestBudgetIsShared(t *testing.T) {
	m := &model{replies: many(50)}
	parent, b := spender(t, m, budget.Amount{Turns: 5}, nil)
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b.Begin(budget.Amount{Turns: 3}, budget.Amount{}, budget.Amount{})
	child := New(Options{Provider: m, Model: priced, Exec: (&world{}).executor(t), Budget: b, Lent: true})
	child.SetSession(s, nil) // begins a conversation, but no other budget
	if err := child.Run(t.Context(), Prompt{Text: "go"}, nil); !Limited(err) || len(m.requests) != 2 {
		t.Errorf("%v after %d", err, len(m.requests))
	}
	if err := parent.Run(t.Context(), Prompt{Text: "go"}, nil); !Limited(err) || len(m.requests) != 2 {
		t.Errorf("%v after %d", err, len(m.requests))
	}
}

// What a sub-agent spends is in the file of the conversation before it has reported:
// forge may be killed while it works.
func TestSpentBelowIsKept(t *testing.T) {
	m := &model{replies: many(50)}
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	parent, b := spender(t, m, budget.Amount{Turns: 1}, nil)
	parent.SetSession(s, nil)
	err = parent.Run(t.Context(), Prompt{Text: "go"}, nil)
	if exceeded(err) == nil {
		t.Fatal(err)
	}
	b.Lift(exceeded(err))
	host := &Host{run: &run{Agent: parent}, over: new(atomic.Bool)}
	var below sync.WaitGroup
	for range 3 {
		below.Go(func() {
			child := New(Options{Provider: &model{replies: many(50)}, Model: priced, Exec: (&world{}).executor(t), Budget: b, Lent: true, Host: host, MaxTurns: 3})
			if err := child.Run(t.Context(), Prompt{Text: "go"}, nil); !Limited(err) {
				t.Error(err)
			}
		})
	}
	below.Wait()
	rs, err := session.Tail(s.Path(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	is, _ := b.Spent()
	if kept := session.LastSpent(rs); kept.Turns != is.Turns || kept.Tokens != is.Tokens || is.Turns != 10 {
		t.Errorf("kept %d turns, %d tokens; spent %d, %d", kept.Turns, kept.Tokens, is.Turns, is.Tokens)
	}
}

// A server that counts nothing is counted by forge.
func TestBudgetWithoutReports(t *testing.T) {
	silent := func() reply {
		return reply{events: []provider.Event{provider.Start{}, provider.TextDelta{Text: "some words of an answer"}, provider.Stop{Reason: provider.StopEnd}}}
	}
	m := &model{replies: []reply{silent(), silent()}}
	a, b := spender(t, m, budget.Amount{}, nil)
	if err := a.Run(t.Context(), Prompt{Text: "one two three four"}, nil); err != nil {
		t.Fatal(err)
	}
	if spent, _ := b.Spent(); spent.Tokens < 15 || spent.USD == 0 || spent.Turns != 1 {
		t.Errorf("%+v", spent)
	}
}

// A request that was on when forge was killed counts as what it was thought to take,
// a compaction's too: over the resume, and once in the book.
func TestBudgetCountsWhatAKillCutOff(t *testing.T) {
	for _, what := range []string{"turn", "compaction"} {
		t.Run(what, func(t *testing.T) {
			s, err := session.Create(t.TempDir(), "/w", "")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var killed []byte // the file as a kill amid the last request leaves it
			amid := says(strings.Repeat("a long answer ", 600))
			amid.before = func() {
				if killed, err = os.ReadFile(s.Path()); err != nil {
					t.Error(err)
				}
			}
			long := says(strings.Repeat("a long answer ", 600))
			long.events[len(long.events)-1] = provider.Stop{Reason: provider.StopEnd} // so that it is counted at its length
			m := &model{replies: []reply{long, long, amid}}
			o := Options{Provider: m, Model: priced, Session: s, Budget: budget.New(budget.Options{}),
				Compact: compact.New(compact.Options{Provider: m, Model: priced, Keep: 10})}
			a := New(o)
			for range 2 {
				if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
					t.Fatal(err)
				}
			}
			was, _ := o.Budget.Spent()
			if what == "turn" {
				err = a.Run(t.Context(), Prompt{Text: "go"}, nil)
			} else {
				err = a.Compact(t.Context(), "", nil)
			}
			if err != nil || killed == nil {
				t.Fatal(err)
			}
			done, _ := session.Tail(s.Path(), 1<<20)
			if session.LastSpent(done).Open != nil {
				t.Error("a request that was answered is still noted as on")
			}

			path := filepath.Join(t.TempDir(), "killed.jsonl")
			if err := os.WriteFile(path, killed, 0o600); err != nil {
				t.Fatal(err)
			}
			again, rs, err := session.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			book := budget.OpenBook(t.TempDir())
			o.Budget, o.Session = budget.New(budget.Options{Book: book}), again
			m.replies = nil
			b := New(o)
			b.Resume(again, rs)
			is, _ := o.Budget.Spent()
			if is.Tokens < was.Tokens+2000 || is.USD <= was.USD || what == "turn" && is.Turns != was.Turns+1 {
				t.Errorf("spent %+v before, %+v with what was cut off", was, is)
			}
			// Where nothing more may be spent it is settled all the same, and no more
			// after that.
			o.Budget = budget.New(budget.Options{Book: book, Session: budget.Amount{Turns: 1}})
			tight := New(o)
			tight.Resume(again, rs)
			if err := tight.Run(t.Context(), Prompt{Text: "on"}, nil); exceeded(err) == nil {
				t.Errorf("%v", err)
			}
			again.Close()
			if again, rs, err = session.Open(path); err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			o.Budget, o.Session = budget.New(budget.Options{Book: book}), again
			b = New(o)
			b.Resume(again, rs)
			if now, _ := o.Budget.Spent(); now.Tokens != is.Tokens || now.Turns != is.Turns {
				t.Errorf("settled it is %+v, was %+v", now, is)
			}
			for range 2 {
				if err := b.Run(t.Context(), Prompt{Text: "on"}, nil); err != nil {
					t.Fatal(err)
				}
			}
			calls, err := book.Calls(time.Time{})
			if err != nil || len(calls) != 3 {
				t.Fatalf("the book has %+v, %v", calls, err)
			}
			if c := calls[0]; c.Input != is.Tokens-was.Tokens || c.USD == nil || *c.USD < is.USD-was.USD-1e-6 || (c.For == "") != (what == "turn") {
				t.Errorf("%+v in the book, spent %+v, then %+v", c, was, is)
			}
			now, _ := o.Budget.Spent()
			if now.Turns != is.Turns+2 || now.Tokens != is.Tokens+240 {
				t.Errorf("%+v after two more, was %+v", now, is)
			}
		})
	}
}

// Each request of a compaction is asked for: the second part of a long conversation is
// not read where the budget holds the first alone, nor a note written again.
func TestBudgetOfEachPartOfACompaction(t *testing.T) {
	note := func() reply {
		return says("## Goal\ng\n## Decisions\nd\n## Files\nf\n## State\ns\n## Todos\nt\n## Open questions\no\n## Next step\nn")
	}
	for name, first := range map[string]reply{"part": note(), "again": says("it lost every heading")} {
		t.Run(name, func(t *testing.T) {
			long := says(strings.Repeat("a long answer ", 600))
			long.events[len(long.events)-1] = provider.Stop{Reason: provider.StopEnd}
			first.events[len(first.events)-1] = provider.Stop{Reason: provider.StopEnd, Usage: provider.Usage{Input: 49_900, Output: 100, Reported: true}}
			m := &model{replies: []reply{long, long, long, first, note(), note()}}
			small := priced
			if small.Window = 100_000; name == "part" {
				small.Window = 4000 // a part holds half of it: one of the answers
			}
			a := New(Options{Provider: m, Model: small, Compact: compact.New(compact.Options{Provider: m, Model: small, Keep: 10, Off: true})})
			for range 3 {
				if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
					t.Fatal(err)
				}
			}
			n := len(m.requests)
			a.o.Budget = budget.New(budget.Options{Session: budget.Amount{Tokens: 51_000}}) // the first leaves 1,000
			before := len(a.History())
			err := a.Compact(t.Context(), "", nil)
			if exceeded(err) == nil || len(m.requests) != n+1 {
				t.Errorf("%v after %d requests", err, len(m.requests)-n)
			}
			if len(a.History()) != before {
				t.Error("it was shortened all the same")
			}
		})
	}
}
