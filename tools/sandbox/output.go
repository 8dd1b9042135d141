package sandbox

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// An output keeps the begin and the end of what a command writes, counts the
// rest, and passes everything on to the eyes that watch. Its memory does not grow
// with what is written. It is written to by one goroutine and read by any.
type output struct {
	limit int64         // more than this and over is closed
	over  chan struct{} // closed once

	mu    sync.Mutex
	head  []byte
	tail  []byte // a ring once it is full
	at    int    // where the ring's oldest byte is
	total int64
	live  io.Writer // nil: nobody watches any more
}

func newOutput(head, tail int, limit int64, live io.Writer) *output {
	return &output{
		limit: limit, over: make(chan struct{}), live: live,
		head: make([]byte, 0, head), tail: make([]byte, 0, tail),
	}
}

// Write takes the next bytes; it never fails.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	before := o.total
	o.total += int64(len(b))
	if before <= o.limit && o.total > o.limit {
		close(o.over)
	}
	rest := b
	if room := cap(o.head) - len(o.head); room > 0 {
		n := min(room, len(rest))
		o.head = append(o.head, rest[:n]...)
		rest = rest[n:]
	}
	o.keep(rest)
	live := o.live
	o.mu.Unlock()
	if live != nil {
		if _, err := live.Write(b); err != nil {
			o.unwatch()
		}
	}
	return len(b), nil
}

// keep puts b into the ring.
func (o *output) keep(b []byte) {
	size := cap(o.tail)
	if size == 0 {
		return
	}
	if len(b) >= size {
		o.tail = append(o.tail[:0], b[len(b)-size:]...)
		o.at = 0
		return
	}
	if room := size - len(o.tail); room > 0 {
		n := min(room, len(b))
		o.tail = append(o.tail, b[:n]...)
		b = b[n:]
	}
	for len(b) > 0 {
		n := copy(o.tail[o.at:], b)
		o.at = (o.at + n) % size
		b = b[n:]
	}
}

// unwatch ends the passing on.
func (o *output) unwatch() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.live = nil
}

// written is how many bytes there were.
func (o *output) written() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total
}

// since gives what was written from offset on, as far as it is kept; missed is
// how many bytes before what it gives are not.
func (o *output) since(offset int64) (text []byte, missed, total int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if h := int64(len(o.head)); offset < h {
		text = append(text, o.head[offset:]...)
		offset = h
	}
	kept := o.total - int64(len(o.tail))
	skip := max(0, offset-kept)
	missed = max(0, kept-offset)
	if len(text) > 0 && missed > 0 {
		text = append(text, gap(missed)...)
		missed = 0
	}
	ring := append(append([]byte(nil), o.tail[o.at:]...), o.tail[:o.at]...)
	return append(text, ring[min(skip, int64(len(ring))):]...), missed, o.total
}

func gap(n int64) string { return fmt.Sprintf("\n… (%d bytes left out) …\n", n) }

// tidy makes output fit for a model: text without the bytes of a broken
// character at a cut, and of each line that was drawn again and again with a
// carriage return only the last state.
func tidy(b []byte) string {
	s := strings.ToValidUTF8(string(b), "\ufffd")
	if !strings.Contains(s, "\r") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var out strings.Builder
	for line := range strings.Lines(s) {
		body := strings.TrimRight(strings.TrimSuffix(line, "\n"), "\r")
		if i := strings.LastIndexByte(body, '\r'); i >= 0 {
			body = body[i+1:]
		}
		out.WriteString(body)
		if strings.HasSuffix(line, "\n") {
			out.WriteByte('\n')
		}
	}
	return out.String()
}
