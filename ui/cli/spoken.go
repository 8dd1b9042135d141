package cli

import (
	"bytes"
	"io"
	"strings"

	"forge/ui/lang"
)

// spoken hands on, line by line, what a room below writes for a person, in the
// language in force. It keeps what has no line end yet: nothing asks on such a line.
type spoken struct {
	w    io.Writer
	rest []byte
}

// Write implements io.Writer.
func (s *spoken) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	for {
		line, rest, whole := bytes.Cut(s.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		text := string(line)
		words := strings.TrimLeft(text, " ")
		said := text[:len(text)-len(words)] + lang.Said(words) + "\n"
		s.rest = append([]byte(nil), rest...)
		if _, err := io.WriteString(s.w, said); err != nil {
			return 0, err
		}
	}
}
