package ui

import (
	"sync"
	"testing"
	"time"

	"forge/ui/lang"
)

// The list of hooks says whose each is, whether it runs and how it ended, and switches
// one.
func TestHooksList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		off := false
		o := testOptions(&fakeAgent{})
		o.Hooks = Hooks{
			List: func() []Hook {
				mu.Lock()
				defer mu.Unlock()
				return []Hook{
					{Event: "PreToolUse", Matcher: "Bash", Command: "~/check\x1b[31m.sh", Source: "~/.config/forge/forge.json", Off: off, Limit: time.Minute,
						Ended: "denied: no force", At: time.Unix(1000, 0), Took: 3 * time.Millisecond},
					{Event: "Stop", Matcher: "*", Name: "tests", Command: "make test", Source: ".claude/settings.json", Waiting: true, Limit: time.Minute},
				}
			},
			Switch: func(n int, on bool) error {
				mu.Lock()
				defer mu.Unlock()
				off = n == 0 && !on
				return nil
			},
		}
		s := start(t, o, 100, 30)
		s.send("/hooks\r")
		s.see("PreToolUse Bash  on · ~/check")
		s.see("Stop  not trusted · tests")
		s.see("denied: no force · 3ms")
		s.see("from ~/.config/forge/forge.json · at most 1 m 00 s")
		s.send("\r")
		s.see("❯ PreToolUse Bash  off · ~/check") // with no mark that says yes
		s.send("stop")
		s.see("it has not run yet")
		s.send("\r")
		s.see("it is not trusted: open forge here anew")
		s.send("\x1b")
		if err := lang.Use("zh"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = lang.Use("en") }()
		s.send("/hooks\r")
		s.see("钩子：2")
		s.see("已拒绝：no force")
	})
}
