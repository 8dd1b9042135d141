package session

import (
	"os"
	"time"
)

// lockPatience is how long a session's lock is waited for. A forge that was killed
// just now may still hold it: a process it was about to start has its files until it
// has become another program.
const lockPatience = 500 * time.Millisecond

// lockSoon takes the file for this process alone, waiting a moment for who is about
// to let it go, and reports whether it has it.
func lockSoon(f *os.File) bool {
	for end := time.Now().Add(lockPatience); !lock(f); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
