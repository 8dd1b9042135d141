package doctor

import (
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"forge/ui/terminal"
)

// askWait is how long a terminal may take to answer: over a slow line one takes a
// second, and one that never answers is not to be waited for longer.
const askWait = 1500 * time.Millisecond

// AskTerminal asks the terminal that a command runs in what it can.
func AskTerminal(in, out *os.File) Terminal {
	if !term.IsTerminal(in.Fd()) || !term.IsTerminal(out.Fd()) {
		return Terminal{}
	}
	t := Terminal{Shown: true, Colours: strings.ToLower(colorprofile.Detect(out, os.Environ()).String())}
	if w, h, err := term.GetSize(out.Fd()); err == nil {
		t.W, t.H = w, h
	}
	if terminal.Plain(terminal.Environ(runtime.GOOS, os.Getenv)) {
		return t
	}
	was, err := term.MakeRaw(in.Fd())
	if err != nil {
		return t
	}
	defer term.Restore(in.Fd(), was)
	if _, err := out.WriteString(terminal.Questions); err != nil {
		return t
	}
	// The reader may wait for ever for a terminal that says nothing; it ends with the
	// command.
	said := make(chan string, 1)
	go func() {
		var all strings.Builder
		b := make([]byte, 256)
		for !terminal.Answered(all.String()) {
			n, err := in.Read(b)
			all.Write(b[:n])
			said <- all.String()
			if err != nil {
				return
			}
		}
	}()
	late := time.NewTimer(askWait)
	defer late.Stop()
	last := ""
	for !terminal.Answered(last) {
		select {
		case last = <-said:
		case <-late.C:
			t.Answers = terminal.ReadAnswers(last)
			return t
		}
	}
	t.Answers = terminal.ReadAnswers(last)
	return t
}
