package display

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
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
			want = append(want, text)
			r.add(PromptBegins + text + PromptEnds)
			s.content("prompt")
			pause(time.Second)
			_, raw, _ := strings.Cut(s.wrote(), PromptBegins)
			if row, _, ends := strings.Cut(raw, PromptEnds); !ends || !strings.HasPrefix(row, text[:3]) {
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
