package secrets

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"forge/tools"
)

// Stream implements tools.Veil. Whole lines go through at once, and of a line that
// is not whole what no secret can begin in: a prompt that waits is seen, a key cut
// by the end of a read is not. A writer that fails is not written to any more.
func (g *Guard) Stream(w io.Writer) io.WriteCloser { return &stream{g: g, w: w} }

var _ tools.Veil = (*Guard)(nil)

type stream struct {
	g *Guard
	w io.Writer

	mu     sync.Mutex
	held   []byte // not passed on yet
	passed int    // bytes at the begin of held that were passed on, kept for what they say of the rest
	over   bool
	err    error
}

// maxHeld bounds what is held back of one line or key, in bytes.
const maxHeld = 64 << 10

// Write implements io.Writer. It reports all of b as written: what becomes of it
// later is no fault of the writer's.
func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over { // what a command left behind still writes: nobody watches
		return len(b), nil
	}
	s.held = append(s.held, b...)
	s.pass(s.ready())
	return len(b), s.err
}

// Close passes on what was held back. It does not close the writer beneath.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass(len(s.held))
	s.held, s.passed, s.over = nil, 0, true
	return s.err
}

// ready is how much of what is held may go.
func (s *stream) ready() int {
	lines := bytes.LastIndexAny(s.held, "\n\r") + 1
	// A key whose end has not come yet stays whole.
	if i := bytes.LastIndex(s.held[:lines], []byte("-----BEGIN ")); i >= 0 {
		name, _ := label(string(s.held[i+len("-----BEGIN ") : min(len(s.held), i+200)]))
		if private(name) && !bytes.Contains(s.held[i:], []byte("-----END ")) && len(s.held)-i < maxHeld {
			return bytes.LastIndexAny(s.held[:i], "\n\r") + 1
		}
	}
	tail := s.held[lines:]
	if len(tail) == 0 {
		return lines
	}
	if len(tail) > maxHeld {
		return len(s.held)
	}
	// The last word of an unfinished line may grow.
	cut := len(tail)
	for cut > 0 && tail[cut-1] > ' ' {
		cut--
	}
	if cut == 0 || bytes.Contains(tail, []byte("-----BEGIN ")) || bytes.Count(tail, []byte{'"'})%2 == 1 || bytes.Count(tail, []byte{'\''})%2 == 1 {
		return lines
	}
	return lines + cut
}

// pass sends the first n bytes of what is held, less what went already. The begin
// of an unfinished line stays held, since it says what its rest is.
func (s *stream) pass(n int) {
	if n <= s.passed {
		return
	}
	masked := s.between(s.passed, n)
	keep := bytes.LastIndexAny(s.held[:n], "\n\r") + 1
	s.held = append(s.held[:0:0], s.held[keep:]...)
	s.passed = n - keep
	if s.err == nil {
		_, s.err = io.WriteString(s.w, masked)
	}
}

// between masks held[from:to] as a part of held[:to].
func (s *stream) between(from, to int) string {
	text := string(s.held[:to])
	if from == 0 {
		masked, _ := s.g.Mask(text)
		return masked
	}
	var b strings.Builder
	at := from
	for _, f := range s.g.find(text) {
		if f.to <= at {
			continue
		}
		p := s.g.note(f, text[f.from:f.to]).placeholder
		b.WriteString(text[at:max(at, f.from)])
		b.WriteString(p)
		at = f.to
	}
	b.WriteString(text[at:])
	return b.String()
}
