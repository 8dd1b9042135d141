package budget

import (
	"path/filepath"
	"testing"
	"time"
)

// TestClockSetBack: a day that comes again is what it was, what was spent on it and how
// far its limit was raised, with a book and without; and no time is taken back.
func TestClockSetBack(t *testing.T) {
	for _, book := range []*Book{nil, OpenBook(filepath.Join(t.TempDir(), "usage"))} {
		k := at(29, 12)
		c := New(Options{Day: Amount{USD: 10}, Book: book, Now: k.Now})
		end := c.Work()
		take(t, c, Call{USD: usd(1)})
		k.now = k.now.AddDate(0, 0, 1)
		take(t, c, Call{USD: usd(9)})
		_, e := c.Reserve(Amount{USD: 2})
		if e == nil {
			t.Fatal("the limit was crossed unseen")
		}
		c.Raise(e)
		worked, _ := c.Spent()
		for range 2 {
			k.now = k.now.AddDate(0, 0, -1)
			if l := c.Levels(); l[0].Spent != 1 || l[0].Limit != 10 {
				t.Errorf("the day before: %+v", l)
			}
			k.now = k.now.AddDate(0, 0, 1)
			if l := c.Levels(); l[0].Spent != 9 || l[0].Limit != 20 {
				t.Errorf("the day again: %+v", l)
			}
		}
		k.now = k.now.Add(-time.Hour)
		if now, _ := c.Spent(); now.Time < worked.Time {
			t.Errorf("%v of work, %v before", now.Time, worked.Time)
		}
		end()
	}
}

// TestAcrossMidnight: a call counts on the day it ended, whoever counts.
func TestAcrossMidnight(t *testing.T) {
	for _, book := range []*Book{nil, OpenBook(filepath.Join(t.TempDir(), "usage"))} {
		k := at(29, 23)
		c := New(Options{Day: Amount{USD: 10}, Book: book, Now: k.Now})
		release, e := c.Reserve(Amount{USD: 8})
		if e != nil {
			t.Fatal(e)
		}
		k.now = k.now.Add(2 * time.Hour)
		take(t, c, Call{USD: usd(8)})
		release()
		if l := c.Levels(); l[0].Spent != 8 {
			t.Errorf("after midnight: %+v", l)
		}
		if _, e := c.Reserve(Amount{USD: 8}); e == nil {
			t.Error("the limit was crossed unseen")
		}
	}
}
