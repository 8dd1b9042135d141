package budget

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func at(day, hour int) *clock {
	return &clock{time.Date(2026, 11, day, hour, 0, 0, 0, time.Local)}
}

func usd(f float64) *float64 { return &f }

func take(t *testing.T, c *Counter, call Call) {
	t.Helper()
	if err := c.Took(call); err != nil {
		t.Fatal(err)
	}
}

func TestReserve(t *testing.T) {
	for name, c := range map[string]struct {
		limit       Amount
		took        Call
		next        Amount
		kind        Kind
		spent, more float64
	}{
		"money":   {Amount{USD: 1}, Call{USD: usd(0.8)}, Amount{USD: 0.3, Tokens: 1e6, Turns: 1}, Money, 0.8, 0.3},
		"tokens":  {Amount{Tokens: 1000}, Call{Input: 700, Output: 200}, Amount{Tokens: 101}, Tokens, 900, 101},
		"turns":   {Amount{Turns: 1}, Call{}, Amount{Turns: 1}, Turns, 1, 1},
		"first":   {Amount{USD: 1, Turns: 1}, Call{USD: usd(1)}, Amount{USD: 1, Turns: 1}, Money, 1, 1},
		"fits":    {Amount{USD: 1, Tokens: 1000, Turns: 2}, Call{USD: usd(0.5), Input: 500}, Amount{USD: 0.5, Tokens: 500, Turns: 1}, "", 0, 0},
		"no turn": {Amount{Turns: 1}, Call{For: "compaction"}, Amount{Turns: 1}, "", 0, 0},
		"free":    {Amount{USD: 1}, Call{USD: usd(5)}, Amount{Tokens: 1e6, Turns: 1}, "", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := New(Options{Session: c.limit})
			take(t, b, c.took)
			release, e := b.Reserve(c.next)
			if c.kind == "" {
				if e != nil {
					t.Fatal(e)
				}
				release()
				return
			}
			if e == nil || e.Kind != c.kind || e.Scope != Session || e.Spent != c.spent || e.Next != c.more {
				t.Fatalf("%+v", e)
			}
			if !strings.Contains(e.Error(), "--max-budget-"+string(c.kind)) {
				t.Error(e)
			}
		})
	}
}

// Agents that work side by side cannot cross a limit together.
func TestReservationsAddUp(t *testing.T) {
	b := New(Options{Session: Amount{Tokens: 1000}})
	var wg sync.WaitGroup
	var mu sync.Mutex
	var held []func()
	refused := 0
	for range 20 {
		wg.Go(func() {
			release, e := b.Reserve(Amount{Tokens: 300})
			mu.Lock()
			defer mu.Unlock()
			if e != nil {
				refused++
				return
			}
			held = append(held, release)
		})
	}
	wg.Wait()
	if len(held) != 3 || refused != 17 {
		t.Fatalf("%d let through", len(held))
	}
	for _, release := range held {
		release()
		release() // once is enough
	}
	if _, e := b.Reserve(Amount{Tokens: 1000}); e != nil {
		t.Error(e)
	}
}

func TestAnswers(t *testing.T) {
	b := New(Options{Session: Amount{USD: 1}})
	take(t, b, Call{USD: usd(1)})
	next := Amount{USD: 0.4}
	cross := func() *Exceeded {
		t.Helper()
		_, e := b.Reserve(next)
		if e == nil {
			t.Fatal("let through")
		}
		return e
	}
	pass := func() {
		t.Helper()
		release, e := b.Reserve(next)
		if e != nil {
			t.Fatal(e)
		}
		release()
	}
	cross()
	b.Once()
	pass()
	e := cross() // once was once
	if e.Raised != 2 {
		t.Errorf("would be raised to %v", e.Raised)
	}
	b.Raise(e)
	pass()
	if _, raised := b.Spent(); raised.USD != 1 {
		t.Errorf("raised by %+v", raised)
	}
	take(t, b, Call{USD: usd(7)})
	b.Raise(cross()) // by what is needed
	pass()
	take(t, b, Call{USD: usd(7)})
	b.Lift(cross())
	pass()
	if b.Limited(Money) {
		t.Error("still limited")
	}

	// Resumed, it knows what was spent and how far it was raised.
	b = New(Options{Session: Amount{USD: 1}})
	b.Begin(Amount{USD: 1.5}, Amount{USD: 1}, Amount{})
	pass()
	b.Begin(Amount{USD: 1.5}, Amount{}, Amount{})
	cross()
}

func TestWarnings(t *testing.T) {
	b := New(Options{Session: Amount{Tokens: 100, Turns: 10}, WarnAt: 50})
	take(t, b, Call{Input: 49})
	if w := b.Warnings(); len(w) != 0 {
		t.Error(w)
	}
	take(t, b, Call{Input: 1})
	if w := b.Warnings(); len(w) != 1 || w[0].Kind != Tokens || w[0].Spent != 50 {
		t.Error(w)
	}
	take(t, b, Call{Input: 1})
	if w := b.Warnings(); len(w) != 0 {
		t.Errorf("told twice: %v", w)
	}
}

// Time is that of work: not of a person who thinks, and once for agents side by
// side.
func TestClock(t *testing.T) {
	k := at(30, 10)
	b := New(Options{Session: Amount{Time: time.Minute}, Now: k.Now})
	pass := func(d time.Duration) { k.now = k.now.Add(d) }
	pass(time.Hour)
	end, other := b.Work(), b.Work()
	pass(20 * time.Second)
	other()
	resume := b.Wait()
	pass(time.Hour)
	resume()
	pass(30 * time.Second)
	if spent, _ := b.Spent(); spent.Time != 50*time.Second {
		t.Fatal(spent.Time)
	}
	if _, e := b.Reserve(Amount{Turns: 1}); e != nil {
		t.Fatal(e)
	}
	pass(10 * time.Second)
	end()
	end()
	pass(time.Hour)
	_, e := b.Reserve(Amount{Turns: 1})
	if e == nil || e.Kind != Time || e.Spent != 60 {
		t.Fatalf("%+v", e)
	}
}

// Two forges that write one book at once know of each other's day, and of no other
// day.
func TestDayOverForges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "usage")
	k := at(30, 9)
	before := New(Options{Book: OpenBook(dir), Now: (&clock{k.now.AddDate(0, 0, -1)}).Now})
	take(t, before, Call{USD: usd(100), Input: 5})
	a := New(Options{Day: Amount{USD: 10, Turns: 1000}, Book: OpenBook(dir), Now: k.Now})
	b := New(Options{Day: Amount{USD: 10, Turns: 1000}, Book: OpenBook(dir), Now: k.Now})
	var wg sync.WaitGroup
	for _, c := range []*Counter{a, b} {
		wg.Go(func() {
			for range 40 {
				if err := c.Took(Call{USD: usd(0.125), Input: 10}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, c := range []*Counter{a, b} {
		l := c.Levels()
		if len(l) != 2 || l[0].Scope != Day || l[0].Spent != 10 || l[1].Spent != 80 {
			t.Errorf("%+v", l)
		}
		if _, e := c.Reserve(Amount{USD: 0.1}); e == nil || e.Scope != Day || !strings.Contains(e.Error(), "--max-day-usd") {
			t.Errorf("%+v", e)
		}
	}
	_, e := a.Reserve(Amount{USD: 0.1})
	a.Raise(e)
	if _, e := a.Reserve(Amount{USD: 0.1}); e != nil {
		t.Error(e)
	}
	k.now = k.now.AddDate(0, 0, 1)
	if l := a.Levels(); l[0].Spent != 0 || l[0].Limit != 10 {
		t.Errorf("the next day: %+v", l)
	}
}

// What a crash left half written costs itself alone.
func TestTornBook(t *testing.T) {
	dir := t.TempDir()
	k := at(30, 9)
	book := OpenBook(dir)
	c := New(Options{Book: book, Now: k.Now, Project: "/p"})
	take(t, c, Call{USD: usd(1), Model: "m"})
	f, err := os.OpenFile(filepath.Join(dir, "2026-11.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(`not json` + "\n" + strings.Repeat("x", maxLine+5) + "\n" + `{"time":"2026-11-30T09:00:00Z","us`)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	take(t, c, Call{Model: "n", Input: 3})
	calls, err := book.Calls(time.Time{})
	if err != nil || len(calls) != 2 || calls[0].Model != "m" || calls[1].Model != "n" || calls[1].USD != nil || calls[0].Project != "/p" {
		t.Errorf("%+v %v", calls, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "2026-11.jsonl")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if calls, err = book.Calls(k.now.Add(time.Hour)); err != nil || len(calls) != 0 {
		t.Errorf("%+v %v", calls, err)
	}
	if calls, err = OpenBook(filepath.Join(dir, "none")).Calls(time.Time{}); err != nil || calls != nil {
		t.Errorf("%+v %v", calls, err)
	}
}

// Where the book cannot be written, the limits hold all the same.
func TestBookThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "usage")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := New(Options{Session: Amount{Turns: 5}, Day: Amount{Turns: 2}, Book: OpenBook(file)})
	for range 2 {
		if err := c.Took(Call{}); err == nil {
			t.Fatal("written into a file that is no folder")
		}
	}
	if _, e := c.Reserve(Amount{Turns: 1}); e == nil || e.Scope != Day {
		t.Errorf("%+v", e)
	}
}

func TestBy(t *testing.T) {
	k := at(29, 12)
	var calls []Call
	add := func(c Call) {
		c.When = k.now
		calls = append(calls, c)
	}
	add(Call{Provider: "p", Model: "cheap", Project: "/a", USD: usd(1), Input: 100, CacheRead: 50})
	k.now = k.now.AddDate(0, 0, 1)
	add(Call{Provider: "p", Model: "dear", Project: "/a", USD: usd(5)})
	add(Call{Provider: "p", Model: "cheap", Project: "/b", Input: 100})
	add(Call{Provider: "p", Model: "cheap", Project: "/b", For: ForRecap, Input: 5})
	for way, want := range map[string]string{"day": "2026-11-29 2026-11-30", "model": "p/dear p/cheap", "project": "/a /b", "purpose": "work recap"} {
		sums, err := By(calls, way)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, s := range sums {
			keys = append(keys, s.Key)
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("by %s: %s", way, got)
		}
		if way == "model" && (sums[1].Calls != 3 || sums[1].Unpriced != 2 || sums[1].Hit() < 0.24) {
			t.Errorf("%+v", sums[1])
		}
	}
	if _, err := By(calls, "colour"); err == nil {
		t.Error("by colour")
	}
}
