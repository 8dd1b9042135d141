//go:build unix

package display

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"golang.org/x/sys/unix"

	"forge/ui/screentest"
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
	looks int // for clocks
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
		case "c":
			all := make([]byte, 1<<20)
			a.looks++
			a.heard = fmt.Sprintf("look %d: %d clocks ", a.looks, bytes.Count(all[:runtime.Stack(all, true)], []byte("startRenderer.func")))
			return a, nil
		case "r":
			return a, relays()
		case "e":
			c := exec.Command("sh", "-c", "echo here I am; read line; exit ${#line}")
			return a, Exec(c, func(err error) tea.Msg { return ended(fmt.Sprint(err)) })
		}
		a.heard += msg.String() + " "
	}
	return a, nil
}

type ended string

// terminal is this binary as a program on a real terminal.
type terminal struct {
	*screentest.Terminal
	t *testing.T
}

func openTerminal(t *testing.T, w, h int, with ...func(*exec.Cmd)) *terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FORGE_DISPLAY_CHILD=1", "TERM=xterm-256color")
	for _, f := range with {
		f(cmd)
	}
	return &terminal{screentest.Start(t, cmd, w, h, true), t}
}

func environ(env ...string) func(*exec.Cmd) {
	return func(c *exec.Cmd) { c.Env = append(c.Env, env...) }
}

// shell runs the program as a job of a shell.
func shell(script string) func(*exec.Cmd) {
	return func(c *exec.Cmd) { c.Path, c.Args = "/bin/sh", []string{"sh", "-c", script, os.Args[0]} }
}

// given says whether the terminal is the one that was there before: the main screen, its
// cursor, and keys a line at a time.
func (s *terminal) given() (yes bool) {
	state, err := term.GetState(s.Pty.Fd())
	s.Emulator(func(em *vt.Emulator) {
		yes = err == nil && state.Lflag&unix.ICANON != 0 && !em.IsAltScreen() && !em.CursorHidden()
	})
	return yes
}

// bye waits for the end.
func (s *terminal) bye() {
	s.t.Helper()
	s.Wait()
	s.Emulator(func(em *vt.Emulator) {
		if em.IsAltScreen() || em.CursorHidden() {
			s.t.Error("the terminal was not given back")
		}
	})
}

func TestResize(t *testing.T) {
	s := openTerminal(t, 40, 10)
	s.See("size 40x10")
	if s.given() {
		t.Error("the terminal was not taken")
	}
	for i := range 30 {
		w, h := 20+i, 5+i
		s.Resize(w, h)
	}
	s.See("size 49x34")
	s.Send("q")
	s.bye()
	if !strings.Contains(s.Text(), "ended: <nil>") {
		t.Errorf("%q", s.Text())
	}
}

// The system knows how large the terminal is. Who tells another size among the keys, as
// the console of Windows does of its buffer, is not believed.
func TestSizeThatIsTold(t *testing.T) {
	s := openTerminal(t, 40, 10)
	s.See("size 40x10")
	s.Send("\x1b[8;999;70tk")
	s.See(" k")
	if text := s.Text(); !strings.Contains(text, "size 40x10") {
		t.Errorf("%q", text)
	}
	s.Send("q")
	s.bye()
}

// A terminal that does not know its size is as large as the environment says.
func TestSizeOfTheEnvironment(t *testing.T) {
	s := openTerminal(t, 0, 0, environ("COLUMNS=60", "LINES="))
	s.Emulator(func(em *vt.Emulator) { em.Resize(60, 24) })
	s.See("size 60x24")
	s.Send("q")
	s.bye()
}

// While a program is suspended its terminal is the shell's; afterwards everything is
// there again, the size it has got meanwhile included.
func TestSuspend(t *testing.T) {
	s := openTerminal(t, 40, 10, shell("set -m; \"$0\"; echo shell 1; read x; fg; echo shell 2; read x; fg"))
	s.See("size 40x10")
	for i := range 2 {
		s.Send("z")
		s.See(fmt.Sprint("shell ", i+1))
		s.Until("the terminal is given back", s.given)
		w := 41 + i
		s.Resize(w, 10)
		s.Send("\r")
		s.See(strings.Repeat("resumed ", i+1))
		s.See(fmt.Sprintf("size %dx10", w))
	}
	s.Send("k")
	s.See("resumed k")
	s.Send("q")
	s.bye()
}

// Where nobody could continue it, it does not wait for that.
func TestSuspendWithoutAShell(t *testing.T) {
	s := openTerminal(t, 40, 10)
	s.See("size 40x10")
	s.Send("z")
	s.See("resumed")
	s.Send("k")
	s.See("resumed k")
	s.Send("q")
	s.bye()
}

// Another program has the terminal as a program expects it, and its keys.
func TestExec(t *testing.T) {
	s := openTerminal(t, 80, 10)
	s.See("size 80x10")
	for i := range 3 {
		s.Send("e")
		// What the ones before have said stands on the same screen.
		s.Until("the other program is there", func() bool { return strings.Count(s.Text(), "here I am") == i+1 })
		if !s.given() {
			t.Error("the terminal was not given away")
		}
		s.Send("qzp\r")
		s.See("heard " + strings.Repeat("[exit status 3] ", i+1))
	}
	s.Send("k")
	s.See("3] k")
	s.Send("q")
	s.bye()
}

// A program that waits for keys has no clock that wakes it, neither from the beginning
// nor after another program had the terminal.
func TestNothingTicks(t *testing.T) {
	s := openTerminal(t, 80, 10)
	s.See("size 80x10")
	looks := 0
	still := func() {
		t.Helper()
		for ticks := true; ticks && !t.Failed(); ticks = !strings.Contains(s.Text(), ": 0 clocks") {
			looks++
			s.Send("c")
			s.See(fmt.Sprintf("look %d:", looks))
		}
	}
	still()
	s.Send("e")
	s.See("here I am")
	s.Send("\r")
	s.See("[<nil>]")
	still()
	s.Send("q")
	s.bye()
}

// Esc and what an input method writes right behind it are two keys; with a letter it is
// Alt.
func TestEscAheadOfText(t *testing.T) {
	s := openTerminal(t, 80, 10)
	s.See("size 80x10")
	s.Send("\x1b你好")
	s.See("heard esc 你 好")
	s.Send("\x1b。\x1bk")
	s.See("好 esc 。 alt+k")
	s.Send("\x1b한\x1bé")
	s.See("esc 한 alt+é")
	s.Send("q")
	s.bye()
}

// Keys that come while another program is being started are not lost, and nobody waits
// for them.
func TestKeysAheadOfATurn(t *testing.T) {
	s := openTerminal(t, 80, 10)
	s.See("size 80x10")
	s.Send("eab")
	s.See("here I am")
	s.Send("\r")
	s.See("[<nil>]")
	s.Until("both keys are there", func() bool { return strings.Contains(strings.ReplaceAll(s.Text(), "[<nil>] ", ""), "a b") })
	s.Send("q")
	s.bye()
}

func TestWaysOut(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(s *terminal)
		want string
	}{
		"quit":      {func(s *terminal) { s.Send("q") }, "ended: <nil>"},
		"terminate": {func(s *terminal) { s.Cmd.Process.Signal(syscall.SIGTERM) }, "ended: <nil>"},
		"terminate while it is lent": {func(s *terminal) {
			s.Send("e")
			s.See("here I am")
			s.Cmd.Process.Signal(syscall.SIGTERM)
			s.Send("x\r")
		}, "ended: <nil>"},
		"interrupt": {func(s *terminal) { s.Cmd.Process.Signal(syscall.SIGINT) }, "interrupted"},
		"panic":     {func(s *terminal) { s.Send("p") }, "the actor fell"}, // on the main screen, where it can be read
	} {
		t.Run(name, func(t *testing.T) {
			s := openTerminal(t, 100, 60)
			s.See("size 100x60")
			c.end(s)
			s.bye()
			if !strings.Contains(s.Text(), c.want) {
				t.Errorf("%q is not there:\n%s", c.want, s.Text())
			}
		})
	}
}
