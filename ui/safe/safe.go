// Package safe makes untrusted text safe to show. Text of models, tools, files,
// servers and commands becomes cells through this package and no other way.
//
// It knows two views. Output is for what is read: escape sequences go whole,
// invisible characters go, what is left looks the same to every terminal.
// Prompt is for what is approved: nothing goes, and every character that would
// not be seen is shown as a marker. Stream and Tail are Output for text that
// still arrives. The other half of the package measures and cuts text by cells,
// with the width table the renderer uses.
//
// Packages ui, ui/markdown, ui/diffview and ui/print call it, from any
// goroutine. It imports nothing of forge. All of it is linear in its input.
package safe

// Output returns s as it may be drawn where it is only read: tool output, file
// text, prose of a model. Line feeds and tabs stay; the result holds no other
// control character, no escape sequence and no invalid UTF-8. Applying it twice
// changes nothing more.
func Output(s string) string {
	if clean(s) {
		return s
	}
	var f filter
	dst, _ := f.run(make([]byte, 0, len(s)), s, true)
	return string(dst)
}

// clean reports whether s is printable ASCII, line feeds and tabs: the usual
// case, which needs no copy.
func clean(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// Line is Output on one row: line feeds and tabs become single blanks, and what
// stands at the ends goes. It is for titles, names and paths in a status line.
func Line(s string) string {
	s = Output(s)
	b := make([]byte, 0, len(s))
	blank := true
	for i := range len(s) {
		c := s[i]
		if c == '\n' || c == '\t' || c == ' ' {
			if !blank {
				b = append(b, ' ')
			}
			blank = true
			continue
		}
		blank = false
		b = append(b, c)
	}
	if len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return string(b)
}

// Stream is Output for text that arrives in pieces: a sequence or character cut
// between two pieces is held back until it is whole. The zero value is ready.
// What Write and Flush return, joined, is Output of the pieces joined.
type Stream struct {
	f       filter
	pending []byte
	tried   int // bytes of pending that are known not to complete it
}

// Write takes the next piece and returns what may be drawn now.
func (s *Stream) Write(piece string) string {
	if len(s.pending) == 0 && !s.f.cr && clean(piece) {
		if piece != "" {
			// Only the last character matters to what follows.
			s.f.prev, s.f.marks = rune(piece[len(piece)-1]), 0
		}
		return piece
	}
	return string(s.feed(nil, piece, false))
}

// Flush returns what was held back; nothing more will come.
func (s *Stream) Flush() string { return string(s.feed(nil, "", true)) }

func (s *Stream) feed(dst []byte, piece string, final bool) []byte {
	in := piece
	if len(s.pending) > 0 {
		s.pending = append(s.pending, piece...)
		if !final && !s.worthwhile() {
			return dst
		}
		in = string(s.pending)
	}
	dst, n := s.f.run(dst, in, final)
	s.pending = append(s.pending[:0], in[n:]...)
	s.tried = len(s.pending)
	return dst
}

// worthwhile reports whether the held-back text may have been completed by what
// was added, so that a long string sequence arriving byte by byte is not read
// anew with each byte.
func (s *Stream) worthwhile() bool {
	if len(s.pending) > maxString || len(s.pending) < 16 {
		return true
	}
	for _, c := range s.pending[max(0, s.tried-1):] {
		if c < 0x20 || c >= 0x7f || c == '\\' {
			return true
		}
	}
	// A control sequence (CSI) may be ended by any letter.
	stringSeq := s.pending[0] == 0x1b && isStringIntro(rune(s.pending[1])) || s.pending[0] == 0xc2 && s.pending[1] != 0x9b
	if stringSeq {
		s.tried = len(s.pending)
		return false
	}
	return true
}
