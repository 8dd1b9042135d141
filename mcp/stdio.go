package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"forge/tools/child"
)

// A stdio is the connection to a server that runs here: one JSON message a line,
// on its input and output.
type stdio struct {
	wire  *wire
	proc  *child.Process
	probe time.Duration // after which server/discover counts as not answered

	out    chan outgoing // frames for the server, one at a time
	in     chan []byte   // frames for the engine
	broken chan struct{} // reading is over
	close  sync.Once
	closed chan struct{}

	mu     sync.Mutex
	timers map[string]*time.Timer
}

type outgoing struct {
	ctx   context.Context
	frame []byte
	done  chan error // one slot
}

// drainGrace is how long output may still come once the process is gone: what
// holds the pipe then is something it left in the background.
const drainGrace = 300 * time.Millisecond

func newStdio(p *child.Process, w *wire, probe time.Duration) *stdio {
	s := &stdio{wire: w, proc: p, probe: probe, out: make(chan outgoing), in: make(chan []byte, 16), broken: make(chan struct{}), closed: make(chan struct{}),
		timers: map[string]*time.Timer{}}
	go s.pump()
	go s.feed()
	go func() {
		defer recovered("wait for a server")
		<-p.Exited()
		if !child.WaitFor(s.broken, drainGrace) {
			p.Stdout.Close()
		}
	}()
	return s
}

// pump reads the server's output until it ends.
func (s *stdio) pump() {
	defer recovered("read from a server")
	defer close(s.broken)
	lines := newLineReader(s.proc.Stdout, maxFrame)
	for {
		l, err := lines.next()
		var out [][]byte
		switch {
		case l.over:
			out = s.wire.oversize(l.id, l.size, maxFrame)
		default:
			out = s.wire.received(l.text)
		}
		for _, frame := range out {
			if !s.deliver(frame) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (s *stdio) deliver(frame []byte) bool {
	select {
	case s.in <- frame:
		return true
	case <-s.closed:
		return false
	}
}

// Recv returns the next frame, or io.EOF once the server is gone.
func (s *stdio) Recv(ctx context.Context) ([]byte, error) {
	select {
	case f := <-s.in:
		return f, nil
	default:
	}
	select {
	case f := <-s.in:
		return f, nil
	case <-s.broken:
		select {
		case f := <-s.in:
			return f, nil
		default:
			return nil, io.EOF
		}
	case <-s.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Send writes one frame as a line.
func (s *stdio) Send(ctx context.Context, frame []byte) error {
	frame = unnamed(frame)
	h := s.wire.sent(ctx, frame)
	defer s.wire.settled(h)
	if h.Method == "server/discover" && s.probe > 0 {
		s.watchProbe(h.id())
	}
	if bytes.IndexByte(frame, '\n') >= 0 { // a raw argument may have been written over several lines
		var b bytes.Buffer
		if err := json.Compact(&b, frame); err != nil {
			return err
		}
		frame = b.Bytes()
	}
	o := outgoing{ctx: ctx, frame: append(frame[:len(frame):len(frame)], '\n'), done: make(chan error, 1)}
	var err error
	select {
	case s.out <- o:
		select {
		case err = <-o.done:
		case <-ctx.Done(): // it may still be written, or be half written already
			err = ctx.Err()
		case <-s.closed:
			err = io.ErrClosedPipe
		}
	case <-ctx.Done():
		err = ctx.Err()
	case <-s.closed:
		err = io.ErrClosedPipe
	}
	if err != nil {
		s.wire.forget(h.id())
		return fmt.Errorf("write to the server: %w", err)
	}
	return nil
}

// feed writes the frames. A server that does not read holds up this goroutine
// alone: whoever waits for a frame to be gone can leave.
func (s *stdio) feed() {
	defer recovered("write to a server")
	for {
		select {
		case o := <-s.out:
			if err := o.ctx.Err(); err != nil {
				o.done <- err
				continue
			}
			_, err := s.proc.Stdin.Write(o.frame)
			o.done <- err
		case <-s.closed:
			return
		}
	}
}

// watchProbe answers server/discover itself once the server had its time: silence
// means one of before.
func (s *stdio) watchProbe(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.timers[id] = time.AfterFunc(s.probe, func() {
		defer recovered("end a probe")
		if f := s.wire.giveUp(id); f != nil {
			s.deliver(f)
		}
	})
}

// Close ends the connection and the server with all it started.
func (s *stdio) Close() error {
	s.close.Do(func() {
		close(s.closed)
		s.mu.Lock()
		for _, t := range s.timers {
			t.Stop()
		}
		s.mu.Unlock()
		s.proc.End()
	})
	return nil
}

// gone says why the server is gone; nil while it is there.
func (s *stdio) gone() error {
	select {
	case <-s.broken:
	default:
		return nil
	}
	child.WaitFor(s.proc.Exited(), drainGrace)
	if how := s.proc.How(); how != "" {
		return errors.New("the server has ended: " + how)
	}
	return errors.New("the server closed its output")
}
