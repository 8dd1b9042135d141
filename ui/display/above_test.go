package display

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// printing is a puppet that leaves rows above its frame.
type printing struct {
	puppet
	rows *rows
}

type rows struct {
	mu   sync.Mutex
	wait []string
}

func (r *rows) add(s ...string) { r.mu.Lock(); r.wait = append(r.wait, s...); r.mu.Unlock() }

func (r *rows) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.wait
	r.wait = nil
	return out
}

func (p printing) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, cmd := p.puppet.Update(msg)
	p.puppet = m.(puppet)
	return p, cmd
}

func (p printing) Above() []string { return p.rows.take() }

// history is all a terminal holds: what has scrolled away, then what it shows.
func history(em *vt.Emulator) string {
	var b strings.Builder
	for y := range em.ScrollbackLen() {
		for x := range em.Width() {
			if c := em.ScrollbackCellAt(x, y); c != nil {
				b.WriteString(c.Content)
			}
		}
		b.WriteByte('\n')
	}
	var out []string
	for _, l := range strings.Split(b.String()+em.String(), "\n") {
		out = append(out, strings.TrimRight(l, " \r"))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// What a model prints stands above its frame once and in order, whatever the frame was
// and is: small, as high as the terminal, on the other screen; at the end the frame goes
// and the rows stay.
func TestPrintedAbove(t *testing.T) {
	var r rows
	var want []string
	end := ""
	play(t, 20, 6, func(s *stage) {
		frame := func(n int) string {
			return strings.TrimSuffix(strings.Repeat("live\n", n-1), "\n") + map[bool]string{true: "\nprompt", false: "prompt"}[n > 1]
		}
		n := 0
		for _, high := range []int{2, 1, 6, 6, 3, 6, 2, 1, 5} {
			for range 1 + high%3 {
				n++
				want = append(want, fmt.Sprintf("row %d", n))
				r.add(fmt.Sprintf("\x1b[1mrow %d", n)) // a look is not handed on
			}
			s.content(frame(high))
			pause(time.Second)
			all := strings.Join(want, "\n") + "\n" + frame(high)
			if got := history(s.em); got != all {
				t.Fatalf("a frame of %d rows:\n%s\nwant:\n%s", high, got, all)
			}
		}
		// Marks for the terminal stay around a row, whatever is in it.
		for _, text := range []string{"asked", "问 👨"} {
			s.wrote()
			want = append(want, text, "", "said")
			r.add(PromptBegins+text+PromptEnds, PromptEnds, "said")
			s.content("prompt")
			pause(time.Second)
			_, raw, _ := strings.Cut(s.wrote(), PromptBegins)
			row, rest, ends := strings.Cut(raw, PromptEnds)
			if !ends || !strings.HasPrefix(row, text[:3]) || !strings.HasSuffix(row, "\n") || !strings.HasPrefix(rest, PromptEnds) || strings.Contains(rest[len(PromptEnds):], PromptEnds) {
				t.Errorf("%q: %q", text, raw)
			}
		}
		// On the alternate screen they wait.
		r.add("row x")
		s.show(func(v *tea.View) { v.AltScreen, v.Content = true, "pager" })
		pause(time.Second)
		if got := rowsOf(s.em); got != "pager" {
			t.Errorf("the other screen: %q", got)
		}
		s.show(func(v *tea.View) { v.AltScreen, v.Content = false, "prompt" })
		pause(time.Second)
		want = append(want, "row x")
		if got := history(s.em); got != strings.Join(want, "\n")+"\nprompt" {
			t.Errorf("back again:\n%s", got)
		}
		r.add("the last")
		s.do(tea.Quit)
		pause(time.Second)
		end = history(s.em)
	}, func(s *stage) { s.as = func(p puppet) tea.Model { return printing{p, &r} } })
	if all := strings.Join(append(want, "the last"), "\n"); end != all {
		t.Errorf("at the end:\n%s\nwant:\n%s", end, all)
	}
}

// A terminal that becomes lower may drop what stands beneath the cursor. What was left above
// the frame stays all the same.
func TestLowerTerminalKeepsWhatIsAbove(t *testing.T) {
	var r rows
	play(t, 20, 6, func(s *stage) {
		r.add("row 1", "row 2", "row 3", "row 4")
		s.show(func(v *tea.View) { v.Content, v.Cursor = "prompt\nstatus\nmore", tea.NewCursor(6, 0) })
		pause(time.Second)
		s.mu.Lock()
		s.em.Resize(20, 4)
		s.mu.Unlock()
		s.do(func() tea.Msg { return tea.WindowSizeMsg{Width: 20, Height: 4} })
		pause(time.Second)
		if got, want := history(s.em), "row 1\nrow 2\nrow 3\nrow 4\nprompt\nstatus\nmore"; got != want {
			t.Errorf("%s\nwant:\n%s", got, want)
		}
	}, func(s *stage) { s.as = func(p puppet) tea.Model { return printing{p, &r} } })
}

// A terminal of another size has the frame once: it is taken off row by row, since a whole
// screen that is erased goes into the scrollback of some.
func TestResizeLeavesNothing(t *testing.T) {
	play(t, 20, 6, func(s *stage) {
		frame := strings.TrimSuffix(strings.Repeat("live\n", 5), "\n") + "\nprompt"
		s.content(frame)
		pause(time.Second)
		for _, w := range []int{30, 25, 40} {
			s.wrote()
			s.mu.Lock()
			s.em.Resize(w, 6)
			s.mu.Unlock()
			s.do(func() tea.Msg { return tea.WindowSizeMsg{Width: w, Height: 6} })
			pause(time.Second)
			if got := history(s.em); got != frame {
				t.Errorf("%d columns:\n%s", w, got)
			}
			before, _, drawn := strings.Cut(s.wrote(), "live")
			taken, _, _ := strings.Cut(before, "\x1b[J")
			if n := strings.Count(taken, "\x1b[2K"); n != 6 || !drawn {
				t.Errorf("%d columns: %d rows were taken off before what is beneath them was erased: %q", w, n, before)
			}
		}
	}, func(s *stage) { s.as = func(p puppet) tea.Model { return printing{p, &rows{}} } })
}

// Where the terminal has broken long rows, their parts are taken off, too.
func TestOffAfterReflow(t *testing.T) {
	c := newCanvas(false, []string{"TERM=xterm-256color"}, nil)
	c.paint(frame{content: strings.Repeat("x", 25) + "\n" + strings.Repeat("y", 10) + "\nprompt", x: 3, y: 2, cursor: true, valid: true}, 30, 5)
	if got := string(c.off(10, true)); !strings.Contains(got, "\x1b[2A\r") || strings.Count(got, "\x1b[2K") != 5 || !strings.HasSuffix(got, ansi.RestoreCursor) {
		t.Errorf("%q", got)
	}
	for _, env := range [][]string{{"TERM=xterm"}, {"TERM=screen", "STY=1", "VTE_VERSION=1"}} {
		if reflows(env) {
			t.Errorf("%q", env)
		}
	}
	if !reflows([]string{"TERM=tmux-256color", "TMUX=/tmp/x,1,0"}) {
		t.Error("tmux breaks long rows")
	}
}

// The alternate screen is empty when it is left after the size has changed, since tmux
// takes rows of it over; else it is left as it is.
func TestOtherScreenIsLeftEmpty(t *testing.T) {
	emptied := func(wrote string) bool {
		before, _, left := strings.Cut(wrote, "\x1b[?1049l")
		return left && strings.Contains(before, "\x1b[H\x1b[2J")
	}
	play(t, 20, 6, func(s *stage) {
		other := func(on bool) {
			s.show(func(v *tea.View) { v.AltScreen, v.Content = on, map[bool]string{true: "pager", false: "prompt"}[on] })
			pause(time.Second)
		}
		size := func(w, h int) {
			s.do(func() tea.Msg { return tea.WindowSizeMsg{Width: w, Height: h} })
			pause(time.Second)
		}
		other(true)
		s.wrote()
		if other(false); emptied(s.wrote()) {
			t.Error("nothing had changed")
		}
		other(true)
		size(30, 9)
		s.wrote()
		if other(false); !emptied(s.wrote()) {
			t.Error("it is left full")
		}
		size(20, 6)
		other(true)
		s.wrote()
		if other(false); emptied(s.wrote()) {
			t.Error("the size changed before")
		}
		other(true)
		size(30, 9)
		s.wrote()
		s.do(tea.Quit)
		pause(time.Second)
		if !emptied(s.wrote()) {
			t.Error("it is left full at the end")
		}
	})
}
