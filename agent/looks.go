package agent

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of the coloured lines that are kept of a call, in bytes.
const (
	looksMax = 64 << 10
	lineMax  = 4 << 10
)

// looks gathers the lines of a command's output that have colours, as they were written,
// so that a conversation that is opened again can show them. The model's text has none.
type looks struct {
	mu    sync.Mutex
	open  []byte // the line that is being written
	long  bool   // and it is too long to be kept
	lines []string
	bytes int
}

func (l *looks) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		piece := p
		if i >= 0 {
			piece = p[:i]
		}
		if l.long = l.long || len(l.open)+len(piece) > lineMax; !l.long {
			l.open = append(l.open, piece...)
		}
		if i < 0 {
			return
		}
		p = p[i+1:]
		l.end()
	}
}

// end closes the open line.
func (l *looks) end() {
	if !l.long && bytes.IndexByte(l.open, 0x1b) >= 0 {
		l.lines = append(l.lines, string(l.open))
		l.bytes += len(l.open)
		for l.bytes > looksMax {
			l.bytes -= len(l.lines[0])
			l.lines = l.lines[1:]
		}
	}
	l.open, l.long = l.open[:0], false
}

// of are those of them that stand in the result of the call: what was hidden in it, or
// left out of it, is in none.
func (l *looks) of(text string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
	if len(l.lines) == 0 {
		return nil
	}
	there := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		there[line] = true
	}
	var kept []string
	told := map[string]bool{}
	for _, raw := range l.lines {
		raw = strings.TrimRight(raw, "\r")
		if plain, ok := uncoloured(raw); ok && plain != "" && there[plain] && !told[raw] {
			told[raw] = true
			kept = append(kept, raw)
		}
	}
	return kept
}

// uncoloured is a line without the sequences that set colours or clear the rest of a line;
// ok is false where it holds anything else that is no text.
func uncoloured(line string) (plain string, ok bool) {
	if !utf8.ValidString(line) {
		return "", false
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(line, "\x1b")
		b.WriteString(before)
		if !found {
			plain = b.String()
			return plain, !strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
		}
		end := strings.TrimLeft(strings.TrimPrefix(rest, "["), "0123456789;:")
		if !strings.HasPrefix(rest, "[") || !strings.HasPrefix(end, "m") && !strings.HasPrefix(end, "K") {
			return "", false
		}
		line = end[1:]
	}
}
