//go:build unix

package doctor

import (
	"io"
	"testing"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"forge/ui/terminal"
)

// A terminal that answers is known; the row the width was tried on is empty again.
func TestAskTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	host, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	defer host.Close()
	if err := pty.Setsize(host, &pty.Winsize{Cols: 90, Rows: 20}); err != nil {
		t.Fatal(err)
	}
	go func() {
		b := make([]byte, 1024)
		if _, err := host.Read(b); err == nil {
			io.WriteString(host, "\x1b[1;2R\x1b[?0u\x1b[?2026;2$y\x1bP>|foot 1.20\x1b\\\x1b[?62;c")
		}
	}()
	got := AskTerminal(tty, tty)
	want := terminal.Answers{Name: "foot 1.20", Keyboard: terminal.Yes, Sync: terminal.Yes, Ambiguous: 1}
	if got.W != 90 || got.H != 20 || !got.Shown || got.Answers != want {
		t.Errorf("%+v", got)
	}
	em := vt.NewEmulator(20, 2)
	go io.Copy(io.Discard, em)
	em.WriteString(terminal.Questions)
	if row := em.CellAt(0, 0); row != nil && row.Content != " " && row.Content != "" {
		t.Errorf("%q was left on the screen", row.Content)
	}
}

// A terminal that says nothing is waited for a moment, and no longer.
func TestAskSilentTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	host, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	defer host.Close()
	if got := AskTerminal(tty, tty); !got.Answers.Silent || !got.Shown {
		t.Errorf("%+v", got)
	}
}
