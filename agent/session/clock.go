package session

import (
	"os"
	"time"
)

// steady is by how much a clock that was set back is not believed. One that was ahead
// by more was wrong, and its time is left behind.
const steady = 26 * time.Hour

// Now is the time, UTC, and never before that of a record the session has, so that
// what follows something in a conversation is also later: a clock may be set back, in
// a run and between two.
func (s *Session) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.now()
	s.made(t)
	return t
}

func (s *Session) now() time.Time { return after(time.Now().UTC(), s.last) }

// after is now, or a moment behind last where the clock was set back a little.
func after(now, last time.Time) time.Time {
	if behind := last.Sub(now); behind >= 0 && behind < steady {
		return last.Add(time.Nanosecond)
	}
	return now
}

func (s *Session) made(at time.Time) {
	if at.IsZero() {
		return
	}
	if at.Sub(s.last) > 0 || s.last.Sub(at) >= steady {
		s.last = at
	}
}

// age is the time before which files are old: before, or as long before the newest of
// them as that is before now. A clock that is ahead would have all of them deleted.
func age(before time.Time, newest time.Time) time.Time {
	if cut := newest.Add(-time.Since(before)); cut.Before(before) {
		return cut
	}
	return before
}

func newest(entries []os.DirEntry) (at time.Time) {
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && fi.ModTime().After(at) {
			at = fi.ModTime()
		}
	}
	return at
}
