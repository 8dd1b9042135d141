package session

import (
	"os"
	"slices"
	"testing"
	"time"
)

// TestTimesOfASessionGoForward: whatever the clock does, what follows is later.
func TestTimesOfASessionGoForward(t *testing.T) {
	dir := t.TempDir()
	s := write(t, dir, nil)
	ahead := time.Now().UTC().Add(3 * time.Hour) // and then the clock is set right
	for _, r := range []Record{{Time: ahead, Message: user(text("before"))}, {Message: assistant(text("after"))}} {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	between := s.Now()
	if err := s.Append(Record{Message: user(text("last"))}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	s, rs, err := Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	times := []time.Time{rs[0].Time, rs[1].Time, between, rs[2].Time, s.Now(), s.Now()}
	for i := 1; i < len(times); i++ {
		if !times[i].After(times[i-1]) {
			t.Errorf("%d: %v is not after %v", i, times[i], times[i-1])
		}
	}
	if d := times[len(times)-1].Sub(ahead); d > time.Minute {
		t.Errorf("%v were added", d)
	}
	// A clock that was ahead by years was wrong.
	if err := s.Append(Record{Time: ahead.AddDate(4, 0, 0), Message: assistant(text("far"))}); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(s.Now()).Abs(); d > time.Hour {
		t.Errorf("it is %v off", d)
	}
}

// TestSessionsFromTheFuture: a clock that was ahead does not keep a conversation the
// last one until its time has come.
func TestSessionsFromTheFuture(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	want := []string{}
	for _, at := range []time.Time{now.Add(time.Minute), now, now.Add(-time.Hour), now.AddDate(3, 0, 0), now.Add(2 * time.Hour)} {
		s := write(t, dir, conversation()[:3])
		s.Close()
		if err := os.Chtimes(s.Path(), at, at); err != nil {
			t.Fatal(err)
		}
		want = append(want, s.ID())
	}
	all, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range all {
		got = append(got, i.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if i, err := Latest(dir, all[0].Cwd); err != nil || i.ID != want[0] {
		t.Errorf("%+v %v", i, err)
	}
}

// TestNothingIsOldToAWrongClock: where the newest file is old, age counts from it.
func TestNothingIsOldToAWrongClock(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().AddDate(-3, 0, 0)
	var gone *Session
	for i, at := range []time.Time{long, long.AddDate(0, 0, -10), long.AddDate(0, 0, -50)} {
		s := write(t, dir, conversation()[:3])
		s.Close()
		if err := os.Chtimes(s.Path(), at, at); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			gone = s
		}
	}
	if n := Prune(dir, time.Now().AddDate(0, 0, -30), ""); n != 1 {
		t.Errorf("%d were deleted", n)
	}
	if _, err := os.Stat(gone.Path()); err == nil {
		t.Errorf("%s is there", gone.ID())
	}
}
