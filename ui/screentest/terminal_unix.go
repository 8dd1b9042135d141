//go:build unix

package screentest

import (
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// patience is how long is waited for something to be seen before a test fails: far
// longer than it takes anywhere, since it is no measure of speed.
const patience = 150 * time.Second

// Terminal is a program under a real pty, with an emulator that keeps its screen and
// answers its queries.
type Terminal struct {
	Cmd *exec.Cmd
	Pty *os.File // the terminal's end: what is written to it are keys

	t    testing.TB
	gone chan error
	read chan struct{} // closed when the program's last word was drawn

	mu      sync.Mutex // the emulator does not lock by itself
	em      *vt.Emulator
	raw     bytes.Buffer
	clip    []string      // what was put on the terminal's clipboard
	amid    bool          // a frame has begun and has not ended (mode 2026)
	news    chan struct{} // closed when something was written
	looking []*look
}

// A look is that of somebody who waits for something to be seen. No frame takes the place
// of another before they have looked at that one: however busy the machine is, they see
// what stands for a moment only.
type look struct {
	frame chan struct{} // there is one
	taken chan struct{} // it was looked at
	over  chan struct{} // closed when they wait no more
}

// show has somebody look at a frame.
func (l *look) show() {
	select {
	case l.frame <- struct{}{}:
	case <-l.over:
		return
	}
	select {
	case l.taken <- struct{}{}:
	case <-l.over:
	}
}

// Start runs a command on a terminal of w by h cells (0 by 0: one that does not know
// its size). Its queries are answered if answers says so. The test ends the program.
func Start(t testing.TB, cmd *exec.Cmd, w, h int, answers bool) *Terminal {
	t.Helper()
	s := &Terminal{Cmd: cmd, t: t, gone: make(chan error, 1), read: make(chan struct{}), em: vt.NewEmulator(w, h), news: make(chan struct{})}
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)})
	if err != nil {
		t.Fatal(err)
	}
	s.Pty = f
	s.em.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { s.amid = s.amid || m == ansi.ModeSynchronizedOutput },
		DisableMode: func(m ansi.Mode) { s.amid = s.amid && m != ansi.ModeSynchronizedOutput },
	})
	s.em.WriteString(ansi.ResetModeSynchronizedOutput) // known from now on, and so it is answered
	s.em.RegisterOscHandler(52, func(data []byte) bool {
		if parts := strings.SplitN(string(data), ";", 3); len(parts) == 3 {
			if text, err := base64.StdEncoding.DecodeString(parts[2]); err == nil {
				s.clip = append(s.clip, string(text))
			}
		}
		return true
	})
	var answered io.Writer = f
	if !answers {
		answered = io.Discard
	}
	go io.Copy(answered, s.em) // replies block the emulator unless they are taken
	go s.show()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := cmd.Wait()
		// What the program wrote last is still on its way: closing the pty now would
		// lose it. A child that has the terminal open is not waited for.
		select {
		case <-s.read:
		case <-time.After(5 * time.Second):
		}
		f.Close()
		<-s.read
		// Closing the emulator itself would race with the reading of its replies.
		if replies, ok := s.em.InputPipe().(io.Closer); ok {
			replies.Close()
		}
		s.gone <- err
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	return s
}

// show draws what the program writes, until it has closed its end.
func (s *Terminal) show() {
	defer close(s.read)
	b := make([]byte, 32<<10)
	for {
		n, err := s.Pty.Read(b)
		for _, part := range bytes.SplitAfter(b[:n], []byte(ansi.ResetModeSynchronizedOutput)) {
			s.draw(part)
		}
		if err != nil {
			return
		}
	}
}

// draw takes in what was written, a whole frame at most, and has it seen.
func (s *Terminal) draw(b []byte) {
	if len(b) == 0 {
		return
	}
	s.mu.Lock()
	s.raw.Write(b)
	Draw(s.em, b)
	close(s.news)
	s.news = make(chan struct{})
	var looking []*look
	if !s.amid {
		looking = slices.Clone(s.looking)
	}
	s.mu.Unlock()
	for _, l := range looking {
		l.show()
	}
}

// Draw hands output to an emulator. One that has just become smaller does not clamp a
// scroll region that was drawn for the size before, as terminals do, but panics: that
// one sequence is left out.
func Draw(em *vt.Emulator, output []byte) {
	for len(output) > 0 {
		end := len(output)
		if i := bytes.IndexByte(output[1:], 0x1b); i >= 0 {
			end = i + 1
		}
		part := output[:end]
		output = output[end:]
		func() {
			defer func() {
				if recover() != nil {
					em.Write([]byte{0x18}) // CAN: the parser begins anew
				}
			}()
			em.Write(part)
		}()
	}
}

// Emulator lets f look at the emulator while nothing is drawn. Half a frame is seen by
// nobody, unless its program ended in it.
func (s *Terminal) Emulator(f func(em *vt.Emulator)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ended := false; s.amid && !ended; {
		news := s.news
		s.mu.Unlock()
		select {
		case <-news:
		case <-s.read:
			ended = true
		}
		s.mu.Lock()
	}
	f(s.em)
}

// Text is what the screen shows, row by row.
func (s *Terminal) Text() (text string) {
	s.Emulator(func(em *vt.Emulator) { text = ansi.Strip(em.Render()) })
	return text
}

// Raw is every byte the program wrote.
func (s *Terminal) Raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// Alternate reports whether the alternate screen is shown.
func (s *Terminal) Alternate() (is bool) {
	s.Emulator(func(em *vt.Emulator) { is = em.IsAltScreen() })
	return is
}

// Resize gives the window another size; without cells it is one that a terminal
// reports while it is hidden.
func (s *Terminal) Resize(w, h int) {
	s.t.Helper()
	if w > 0 && h > 0 {
		s.Emulator(func(em *vt.Emulator) { em.Resize(w, h) })
	}
	if err := pty.Setsize(s.Pty, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		s.t.Fatal(err)
	}
}

// Send presses keys, given as the bytes a terminal sends.
func (s *Terminal) Send(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.Pty, keys); err != nil {
		s.t.Fatal(err)
	}
}

// Until waits until something holds, which is looked at again with every frame; the test
// fails where it never does. Whatever it is, it must not wait by itself.
func (s *Terminal) Until(what string, holds func() bool) {
	s.t.Helper()
	if !s.Comes(holds) {
		s.t.Fatalf("it never came that %s; the screen:\n%s", what, s.Text())
	}
}

// Comes waits until something holds, and reports whether it ever did.
func (s *Terminal) Comes(holds func() bool) bool {
	end := time.NewTimer(patience)
	defer end.Stop()
	again := time.NewTicker(10 * time.Millisecond) // for what is not told by what is written
	defer again.Stop()
	l := &look{frame: make(chan struct{}), taken: make(chan struct{}), over: make(chan struct{})}
	s.mu.Lock()
	s.looking = append(s.looking, l)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.looking = slices.DeleteFunc(s.looking, func(o *look) bool { return o == l })
		s.mu.Unlock()
		close(l.over)
	}()
	for {
		if holds() {
			return true
		}
		select {
		case <-l.frame:
			if holds() {
				return true
			}
			<-l.taken
		case <-again.C:
		case <-end.C:
			return false
		}
	}
}

// See waits until the screen shows something.
func (s *Terminal) See(want string) {
	s.t.Helper()
	s.Until("the screen shows "+want, func() bool { return strings.Contains(s.Text(), want) })
}

// Lose waits until the screen does not show something any more.
func (s *Terminal) Lose(what string) {
	s.t.Helper()
	s.Until("the screen does not show "+what, func() bool { return !strings.Contains(s.Text(), what) })
}

// Wait returns how the program ended; the test fails where it does not end.
func (s *Terminal) Wait() error {
	s.t.Helper()
	select {
	case err := <-s.gone:
		return err
	case <-time.After(patience):
		s.t.Fatalf("the program does not end; the screen:\n%s", s.Text())
		return nil
	}
}
