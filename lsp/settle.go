package lsp

import (
	"context"
	"time"
)

// How long a server has to say nothing more until what it said counts as all: it may
// publish a file twice, once read and once thought about. One that does not say which
// text it means gets longer, since its next word may be about the one before.
const (
	settleVersioned   = 120 * time.Millisecond
	settleUnversioned = 300 * time.Millisecond
	// leastPatience is how long a silence is listened to at the least.
	leastPatience = 500 * time.Millisecond
	// firstPatience is that where it is not known how long its words take.
	firstPatience = time.Second
	// mostLies is after how many wrong versions they are not believed any more.
	mostLies = 2
)

// speaks says whether a server's last word on a file is about the version it was shown,
// or, where it names none, came after it.
func (s *session) speaks(path string, version, since int) (fresh, versioned bool) {
	w := s.found.of(path)
	switch {
	case w.version == version:
		s.mu.Lock()
		s.lies = 0
		s.mu.Unlock()
		return true, true
	case w.version < 0, w.version > version, s.liar():
		return w.seq > since, false
	}
	return false, true
}

func (s *session) liar() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lies >= mostLies
}

// caught notes that a server spoke of a file, but not of the text it was shown.
func (s *session) caught(want map[string]int, since int) {
	for path, version := range want {
		if w := s.found.of(path); w.seq > since && w.version >= 0 && w.version < version {
			s.mu.Lock()
			s.lies++
			s.mu.Unlock()
			return
		}
	}
}

// An answer is how a wait for a server's word ended.
type answer int

const (
	unanswered answer = iota
	answered
	// presumed: it said nothing, as some do where all is as it was before.
	presumed
)

// patience is how long the silence of a server that may mean that is listened to: well
// beyond what its words took so far.
func (s *session) patience() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pace == 0 {
		return min(firstPatience, s.server.wait())
	}
	return min(max(leastPatience, 2*s.pace), s.server.wait())
}

// enough is how long a word is waited for until its absence says something: less than an
// edit waits, so that it can still be told.
func (s *session) enough() time.Duration { return s.server.wait() * 3 / 4 }

// sparing says whether silence about a file can mean that its findings are what they
// were: where an empty list was its last word and it names no versions, or where it has
// been silent before.
func (s *session) sparing(path string) bool {
	w := s.found.of(path)
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.seq > 0 && (w.version < 0 && len(w.findings) == 0 || s.silent)
}

// took notes how long a server's word took; late says that its silence had been noticed.
func (s *session) took(d time.Duration, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pace = max(s.pace, d); late {
		s.silent = false
	}
}

// await waits until the server has spoken of all files in want as of their versions, and
// has nothing more to say. since is the word before they were shown. It gives up when ctx
// or stop ended, or the server. A nil stop says that they are no edit.
func (s *session) await(ctx context.Context, stop <-chan struct{}, want map[string]int, since int) answer {
	if s.pulls {
		if s.pull(ctx, stop, want) {
			return answered
		}
		return unanswered
	}
	began, late := time.Now(), 0
	slow, calm := time.NewTimer(s.enough()), time.NewTimer(s.patience())
	defer slow.Stop()
	defer calm.Stop()
	for timed := false; ; {
		next := s.found.next()
		all, silent, quiet := true, true, settleVersioned
		for path, version := range want {
			fresh, versioned := s.speaks(path, version, since)
			all = all && fresh
			silent = silent && (fresh || s.sparing(path))
			if !versioned {
				quiet = settleUnversioned
			}
		}
		var settled <-chan time.Time
		var t *time.Timer
		if all && !s.working() {
			if !timed && stop != nil { // else it may have read the whole project
				timed = true
				s.took(time.Since(began), late > 0)
			}
			t = time.NewTimer(quiet)
			settled = t.C
		}
		select {
		case <-settled:
			return answered
		case <-next:
		case <-calm.C:
			if silent && !all && !s.working() {
				return presumed
			}
		case <-slow.C:
			if all {
				break
			}
			if late++; s.kept(want, since) && !s.working() {
				return presumed
			}
			if s.caught(want, since); late <= mostLies {
				slow.Reset(s.enough())
			}
		case <-s.conn.gone:
			return unanswered
		case <-stop:
			return unanswered
		case <-ctx.Done():
			return unanswered
		}
		if t != nil {
			t.Stop()
		}
	}
}

// kept notes that a server has kept silent about files of which it had spoken before,
// and says whether that is so.
func (s *session) kept(want map[string]int, since int) bool {
	for path := range want {
		if w := s.found.of(path); w.seq == 0 || w.seq > since {
			return false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = true
	return true
}
