package lsp

import (
	"slices"
	"strings"
	"sync"
)

const (
	tailLines  = 40
	tailLetter = 300 // of a line
)

// A tail is the last a server said in words: on its error stream, and in messages. It is
// a writer; its methods may be called from any goroutine.
type tail struct {
	mu    sync.Mutex
	lines []string
	part  []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range b {
		if c == '\n' {
			t.put(string(t.part))
			t.part = t.part[:0]
		} else if len(t.part) < 4*tailLetter {
			t.part = append(t.part, c)
		}
	}
	return len(b), nil
}

func (t *tail) add(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for line := range strings.Lines(text) {
		t.put(line)
	}
}

func (t *tail) put(line string) {
	if line = plain(line, tailLetter); line == "" {
		return
	}
	if t.lines = append(t.lines, line); len(t.lines) > tailLines {
		t.lines = append(t.lines[:0], t.lines[len(t.lines)-tailLines:]...)
	}
}

// complaint is how a line begins that says what is wrong.
var complaint = []string{"error", "fatal", "panic"}

// last is the line that says most likely why a server ended: the last that says it is an
// error, since a stack may come behind it, else the last of all; empty: it said nothing.
func (t *tail) last() string {
	all := t.all()
	if len(all) == 0 {
		return ""
	}
	for _, line := range slices.Backward(all) {
		low := strings.ToLower(line)
		if strings.Contains(low, "error:") || slices.ContainsFunc(complaint, func(w string) bool { return strings.HasPrefix(low, w) }) {
			return line
		}
	}
	return all[len(all)-1]
}

func (t *tail) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := append([]string(nil), t.lines...)
	if p := plain(string(t.part), tailLetter); p != "" {
		out = append(out, p)
	}
	return out
}
