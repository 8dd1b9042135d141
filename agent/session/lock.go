package session

import (
	"os"
	"strings"
	"time"
)

// lockPatience is how long a session's lock is waited for. A forge that was killed
// just now may still hold it: a process it was about to start has its files until it
// has become another program.
const lockPatience = 500 * time.Millisecond

// grip is what a try to lock a file came to.
type grip int

const (
	ungripped grip = iota // somebody else has it
	gripped               // we have it
	unknown               // the file system knows no locks
)

// lock takes a file for this process alone and reports whether nobody else has it.
func lock(f *os.File) bool { return exclusive(f) != ungripped }

// take takes the session's file for this process alone, waiting a moment for who is
// about to let it go. It returns why it may not be written; empty: it may. Where nothing
// can say who has it, it is taken as ours: refusing to save would be worse.
func (s *Session) take(f *os.File) (why string) {
	end := time.Now().Add(lockPatience)
	got := exclusive(f)
	for ; got == ungripped && time.Now().Before(end); got = exclusive(f) {
		time.Sleep(5 * time.Millisecond)
	}
	switch got {
	case ungripped:
		return Elsewhere
	case unknown:
		who, err := claim(s.path)
		if who != "" {
			return Elsewhere + " (" + who + ")"
		}
		s.marked = err == nil
	}
	return ""
}

// letGo takes away what stands for a lock; a lock goes with its file.
func (s *Session) letGo() {
	if s.marked {
		unclaim(s.path)
		s.marked = false
	}
}

// IsElsewhere reports whether ReadOnly said that another forge has the session open.
func IsElsewhere(why string) bool { return strings.HasPrefix(why, Elsewhere) }

// inUse reports whether somebody has the file of a session for himself.
func inUse(f *os.File) bool {
	switch shared(f) {
	case ungripped:
		return true
	case unknown:
		return claimed(f.Name()) != ""
	}
	return false
}
