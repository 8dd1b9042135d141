//go:build unix

package screentest

import (
	"os/exec"
	"strings"
	"testing"
)

// What is written in one go is seen frame by frame by whoever waits.
func TestEveryFrameIsSeen(t *testing.T) {
	const both = `read x; printf '\033[?2026hfirst\033[?2026l\033[?2026h\033[2J\033[Hsecond\033[?2026l'; read x`
	s := Start(t, exec.Command("/bin/sh", "-c", both), 40, 10, true)
	begun := false
	s.Until("the first frame is seen", func() bool {
		if !begun {
			begun = true
			s.Send("\r")
		}
		return strings.Contains(s.Text(), "first")
	})
	s.See("second")
	s.Lose("first")
	s.Send("\r")
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
}
