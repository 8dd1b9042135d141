package mcp

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Frame is one message of a connection, shortened.
type Frame struct {
	Time   time.Time
	Out    bool   // we sent it
	Method string // of a response, that of its request; in parentheses: why it was dropped
	ID     string
	Size   int // bytes
	Text   string
	Took   time.Duration // of a response: since its request
}

// A trace keeps the last frames of a server, over restarts, and counts.
type trace struct {
	mu      sync.Mutex
	frames  []Frame
	latency time.Duration // of the last answer
}

const (
	traceFrames = 60
	traceText   = 400 // bytes kept of each
)

func (t *trace) add(out bool, method, id string, msg []byte) {
	t.put(Frame{Time: time.Now(), Out: out, Method: method, ID: id, Size: len(msg), Text: short(msg)})
}

func (t *trace) took(method, id string, msg []byte, d time.Duration) {
	t.put(Frame{Time: time.Now(), Method: method, ID: id, Size: len(msg), Text: short(msg), Took: d})
	t.mu.Lock()
	t.latency = d
	t.mu.Unlock()
}

// short is the start of a message; Size tells how long it was.
func short(msg []byte) string {
	return strings.ToValidUTF8(string(msg[:min(len(msg), traceText)]), "")
}

func (t *trace) put(f Frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.frames = append(t.frames, f); len(t.frames) == 2*traceFrames { // in steps, not with every message
		t.frames = append(make([]Frame, 0, 2*traceFrames), t.frames[traceFrames:]...)
	}
}

func (t *trace) last() ([]Frame, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Frame(nil), t.frames[max(0, len(t.frames)-traceFrames):]...), t.latency
}

// A ring keeps the last bytes that were written to it.
type ring struct {
	mu   sync.Mutex
	buf  []byte
	size int
	file io.WriteCloser // takes it all, too; may be nil
}

func newRing(size int) *ring { return &ring{size: size} }

// Write takes everything and never fails.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = append(r.buf, p...)
	if over := len(r.buf) - r.size; over > r.size { // in steps, not with every write
		r.buf = append([]byte(nil), r.buf[over:]...)
	}
	if r.file != nil {
		if _, err := r.file.Write(p); err != nil {
			r.file = nil
		}
	}
	return len(p), nil
}

func (r *ring) tee(w io.WriteCloser) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.file = w
}

// close ends the file; what is written later is in memory alone.
func (r *ring) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

func (r *ring) printf(format string, args ...any) {
	fmt.Fprintf(r, format+"\n", args...)
}

// String gives what is kept, from the start of a line.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.buf
	if over := len(b) - r.size; over > 0 {
		b = b[over:]
	}
	return string(b)
}
