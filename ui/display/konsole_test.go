package display

import (
	"io"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Konsole sends a keypad's enter for shift+enter.
func TestKonsole(t *testing.T) {
	for _, c := range []struct{ env, keys, want string }{
		{"KONSOLE_VERSION=221203", "\x1bOM", "shift+enter"},
		{"KONSOLE_VERSION=", "\x1bOM", "enter"},
		{"KONSOLE_VERSION=260802", "\x1b[?5u\x1b[57414u", "enter"}, // newer ones take Kitty's protocol
		{"KONSOLE_VERSION=221203", "\x1b[?0u\x1bOM", "shift+enter"},
	} {
		heard := make(chan tea.Msg, 100)
		play(t, 30, 4, func(s *stage) {
			s.show(alt)
			io.WriteString(s.keys, c.keys)
			pause(floor)
			got := ""
			for len(heard) > 0 {
				if k, ok := (<-heard).(tea.KeyPressMsg); ok {
					got += k.String()
				}
			}
			if got != c.want {
				t.Errorf("%s: %q, want %q", c.env, got, c.want)
			}
		}, func(s *stage) { s.p.heard, s.env = heard, []string{c.env} })
	}
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{[]string{"KONSOLE_VERSION=221203"}, true},
		{[]string{"KONSOLE_VERSION=221203", "TMUX=/tmp/x"}, false},
		{[]string{"KONSOLE_VERSION=221203", "STY=1.x"}, false},
		{nil, false},
	} {
		if got := konsole(c.env); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}
