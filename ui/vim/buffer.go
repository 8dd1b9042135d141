package vim

import "strings"

// buffer is a text while a key is at work on it.
type buffer struct {
	Text
	was  string
	cut  string
	undo int
	rows int
}

func (b *buffer) len() int { return len(b.Text.Text) }

func (b *buffer) next(i int) int {
	if i >= b.len() {
		return b.len()
	}
	if b.Text.Text[i] == '\n' {
		return i + 1
	}
	return b.Next(b.Text.Text, i)
}

func (b *buffer) prev(i int) int {
	if i <= 0 {
		return 0
	}
	at := b.lineStart(i)
	if at == i {
		return i - 1
	}
	for {
		n := b.next(at)
		if n >= i {
			return at
		}
		at = n
	}
}

func (b *buffer) lineStart(i int) int { return strings.LastIndexByte(b.Text.Text[:i], '\n') + 1 }

func (b *buffer) lineEnd(i int) int {
	if n := strings.IndexByte(b.Text.Text[i:], '\n'); n >= 0 {
		return i + n
	}
	return b.len()
}

// indented is the first character of a line that is no blank, or its last one.
func (b *buffer) indented(i int) int {
	at, end := b.lineStart(i), b.lineEnd(i)
	for at < end && b.kind(at) == blank {
		at = b.next(at)
	}
	if at == end && at > b.lineStart(i) {
		at = b.prev(at)
	}
	return at
}

// blank and lineBreak are kinds; the writer's others are above.
const (
	blank     = 0
	lineBreak = -1
	none      = -2
)

func (b *buffer) kind(i int) int {
	switch {
	case i >= b.len() || i < 0:
		return none
	case b.Text.Text[i] == '\n':
		return lineBreak
	}
	return b.Kind(b.Text.Text[i:])
}

// kindOf is kind, and with wide every run without blanks is one.
func (b *buffer) kindOf(i int, wide bool) int {
	k := b.kind(i)
	if wide && k > blank {
		return blank + 1
	}
	return k
}

// clamp keeps the cursor of normal mode on a character of its line.
func (b *buffer) clamp() {
	b.Cur = min(b.Cur, b.len())
	if end := b.lineEnd(b.Cur); b.Cur == end && end > b.lineStart(b.Cur) {
		b.Cur = b.prev(b.Cur)
	}
}

// put writes at the cursor, which goes behind it.
func (b *buffer) put(s string) {
	b.Text.Text = b.Text.Text[:b.Cur] + s + b.Text.Text[b.Cur:]
	b.Cur += len(s)
}

// replace writes in the place of what is between two offsets.
func (b *buffer) replace(from, to int, s string) {
	b.Text.Text = b.Text.Text[:from] + s + b.Text.Text[to:]
}

// span is what is between a place and the cursor, both included, or their lines.
func (b *buffer) span(anchor int, m Mode) (from, to int) {
	from, to = min(anchor, b.Cur, b.len()), min(max(anchor, b.Cur), b.len())
	if m == Lines {
		return b.lineStart(from), min(b.lineEnd(to)+1, b.len())
	}
	return from, b.next(to)
}
