package display

import (
	"context"
	"io"
	"os"
	"strconv"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

// tty is a terminal, as the system knows it.
type tty struct {
	in, out *os.File
	con     uv.Console
	env     uv.Environ
	w, h    int // when the program began
	// Whether a tab and a backspace arrive there as they are, and may move the cursor.
	tabs, backspace bool
}

// newTTY is nil where one end is no terminal.
func newTTY(in io.Reader, out io.Writer, env []string) *tty {
	t := &tty{env: env}
	var ok bool
	if t.in, ok = in.(*os.File); !ok || !term.IsTerminal(t.in.Fd()) {
		return nil
	}
	if t.out, ok = out.(*os.File); !ok || !term.IsTerminal(t.out.Fd()) {
		return nil
	}
	t.con = uv.NewConsole(t.in, t.out, env)
	return t
}

// raw has the system hand over every key as it is; cooked takes it back.
func (t *tty) raw() error {
	before, err := t.con.MakeRaw()
	if err == nil {
		t.tabs, t.backspace = movements(before)
	}
	return err
}

// cooked has no use for an error: there is nobody left to be told.
func (t *tty) cooked() { _ = t.con.Restore() }

// size is the terminal's in cells; one that does not know its own is as large as the
// environment says, or 80x24.
func (t *tty) size() (w, h int, err error) {
	w, h, err = t.con.GetSize()
	return t.or(w, "COLUMNS", 80), t.or(h, "LINES", 24), err
}

// truly is a size as the system has it: what the console of Windows tells between the
// keys is that of its buffer, which may be thousands of rows high.
func (t *tty) truly(told tea.WindowSizeMsg) tea.WindowSizeMsg {
	if w, h, err := t.size(); err == nil {
		return tea.WindowSizeMsg{Width: w, Height: h}
	}
	return told
}

func (t *tty) or(n int, name string, usual int) int {
	if n > 0 {
		return n
	}
	if n, err := strconv.Atoi(t.env.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return usual
}

// watch calls resized after every change of the size, until ctx ends.
func (t *tty) watch(ctx context.Context, resized func()) {
	changes, stop := sizeChanges()
	defer stop()
	if w, h, err := t.size(); err == nil && (w != t.w || h != t.h) { // before anybody listened
		resized()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes:
			resized()
		}
	}
}
