//go:build unix

package ui

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// A picture that is shown alone is painted again when the window has another size, and
// leaves nothing behind when a key is pressed.
func TestShownUntilKey(t *testing.T) {
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ptm.Close()
	defer pts.Close()
	size := func(w, h uint16) {
		if err := pty.Setsize(ptm, &pty.Winsize{Cols: w, Rows: h}); err != nil {
			t.Fatal(err)
		}
	}
	size(80, 24)
	before, err := term.GetState(pts.Fd())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- shownUntilKey(pts, pts, func() (string, error) {
			ws, err := pty.GetsizeFull(pts)
			return fmt.Sprintf("<%dx%d>", ws.Cols, ws.Rows), err
		})
	}()
	said := ""
	until := func(what string) {
		t.Helper()
		b := make([]byte, 4096)
		for !strings.Contains(said, what) {
			n, err := ptm.Read(b)
			if err != nil {
				t.Fatalf("%v; it said %q, and not %q", err, said, what)
			}
			said += string(b[:n])
		}
	}
	until("<80x24>")
	size(50, 10)
	syscall.Kill(os.Getpid(), syscall.SIGWINCH)
	until(ansi.EraseEntireScreen + ansi.CursorHomePosition + "<50x10>")
	if _, err := ptm.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	until(ansi.ShowCursor + ansi.ResetModeAltScreenSaveCursor)
	if after, err := term.GetState(pts.Fd()); err != nil || after.Lflag != before.Lflag {
		t.Errorf("the terminal is left otherwise than it was: %v", err)
	}
}
