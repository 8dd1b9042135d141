package mcp

import (
	"bufio"
	"bytes"
	"io"
)

// maxFrame is how large one message of a server may be, in bytes.
const maxFrame = 16 << 20

// A lineReader splits a stream into lines. One that is longer than limit is read
// to its end without being kept; of it only the id and the size are known.
type lineReader struct {
	r     *bufio.Reader
	limit int
	first bool
}

// A line is one line of a stream, without its end. Of one that is too large, text
// is empty and id the JSON text of its top-level "id", empty if it has none.
type line struct {
	text []byte
	over bool
	id   string
	size int64
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit, first: true}
}

// next returns the next line. At the end of the stream there may be a last line
// without an end beside the error.
func (l *lineReader) next() (line, error) {
	var out line
	var scan idScanner
	for {
		part, err := l.r.ReadSlice('\n')
		out.size += int64(len(part))
		if l.first {
			part = bytes.TrimPrefix(part, []byte("\xef\xbb\xbf"))
			l.first = false
		}
		switch {
		case out.over:
			scan.feed(part)
		case len(out.text)+len(part) > l.limit:
			out.over = true
			scan.feed(out.text)
			scan.feed(part)
			out.text = nil
		default:
			out.text = append(out.text, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		out.text = bytes.TrimSpace(out.text)
		out.id = scan.id()
		return out, err
	}
}

// An idScanner finds the value of "id" at the top level of a JSON object that is
// fed to it in parts, without keeping the object. An "id" deeper inside, or inside
// a text, is none.
type idScanner struct {
	depth    int
	inString bool
	escaped  bool
	key      []byte // the string being read at depth 1
	value    []byte
	state    int
}

const (
	scanKey   = iota // a key is awaited, or the colon behind it
	scanOther        // the value of another key
	scanID           // the value of "id"
	scanDone
)

func (s *idScanner) feed(b []byte) {
	for _, c := range b {
		if s.state == scanDone {
			return
		}
		s.step(c)
	}
}

func (s *idScanner) step(c byte) {
	if s.inString {
		if s.depth == 1 {
			s.keep(c)
		}
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.inString = false
		}
		return
	}
	switch c {
	case '"':
		s.inString = true
		if s.depth == 1 {
			if s.state == scanKey {
				s.key = s.key[:0]
			}
			s.keep(c)
		}
	case '{', '[':
		s.depth++
	case '}', ']':
		if s.depth--; s.depth == 0 && s.state == scanID {
			s.state = scanDone
		}
	case ':':
		if s.depth == 1 && s.state == scanKey {
			s.state = scanOther
			if string(s.key) == `"id"` {
				s.state = scanID
			}
		}
	case ',':
		if s.depth == 1 {
			if s.state == scanID {
				s.state = scanDone
				return
			}
			s.state = scanKey
		}
	default:
		if s.depth == 1 && s.state == scanID {
			s.keep(c)
		}
	}
}

// keep takes a byte of a key or of the id; either is short.
func (s *idScanner) keep(c byte) {
	switch {
	case s.state == scanKey && len(s.key) < 16:
		s.key = append(s.key, c)
	case s.state == scanID && len(s.value) < 256:
		s.value = append(s.value, c)
	}
}

func (s *idScanner) id() string {
	if v := string(bytes.TrimSpace(s.value)); v != "null" && s.state == scanDone {
		return v
	}
	return ""
}
