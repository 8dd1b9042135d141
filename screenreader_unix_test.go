//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/provider/demo"
)

// hearing is forge in plain lines on a real terminal: what it wrote, byte by byte. The
// terminal edits lines and turns ctrl+c into a signal, as it does for a person.
type hearing struct {
	*terminal
	seen int // what was waited for is before it
}

func listenTo(t *testing.T, dir string, env []string, args ...string) *hearing {
	t.Helper()
	return &hearing{terminal: openTerminal(t, 80, 24, dir, append([]string{"COLORTERM=truecolor"}, env...), args...)}
}

func (h *hearing) text() string { return strings.ReplaceAll(h.Raw(), "\r\n", "\n") }

// hear waits until something was said behind what was heard last.
func (h *hearing) hear(want string) {
	h.t.Helper()
	if !h.Comes(func() bool {
		i := strings.Index(h.text()[h.seen:], want)
		if i >= 0 {
			h.seen += i + len(want)
		}
		return i >= 0
	}) {
		h.t.Fatalf("%q was never said:\n%s", want, h.text())
	}
}

// answer writes a line once the question has stood for a moment; one that came too
// early is told so and is asked for again.
func (h *hearing) answer(line string) {
	h.t.Helper()
	h.hear("answer y to allow once")
	h.hear("your answer: ")
	time.Sleep(600 * time.Millisecond)
	h.send(line)
}

func (h *hearing) wait() {
	h.t.Helper()
	if err := h.Wait(); err != nil {
		h.t.Errorf("forge ended with %v:\n%s", err, h.text())
	}
	if raw := h.text(); strings.ContainsAny(raw, "\x1b\x07\b") {
		h.t.Errorf("a control was written:\n%q", raw)
	}
}

// TestScreenReader walks through the demo by ear: each event once, questions answered
// with words, and no escape sequence from the first byte to the last.
func TestScreenReader(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "laps")
	if err := demo.WriteSample(dir); err != nil {
		t.Fatal(err)
	}
	h := listenTo(t, dir, goEnv(t), "--demo", "--screen-reader", "-C", dir)
	h.hear("prompt: ")
	h.send("why does the median test fail?\n")
	h.hear("tool started: read stats.go")
	h.hear("tool done: read stats.go")
	h.hear("question, medium risk: may this run? run go test ./...")
	h.answer("y\n")
	h.hear("tool failed: run go test ./...")
	h.hear("removed: \treturn sorted[len(sorted)/2]")
	h.hear("added: \tmid := len(sorted) / 2")
	h.answer("yes\n")
	h.hear("allowed once")
	h.answer("no, I shall run them myself\n")
	h.hear("tool not allowed: run go test ./...")
	h.hear("done, ")
	h.hear("prompt: ")
	h.send("\x04")
	h.wait()
	text := h.text()
	if n := strings.Count(text, "tool started: read stats.go"); n != 1 {
		t.Errorf("one event was said %d times:\n%s", n, text)
	}
	if !strings.Contains(text, "goes on with: forge -r") {
		t.Errorf("the way back is not said:\n%s", text)
	}
	b, err := os.ReadFile(filepath.Join(dir, "stats.go"))
	if err != nil || !strings.Contains(string(b), "len(sorted)%2 == 0") {
		t.Errorf("the edit did not land: %v\n%s", err, b)
	}
}

// What is not in order is read out with what to do about it, and a report is written,
// in lines as on the screen.
func TestScreenReaderDoctor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := listenTo(t, dir, []string{"LANG=C", "LC_ALL="}, "--demo", "--screen-reader", "-C", dir)
	h.hear("prompt: ")
	h.send("/doctor\n")
	h.hear("terminal, warn: letters: LANG=C names no UTF-8")
	h.hear("what to do: set a UTF-8 locale")
	h.hear("in order")
	h.hear("prompt: ")
	h.send("/feedback\n")
	h.hear("nothing was sent")
	h.hear("prompt: ")
	h.send("\x04")
	h.wait()
}

// TestScreenReaderInterrupt presses ctrl+c, on a terminal that is dumb and so is spoken to in lines: it stops what runs and leaves forge where
// it is; with nothing on, twice leaves.
func TestScreenReaderInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := listenTo(t, dir, append(goEnv(t), "TERM=dumb"), "--demo", "-C", dir)
	h.hear("prompt: ")
	h.send("!sleep 600\n")
	h.hear("tool started: ! sleep 600")
	h.send("\x03")
	h.hear("stopping")
	h.hear("prompt: ")
	h.send("/mode plan\n")
	h.hear("mode plan")
	h.hear("prompt: ")
	h.send("\x03")
	h.hear("ctrl+c again leaves")
	h.send("\x03")
	h.wait()
}
