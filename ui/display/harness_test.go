package display

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
)

// told is what a test has the model do: show something, or run a command.
type told struct {
	view func(*tea.View)
	cmd  tea.Cmd
}

// puppet shows what it is told to.
type puppet struct {
	tell  chan told
	heard chan<- tea.Msg // what else it hears; nil: nothing
	view  tea.View
	draw  func(tea.View) tea.View
}

func (p puppet) next() tea.Msg { return <-p.tell }

func (p puppet) Init() tea.Cmd { return p.next }

func (p puppet) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	do, ok := msg.(told)
	if !ok {
		if p.heard != nil {
			select {
			case p.heard <- msg:
			default:
			}
		}
		return p, nil
	}
	if do.view != nil {
		do.view(&p.view)
	}
	return p, tea.Batch(do.cmd, p.next)
}

func (p puppet) View() tea.View {
	if p.draw != nil {
		return p.draw(p.view)
	}
	return p.view
}

// stage is a program on a terminal emulator, in a synctest bubble.
type stage struct {
	t     *testing.T
	p     puppet
	em    *vt.Emulator
	keys  *io.PipeWriter
	stop  context.CancelFunc
	ended chan error

	mu   sync.Mutex
	raw  bytes.Buffer
	at   []time.Time // of the writes
	fail func() error
	room int // how much of a write is taken, every other time nothing; 0: all
	full bool
	as   func(puppet) tea.Model // what is run; nil: the puppet itself
	env  []string               // beside what every terminal has
}

func (s *stage) Write(b []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = append(s.at, time.Now())
	if s.fail != nil {
		if err := s.fail(); err != nil {
			return 0, err
		}
	}
	if s.room > 0 && len(b) > s.room {
		if s.full = !s.full; s.full {
			return 0, syscall.EAGAIN
		}
		defer func() { n, err = s.room, syscall.EAGAIN }()
		b = b[:s.room]
	}
	s.raw.Write(b)
	// Nobody made this terminal raw: a line feed is a new line.
	taken := len(b)
	if runtime.GOOS != "windows" { // where a line feed is none anyway
		b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
	}
	s.em.Write(b)
	return taken, nil
}

// play runs f beside a program on a screen of w by h cells.
func play(t *testing.T, w, h int, f func(s *stage), with ...func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in, keys := io.Pipe()
		ctx, stop := context.WithCancel(context.Background())
		s := &stage{t: t, p: puppet{tell: make(chan told)}, em: vt.NewEmulator(w, h), keys: keys, stop: stop, ended: make(chan error, 1)}
		for _, f := range with {
			f(s)
		}
		go io.Copy(io.Discard, s.em) // the emulator's replies
		var m tea.Model = s.p
		if s.as != nil {
			m = s.as(s.p)
		}
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			s.ended <- Run(ctx, m, Terminal{Input: in, Output: s, Width: w, Height: h, NoSignals: true,
				Env: append([]string{"TERM=xterm-256color", "COLORTERM=truecolor", "CLICOLOR_FORCE=1"}, s.env...)})
		}()
		defer func() {
			stop()
			<-gone
			keys.Close()
			in.Close()
			if replies, ok := s.em.InputPipe().(io.Closer); ok {
				replies.Close() // Emulator.Close races with its Read
			}
			select {
			case s.p.tell <- told{}: // the command that waits
			case <-time.After(time.Second):
			}
		}()
		synctest.Wait()
		f(s)
	})
}

// show changes the view and waits until no more comes of it.
func (s *stage) show(change func(v *tea.View)) {
	s.p.tell <- told{view: change}
	synctest.Wait()
}

func (s *stage) content(text string) { s.show(func(v *tea.View) { v.Content = text }) }

func (s *stage) do(cmd tea.Cmd) {
	s.p.tell <- told{cmd: cmd}
	synctest.Wait()
}

// pause lets the bubble's clock go on.
func pause(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// wrote is what was written since the last call.
func (s *stage) wrote() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.raw.Reset()
	return s.raw.String()
}

func (s *stage) writes() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.at = nil }()
	return s.at
}

func (s *stage) looks() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.em.Render()
}

// end ends the program and returns its error.
func (s *stage) end() error {
	s.stop()
	return <-s.ended
}
