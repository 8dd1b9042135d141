package safe

import (
	"strings"
	"unicode/utf8"
)

// maxTailLine bounds one line of a Tail, in bytes. The rest of a longer line is
// left out here: a Tail is a glance at a running command, whose whole output
// stands elsewhere.
const maxTailLine = 16 << 10

// Tail keeps the last lines of a running command's output, as they would look
// on its own terminal: a lone carriage return begins the line anew, so that a
// progress bar is one line and not a thousand.
type Tail struct {
	s       Stream
	max     int
	lines   []string // finished ones
	open    []byte   // the unfinished one
	restart bool     // the next character begins the unfinished line anew
	total   int
	buf     []byte
}

// NewTail returns a Tail of at most max lines.
func NewTail(max int) *Tail {
	t := &Tail{max: max}
	if max < 1 {
		t.max = 1
	}
	t.s.f.keepCR, t.s.f.looks = true, true
	return t
}

// Write takes the next piece of raw output.
func (t *Tail) Write(piece string) {
	t.buf = t.s.feed(t.buf[:0], piece, false)
	t.take(string(t.buf))
}

// Close takes what was held back at the end of the output.
func (t *Tail) Close() {
	t.buf = t.s.feed(t.buf[:0], "", true)
	// A carriage return at the very end overwrites nothing.
	t.take(strings.TrimSuffix(string(t.buf), "\r"))
}

func (t *Tail) take(text string) {
	for text != "" {
		n := strings.IndexAny(text, "\n\r")
		if n < 0 {
			t.add(text)
			return
		}
		t.add(text[:n])
		if text[n] == '\r' {
			t.restart = true
		} else {
			t.end()
		}
		text = text[n+1:]
	}
}

func (t *Tail) add(part string) {
	if part == "" {
		return
	}
	if t.restart {
		t.open, t.restart = t.open[:0], false
	}
	if room := maxTailLine - len(t.open); len(part) > room {
		for room > 0 && !utf8.RuneStart(part[room]) {
			room--
		}
		part = part[:room]
	}
	t.open = append(t.open, part...)
}

func (t *Tail) end() {
	t.total++
	t.lines = append(t.lines, string(t.open))
	t.open, t.restart = t.open[:0], false
	// Moved in bulk, so that a line costs the same however many are kept.
	if len(t.lines) >= 2*t.max {
		n := copy(t.lines, t.lines[len(t.lines)-t.max:])
		clear(t.lines[n:])
		t.lines = t.lines[:n]
	}
}

// Lines returns the last lines, the unfinished one included.
func (t *Tail) Lines() []string {
	out := t.Coloured()
	for i, l := range out {
		out[i] = Plain(l)
	}
	return out
}

// Coloured is Lines with the looks the command gave them, for Dye.
func (t *Tail) Coloured() []string {
	out := append([]string(nil), t.lines...)
	if len(t.open) > 0 {
		out = append(out, string(t.open))
	}
	if len(out) > t.max {
		out = out[len(out)-t.max:]
	}
	return out
}

// Total is how many lines there have been, the unfinished one included.
func (t *Tail) Total() int {
	if len(t.open) > 0 {
		return t.total + 1
	}
	return t.total
}
