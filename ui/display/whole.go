package display

import (
	"bytes"
	"io"
	"time"
	"unicode/utf8"
)

// How long the rest of what a terminal has begun to send is waited for, on a line that is
// slow or loses packets.
const (
	// keyRest is for Esc: it is a key, and so is Alt with what may begin a sequence.
	keyRest = 50 * time.Millisecond
	// bracketRest is for Esc and [: it may be Alt and that key.
	bracketRest = 250 * time.Millisecond
	// sequenceRest is for what nobody can have typed: the beginning of a report, of a
	// key with its modifiers, of a character, of the end of a paste.
	sequenceRest = 2 * time.Second
	// maxSequence is the longest sequence that is waited for, in bytes.
	maxSequence = 64 << 10
)

// whole reads a terminal so that no read ends within a sequence or a character. The
// decoder alone waits as long for everything, 50 ms: what came later stood in the prompt
// as "[<64;20;5M", a character of an input method was lost, and behind a paste whose end
// came in two pieces everything was part of the paste.
type whole struct {
	from io.Reader
	in   chan piece
	over chan struct{} // closed: nobody listens any more

	out  []byte // to be handed on
	held []byte // the beginning of something
	at   within
	err  error
}

// piece is what one read brought.
type piece struct {
	text []byte
	err  error
}

func newWhole(from io.Reader, rescue func()) *whole {
	w := &whole{from: from, in: make(chan piece), over: make(chan struct{})}
	go func() {
		defer rescue()
		w.pump()
	}()
	return w
}

// pump reads, so that Read can look at the time as well.
func (w *whole) pump() {
	for {
		b := make([]byte, 4096)
		n, err := w.from.Read(b)
		select {
		case w.in <- piece{b[:n], err}:
		case <-w.over:
			return
		}
		if err != nil {
			return
		}
	}
}

// close ends the reading; what cannot be interrupted reads on to the next key.
func (w *whole) close() { close(w.over) }

// Read returns whole sequences and characters.
func (w *whole) Read(p []byte) (int, error) {
	for len(w.out) == 0 {
		if w.err != nil {
			return 0, w.err
		}
		var late <-chan time.Time
		var t *time.Timer
		if len(w.held) > 0 {
			t = time.NewTimer(w.at.rest(w.held))
			late = t.C
		}
		select {
		case got := <-w.in:
			w.take(got.text)
			if got.err != nil {
				w.out, w.held, w.err = append(w.out, w.held...), nil, got.err
			}
		case <-w.over:
			w.err = io.EOF
		case <-late:
			if w.at.typed(w.held) {
				w.out = w.held
			}
			w.held, w.at.state = nil, ground
		}
		if t != nil {
			t.Stop()
		}
	}
	n := copy(p, w.out)
	w.out = w.out[n:]
	return n, nil
}

// take looks where what was read ends.
func (w *whole) take(text []byte) {
	begins := -1 // in text, of what is not whole
	if len(w.held) > 0 {
		begins = 0
	}
	first := len(w.held) // of what was held
	for i, b := range text {
		before := w.at.state
		w.at.step(b)
		switch {
		case w.at.state == ground:
			begins, first = -1, 0
		case before == ground || w.at.anew:
			begins, first = i, 0
		}
	}
	all := append(w.held, text...)
	cut := len(all)
	switch {
	case begins < 0:
	case first > 0: // it began in an earlier read
		cut = 0
	default:
		cut = len(all) - len(text) + begins
	}
	if len(all)-cut > maxSequence {
		cut, w.at.state = len(all), ground
	}
	w.out, w.held = append(w.out, all[:cut]...), append([]byte(nil), all[cut:]...)
}

// state is where within a sequence the bytes so far end.
type state int

const (
	ground  state = iota
	escaped       // Esc
	control       // Esc [
	more          // Esc O, Esc [ [, Esc [ M: some bytes more
	command       // an answer in words: Esc ] 1, Esc P 1, Esc _ G, until BEL or Esc \
	opening       // Esc ], Esc P, Esc _: its next byte tells it from a key
	closing       // Esc in an answer in words
	letters       // a character
)

// within follows what a terminal sends.
type within struct {
	state state
	anew  bool // the last byte began something else in the middle of a sequence
	left  int  // bytes that are still to come, of a character or of more
	seq   []byte
	paste bool // between the marks of a paste
}

// rest is how long more is waited for behind a beginning.
func (s *within) rest(held []byte) time.Duration {
	switch {
	case s.paste: // nobody presses keys in there
	case s.state == escaped, s.state == opening, s.state == more && len(held) == 2:
		return keyRest
	case s.state == control && len(held) == 2:
		return bracketRest
	}
	return sequenceRest
}

// typed reports whether a beginning that nothing came behind may be keys.
func (s *within) typed(held []byte) bool {
	return s.paste || len(held) <= 2 && s.state != letters || s.state == escaped || s.state == command || s.state == closing
}

// step takes a byte.
func (s *within) step(b byte) {
	s.anew = false
	switch s.state {
	case ground:
		s.begin(b)
	case escaped:
		switch {
		case b == '[':
			s.state, s.seq = control, s.seq[:0]
		case b == 'O':
			s.state, s.left = more, 1
		case b == ']' || b == 'P' || b == '_':
			s.state, s.seq = opening, append(s.seq[:0], b)
		case b == 0x1b:
		default:
			s.begin(b) // Alt and a key, which may be a longer character
		}
	case control:
		switch {
		case b == 0x1b:
			s.state, s.anew = escaped, true
		case b == '$' && !bytes.HasPrefix(s.seq, []byte("?")): // a key with shift, as rxvt has it
			s.state = ground
		case b >= 0x20 && b <= 0x3f:
			if len(s.seq) < 32 {
				s.seq = append(s.seq, b)
			}
		case b == '[' && len(s.seq) == 0: // a function key of the console of Linux
			s.state, s.left = more, 1
		case b == 'M' && len(s.seq) == 0: // the mouse as X10 has it
			s.state, s.left = more, 3
		default:
			if b == '~' {
				switch string(s.seq) {
				case "200":
					s.paste = true
				case "201":
					s.paste = false
				}
			}
			s.state = ground
		}
	case more:
		if s.left--; s.left <= 0 {
			s.state = ground
		}
	case opening:
		switch first := s.seq[0]; {
		case first == ']' && b >= '0' && b <= '9', first == '_' && b == 'G',
			first == 'P' && (b >= '0' && b <= '9' || b == '>' || b == '!' || b == '+'):
			s.state = command
		default:
			s.state = ground
			s.step(b)
		}
	case command:
		switch b {
		case 0x07, 0x18, 0x1a:
			s.state = ground
		case 0x1b:
			s.state = closing
		}
	case closing:
		if s.state = ground; b != '\\' {
			s.state = escaped
			s.step(b)
		}
	case letters:
		if utf8.RuneStart(b) {
			s.begin(b)
			s.anew = s.state != ground
		} else if s.left--; s.left <= 0 {
			s.state = ground
		}
	}
}

// begin takes the first byte of something.
func (s *within) begin(b byte) {
	s.state = ground
	switch {
	case b == 0x1b:
		s.state = escaped
	case b >= 0xf0 && b < 0xf5:
		s.state, s.left = letters, 3
	case b >= 0xe0 && b < 0xf0:
		s.state, s.left = letters, 2
	case b >= 0xc2 && b < 0xe0:
		s.state, s.left = letters, 1
	}
}
