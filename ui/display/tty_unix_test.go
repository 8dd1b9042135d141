//go:build unix

package display

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// The tests below run this binary once more, as a program under a pty.
func TestMain(m *testing.M) {
	if os.Getenv("FORGE_DISPLAY_CHILD") != "" {
		os.Exit(child())
	}
	os.Exit(m.Run())
}

func child() int {
	err := Run(context.Background(), actor{}, Terminal{})
	fmt.Println("ended:", err)
	return 0
}

// actor shows its size and what it has heard, and does what single keys say.
type actor struct {
	size  string
	heard string
}

func (a actor) Init() tea.Cmd { return nil }

func (a actor) View() tea.View {
	v := tea.NewView("size " + a.size + "\nheard " + a.heard)
	v.AltScreen, v.MouseMode, v.Cursor = true, tea.MouseModeCellMotion, tea.NewCursor(0, 1)
	return v
}

func (a actor) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.size = fmt.Sprintf("%dx%d", msg.Width, msg.Height)
	case tea.ResumeMsg:
		a.heard += "resumed "
	case ended:
		a.heard += "[" + string(msg) + "] "
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q":
			return a, tea.Quit
		case "z":
			return a, tea.Suspend
		case "p":
			panic("the actor fell")
		case "e":
			c := exec.Command("sh", "-c", "echo here I am; read line; exit ${#line}")
			return a, Exec(c, func(err error) tea.Msg { return ended(fmt.Sprint(err)) })
		}
		a.heard += msg.String() + " "
	}
	return a, nil
}

type ended string

// terminal is a program under a pty, and an emulator that shows what it says.
type terminal struct {
	t     *testing.T
	mu    sync.Mutex
	em    *vt.Emulator
	pty   *os.File
	cmd   *exec.Cmd
	ended chan error
	read  chan struct{}
}

func openTerminal(t *testing.T, w, h int, with ...func(*exec.Cmd)) *terminal {
	t.Helper()
	s := &terminal{t: t, em: vt.NewEmulator(w, h), cmd: exec.Command(os.Args[0]), ended: make(chan error, 1), read: make(chan struct{})}
	s.cmd.Env = append(os.Environ(), "FORGE_DISPLAY_CHILD=1", "TERM=xterm-256color")
	for _, f := range with {
		f(s.cmd)
	}
	f, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)})
	if err != nil {
		t.Fatal(err)
	}
	s.pty = f
	go io.Copy(f, s.em)
	go func() {
		defer close(s.read)
		b := make([]byte, 4096)
		for {
			n, err := f.Read(b)
			s.mu.Lock()
			s.em.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.read
		f.Close()
		if replies, ok := s.em.InputPipe().(io.Closer); ok {
			replies.Close()
		}
	})
	return s
}

func environ(env ...string) func(*exec.Cmd) {
	return func(c *exec.Cmd) { c.Env = append(c.Env, env...) }
}

// shell runs the program as a job of a shell.
func shell(script string) func(*exec.Cmd) {
	return func(c *exec.Cmd) { c.Path, c.Args = "/bin/sh", []string{"sh", "-c", script, os.Args[0]} }
}

func (s *terminal) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ansi.Strip(s.em.Render())
}

func (s *terminal) until(what string, ok func() bool) {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("waited in vain: %s; the screen:\n%s", what, s.text())
		}
	}
}

func (s *terminal) see(want string) {
	s.t.Helper()
	s.until(want, func() bool { return strings.Contains(s.text(), want) })
}

func (s *terminal) send(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.pty, keys); err != nil {
		s.t.Fatal(err)
	}
}

// given says whether the terminal is the one that was there before: the main screen, its
// cursor, and keys a line at a time.
func (s *terminal) given() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, err := term.GetState(s.pty.Fd())
	return err == nil && state.Lflag&unix.ICANON != 0 && !s.em.IsAltScreen() && !s.em.CursorHidden()
}

// bye waits for the end.
func (s *terminal) bye() {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(30 * time.Second):
		s.t.Fatalf("it does not end; the screen:\n%s", s.text())
	}
	<-s.read
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.em.IsAltScreen() || s.em.CursorHidden() {
		s.t.Error("the terminal was not given back")
	}
}

func TestResize(t *testing.T) {
	s := openTerminal(t, 40, 10)
	s.see("size 40x10")
	if s.given() {
		t.Error("the terminal was not taken")
	}
	for i := range 30 {
		w, h := 20+i, 5+i
		s.mu.Lock()
		s.em.Resize(w, h)
		s.mu.Unlock()
		if err := pty.Setsize(s.pty, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
			t.Fatal(err)
		}
	}
	s.see("size 49x34")
	s.send("q")
	s.bye()
	if !strings.Contains(s.text(), "ended: <nil>") {
		t.Errorf("%q", s.text())
	}
}

// A terminal that does not know its size is as large as the environment says.
func TestSizeOfTheEnvironment(t *testing.T) {
	s := openTerminal(t, 0, 0, environ("COLUMNS=60", "LINES="))
	s.mu.Lock()
	s.em.Resize(60, 24)
	s.mu.Unlock()
	s.see("size 60x24")
	s.send("q")
	s.bye()
}

// While a program is suspended its terminal is the shell's; afterwards everything is
// there again, the size it has got meanwhile included.
func TestSuspend(t *testing.T) {
	s := openTerminal(t, 40, 10, shell("set -m; \"$0\"; echo shell 1; read x; fg; echo shell 2; read x; fg"))
	s.see("size 40x10")
	for i := range 2 {
		s.send("z")
		s.see(fmt.Sprint("shell ", i+1))
		s.until("the terminal is given back", s.given)
		w := 41 + i
		s.mu.Lock()
		s.em.Resize(w, 10)
		s.mu.Unlock()
		if err := pty.Setsize(s.pty, &pty.Winsize{Rows: 10, Cols: uint16(w)}); err != nil {
			t.Fatal(err)
		}
		s.send("\r")
		s.see(strings.Repeat("resumed ", i+1))
		s.see(fmt.Sprintf("size %dx10", w))
	}
	s.send("k")
	s.see("resumed k")
	s.send("q")
	s.bye()
}

// Where nobody could continue it, it does not wait for that.
func TestSuspendWithoutAShell(t *testing.T) {
	s := openTerminal(t, 40, 10)
	s.see("size 40x10")
	s.send("z")
	s.see("resumed")
	s.send("k")
	s.see("resumed k")
	s.send("q")
	s.bye()
}

// Another program has the terminal as a program expects it, and its keys.
func TestExec(t *testing.T) {
	s := openTerminal(t, 80, 10)
	s.see("size 80x10")
	for i := range 3 {
		s.send("e")
		s.see("here I am")
		if !s.given() {
			t.Error("the terminal was not given away")
		}
		s.send("qzp\r")
		s.see("heard " + strings.Repeat("[exit status 3] ", i+1))
	}
	s.send("k")
	s.see("3] k")
	s.send("q")
	s.bye()
}

func TestWaysOut(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(s *terminal)
		want string
	}{
		"quit":      {func(s *terminal) { s.send("q") }, "ended: <nil>"},
		"terminate": {func(s *terminal) { s.cmd.Process.Signal(syscall.SIGTERM) }, "ended: <nil>"},
		"interrupt": {func(s *terminal) { s.cmd.Process.Signal(syscall.SIGINT) }, "interrupted"},
		"panic":     {func(s *terminal) { s.send("p") }, "the actor fell"}, // on the main screen, where it can be read
	} {
		t.Run(name, func(t *testing.T) {
			s := openTerminal(t, 100, 60)
			s.see("size 100x60")
			c.end(s)
			s.bye()
			if !strings.Contains(s.text(), c.want) {
				t.Errorf("%q is not there:\n%s", c.want, s.text())
			}
		})
	}
}
