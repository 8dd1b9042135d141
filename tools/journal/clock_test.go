package journal_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"forge/tools/journal"
)

// TestTheClockIsSetBack: going back takes everything that came behind, though the clock
// said that it was before.
func TestTheClockIsSetBack(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	r := newRig(t, journal.Options{Now: func() time.Time { return now }})
	r.Begin("one")
	r.writes("kept", "kept")
	first := r.tree()
	asked := now.Add(time.Minute)
	now = now.Add(5 * time.Minute)
	r.Begin("two")
	r.writes("a", "a")
	now = now.Add(-time.Hour)
	r.writes("a", "b")
	r.writes("b", "b")
	p, err := r.Since(asked)
	if err != nil {
		t.Fatal(err)
	}
	r.apply(p)
	r.same("all that came behind", r.tree(), first)
}

// TestAClockThatIsAhead: the undo of conversations is not old because no time is known.
func TestAClockThatIsAhead(t *testing.T) {
	r := newRig(t, journal.Options{})
	long := time.Now().AddDate(-2, 0, 0)
	for name, at := range map[string]time.Time{"last": long, "before": long.AddDate(0, 0, -20), "old": long.AddDate(0, 0, -40)} {
		dir := filepath.Join(r.state, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	r.Begin("do")
	r.writes("a", "a")
	r.Close() // waits for it
	for name, want := range map[string]bool{"last": true, "before": true, "old": false} {
		if _, err := os.Stat(filepath.Join(r.state, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
