package display

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A terminal that becomes higher while a frame for the lower one is on its way shows what
// it is told afterwards: the region that frame scrolled is not kept.
func TestScrollingAcrossAResize(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no region scrolls there")
	}
	rows := func(from, n int) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf("%d %s", from+i, strings.Repeat(string(rune('a'+(from+i)%26)), 12)))
		}
		return strings.Join(out, "\n")
	}
	play(t, 30, 8, func(s *stage) {
		s.show(func(v *tea.View) { v.AltScreen, v.Content = true, rows(0, 6)+"\nprompt\nstatus" })
		pause(time.Second)
		s.wrote()
		s.mu.Lock()
		s.em.Resize(30, 16)
		s.mu.Unlock()
		s.content(rows(1, 6) + "\nprompt\nstatus") // it is not told yet
		pause(time.Second)
		if got := s.wrote(); !strings.Contains(got, "\x1b[1;8r") {
			t.Fatalf("nothing scrolls: %q", got)
		}
		s.show(func(v *tea.View) { v.Content = rows(20, 16) })
		s.do(func() tea.Msg { return tea.WindowSizeMsg{Width: 30, Height: 16} })
		pause(time.Second)
		if got := s.wrote(); strings.LastIndex(got, "\x1b[r") < strings.LastIndex(got, "\x1b[1;8r") {
			t.Errorf("the region stays: %q", got)
		}
		for y, row := range strings.Split(s.looks(), "\n") {
			if want := strings.Split(rows(20, 16), "\n")[y]; strings.TrimSpace(row) != want {
				t.Errorf("row %d: %q, want %q", y, row, want)
			}
		}
		s.show(func(v *tea.View) { v.AltScreen = false })
		pause(time.Second)
		if got := s.wrote(); !strings.Contains(got, "\x1b[r") {
			t.Errorf("the shell has it: %q", got)
		}
	})
}
