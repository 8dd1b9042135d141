// Package sse reads a stream of server-sent events as model servers send them.
//
// It owns the framing and nothing above it: lines, fields, comments, events. It is
// more lenient than the standard where real servers are (a last event without its
// blank line counts, a field named error is an event) and bounded where the
// standard is not. It imports nothing of forge; the wires under provider call it,
// one Reader per reply, from one goroutine.
package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxEvent is the largest line and the largest event a Reader takes, in bytes.
// Servers send whole search results and images on one line; 1 MB is common and
// nothing near this has been seen.
const MaxEvent = 32 << 20

// HeadLen is how much of a stream's beginning Head keeps.
const HeadLen = 500

const (
	startBuf = 32 << 10
	keepBuf  = 1 << 20 // a larger buffer is given back once it is no longer needed
	maxNames = 64      // distinct event names remembered, so that a name costs no allocation
)

// ErrTooLong says that a line or an event passed MaxEvent.
var ErrTooLong = errors.New("server-sent event longer than 32 MB")

// Event is one event. Data is valid until the next call of the Reader.
type Event struct {
	Name  string // "message" where the stream named none
	Data  []byte // the data lines, joined by LF
	Stray bool   // it came as a field named error, which old llama.cpp servers send; Name is "error"
}

// Reader reads events. Its memory does not grow with the stream, and an event
// costs no allocation once the buffer fits.
type Reader struct {
	src  io.Reader
	err  error // what src said last
	buf  []byte
	pos  int // start of the line being read
	end  int // end of what src gave
	scan int // before this no line end was found

	began  bool // the byte order mark has been looked for
	skipLF bool // the last line ended in CR: a LF that follows belongs to it

	name   string
	has    bool // the event has a data line
	stray  bool
	single bool // its data is one line, still in buf at from:to
	from   int
	to     int
	joined []byte
	names  map[string]string
	head   []byte
}

// NewReader returns a Reader of src.
func NewReader(src io.Reader) *Reader {
	return &Reader{src: src, buf: make([]byte, startBuf), names: make(map[string]string)}
}

// Next returns the next event that has data. At the end of src it returns io.EOF,
// after an event that lacked only its blank line. Another error of src is returned
// as it is, and an event it cut is not delivered.
func (r *Reader) Next() (Event, error) {
	r.reset()
	for {
		line, err := r.line()
		if err != nil {
			if err == io.EOF && r.has {
				return r.event(), nil
			}
			return Event{}, err
		}
		if line.from == line.to {
			if r.has {
				return r.event(), nil
			}
			r.reset()
			continue
		}
		if err := r.field(line); err != nil {
			return Event{}, err
		}
	}
}

// Head returns the first bytes of the stream, for telling a person what a server
// sent instead of events.
func (r *Reader) Head() []byte { return r.head }

// Plain waits for the stream's first byte that is not white space and reports
// whether the stream is something else than events: a JSON value or markup. No
// field of an event begins so. Call it before Next; an error is kept for Next.
func (r *Reader) Plain() bool {
	for i := 0; ; i++ {
		for i >= r.end-r.pos {
			if r.fill() != nil {
				return false
			}
		}
		switch c := r.buf[r.pos+i]; c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
		default:
			return c == '{' || c == '[' || c == '<'
		}
	}
}

// Rest returns everything not yet read, at most MaxEvent bytes, and the error
// that ended it (nil for the end of the source).
func (r *Reader) Rest() ([]byte, error) {
	for {
		if err := r.fill(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return bytes.TrimPrefix(r.buf[r.pos:r.end], []byte("\xEF\xBB\xBF")), err
		}
	}
}

type span struct{ from, to int }

// line returns the place in buf of the next line, without its end.
func (r *Reader) line() (span, error) {
	if !r.began {
		if err := r.mark(); err != nil {
			return span{}, err
		}
	}
	for {
		if r.skipLF && r.pos < r.end {
			r.skipLF = false
			if r.buf[r.pos] == '\n' {
				r.pos++
			}
			r.scan = r.pos
		}
		window := r.buf[max(r.scan, r.pos):r.end]
		n := bytes.IndexByte(window, '\n')
		if n >= 0 {
			window = window[:n]
		}
		if cr := bytes.IndexByte(window, '\r'); cr >= 0 {
			n, r.skipLF = cr, true
		}
		if n >= 0 {
			from, to := r.pos, max(r.scan, r.pos)+n
			r.pos, r.scan = to+1, to+1
			return span{from, to}, nil
		}
		r.scan = r.end
		if err := r.fill(); err != nil {
			if err == io.EOF && r.pos < r.end {
				from, to := r.pos, r.end
				r.pos, r.scan = r.end, r.end
				return span{from, to}, nil
			}
			return span{}, err
		}
	}
}

// mark skips a byte order mark at the start of the stream.
func (r *Reader) mark() error {
	const bom = "\xEF\xBB\xBF"
	for r.end-r.pos < len(bom) {
		if n := r.end - r.pos; string(r.buf[r.pos:r.end]) != bom[:n] {
			break
		}
		if err := r.fill(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	if bytes.HasPrefix(r.buf[r.pos:r.end], []byte(bom)) {
		r.pos += len(bom)
		r.scan = r.pos
	}
	r.began = true
	return nil
}

// fill reads more, first making room by moving what is still needed to the front.
func (r *Reader) fill() error {
	if r.err != nil {
		return r.err
	}
	if r.end == len(r.buf) || r.pos == r.end && !r.single {
		if err := r.room(); err != nil {
			return err
		}
	}
	for range 100 {
		n, err := r.src.Read(r.buf[r.end:])
		if n < 0 || n > len(r.buf)-r.end {
			return fmt.Errorf("read returned %d of %d bytes", n, len(r.buf)-r.end)
		}
		if n > 0 && len(r.head) < HeadLen {
			r.head = append(r.head, r.buf[r.end:r.end+min(n, HeadLen-len(r.head))]...)
		}
		r.end += n
		r.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	r.err = io.ErrNoProgress
	return r.err
}

func (r *Reader) room() error {
	keep := r.pos
	if r.single {
		keep = r.from
	}
	need := r.end - keep
	size := len(r.buf)
	switch {
	case need >= MaxEvent:
		r.err = ErrTooLong
		return r.err
	case need > size/2:
		size = min(2*size, MaxEvent+startBuf)
	case size > keepBuf && need < startBuf/2:
		size = startBuf
	case keep == 0:
		return nil
	}
	to := r.buf
	if size != len(r.buf) {
		to = make([]byte, size)
	}
	copy(to, r.buf[keep:r.end])
	r.buf = to
	r.pos -= keep
	r.end -= keep
	r.scan = max(0, r.scan-keep)
	r.from -= keep
	r.to -= keep
	return nil
}

func (r *Reader) reset() {
	r.name, r.has, r.stray, r.single = "message", false, false, false
	if cap(r.joined) > keepBuf {
		r.joined = nil
	}
	r.joined = r.joined[:0]
}

func (r *Reader) event() Event {
	data := r.joined
	if r.single {
		data = r.buf[r.from:r.to]
	}
	return Event{Name: r.name, Data: data, Stray: r.stray}
}

// field takes one line that is not blank.
func (r *Reader) field(at span) error {
	line := r.buf[at.from:at.to]
	value := at.to
	name := line
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		name, value = line[:i], at.from+i+1
		if value < at.to && r.buf[value] == ' ' {
			value++
		}
	}
	switch string(name) {
	case "data":
		return r.data(value, at.to)
	case "event":
		if !r.stray {
			r.name = r.intern(r.buf[value:at.to])
		}
	case "error":
		if value < at.to {
			r.name, r.stray = "error", true
			return r.data(value, at.to)
		}
	}
	return nil // a comment (its name is empty), id, retry, or a field nobody knows
}

func (r *Reader) data(from, to int) error {
	if !r.has {
		r.has, r.single, r.from, r.to = true, true, from, to
		return nil
	}
	if r.single {
		r.single = false
		r.joined = append(r.joined, r.buf[r.from:r.to]...)
	}
	if len(r.joined)+to-from >= MaxEvent {
		r.err = ErrTooLong
		return r.err
	}
	r.joined = append(append(r.joined, '\n'), r.buf[from:to]...)
	return nil
}

func (r *Reader) intern(b []byte) string {
	if len(b) == 0 {
		return "message"
	}
	if s, ok := r.names[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(r.names) < maxNames {
		r.names[s] = s
	}
	return s
}
