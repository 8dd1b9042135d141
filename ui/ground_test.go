package ui

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// The terminal is asked for its background again when the person comes back to it, and
// the other ground is worn where it is another; where it is the same nothing is drawn.
func TestTheGroundIsAskedAgain(t *testing.T) {
	for _, theme := range []string{"auto", "dark"} {
		t.Run(theme, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var light, asked atomic.Int32
				o := testOptions(&fakeAgent{})
				o.Theme = theme
				s := startOn(t, o, 80, 24, []string{"TERM=xterm-256color", "COLORTERM=truecolor", "CLICOLOR_FORCE=1"}, func(b []byte) string {
					switch {
					case !bytes.Contains(b, []byte("\x1b]11;?")):
						return ""
					case asked.Add(1) > 0 && light.Load() > 0:
						return "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"
					}
					return "\x1b]11;rgb:0000/0000/0000\x1b\\"
				})
				looks := func() string {
					s.mu.Lock()
					defer s.mu.Unlock()
					var b strings.Builder
					for y := range 24 {
						for x := range 80 {
							if c := s.em.CellAt(x, y); c != nil && c.Style.Fg != nil {
								fmt.Fprintln(&b, x, y, c.Style.Fg)
							}
						}
					}
					return b.String()
				}
				back := func() (drawn string) {
					s.mu.Lock()
					from := s.raw.Len()
					s.mu.Unlock()
					s.send("\x1b[O")
					s.send("\x1b[I")
					s.mu.Lock()
					defer s.mu.Unlock()
					return strings.Replace(s.raw.String()[from:], ansi.RequestBackgroundColor, "", 1)
				}
				s.send("")
				dark, n := looks(), asked.Load()
				if drawn := back(); drawn != "" || asked.Load() != n+1 {
					t.Errorf("on the same ground, asked %d times, it drew %q", asked.Load()-n, drawn)
				}
				light.Store(1)
				drawn := back()
				if changed := looks() != dark; changed != (theme == "auto") || !changed && drawn != "" {
					t.Errorf("it changed: %v, drew %q", changed, drawn)
				}
				if strings.Contains(drawn, "\x1b[2J") {
					t.Errorf("the screen was cleared: %q", drawn)
				}
				light.Store(0)
				if back(); looks() != dark {
					t.Error("dark again, it looks otherwise")
				}
				s.send("\x04")
				if err := s.wait(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A terminal that never told its background is not asked again and again.
func TestAMuteTerminalIsNotAskedAgain(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	if m.update(tea.FocusMsg{}) != nil {
		t.Error("asked")
	}
}
