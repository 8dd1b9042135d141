package sandbox

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// sides are the streams of a command beside its output: what it reads, and its errors
// where they are kept apart. The zero value is neither.
type sides struct {
	theirs []*os.File // closed here once the process has them
	in     *os.File   // what it reads is written here; nil: nothing is
	err    *os.File   // its errors are read here; nil: they are output
	errs   *output
	read   chan struct{} // closed when nobody writes errors any more
}

// sides makes them, and gives the process its ends.
func (p *Process) sides(c Command, cmd *exec.Cmd) (*sides, error) {
	s := &sides{}
	if c.Input != nil {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		cmd.Stdin, s.in, s.theirs = r, w, append(s.theirs, r)
	}
	if c.Apart {
		r, w, err := os.Pipe()
		if err != nil {
			s.close()
			return nil, err
		}
		cmd.Stderr, s.err, s.theirs = w, r, append(s.theirs, w)
		s.errs = newOutput(or(c.Head, defaultHead), or(c.Tail, defaultTail), or(c.Max, defaultMax), nil)
		s.read = make(chan struct{})
	}
	return s, nil
}

// begin feeds and reads them, now that the process has its ends.
func (s *sides) begin(p *Process, input []byte) {
	for _, f := range s.theirs {
		f.Close()
	}
	s.theirs = nil
	if s.in != nil {
		go func() {
			defer recovered("write a command's input")
			defer s.in.Close()
			if _, err := s.in.Write(input); err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, os.ErrClosed) {
				slog.Debug("write a command's input", "error", err)
			}
		}()
	}
	if s.err != nil {
		go func() {
			defer recovered("read a command's errors")
			defer close(s.read)
			defer s.err.Close()
			if _, err := io.Copy(s.errs, s.err); err != nil && !errors.Is(err, os.ErrClosed) {
				slog.Debug("read a command's errors", "error", err)
			}
		}()
	}
}

// tooMuch is closed when there were more errors than the command may write; nil where
// they are not kept apart.
func (s *sides) tooMuch() <-chan struct{} {
	if s.errs == nil {
		return nil
	}
	return s.errs.over
}

// errors is what it wrote there, once the process is gone: what is in the background
// and holds the pipe is waited for as with output.
func (s *sides) errors() string {
	if s.errs == nil {
		return ""
	}
	t := time.NewTimer(drainGrace)
	defer t.Stop()
	select {
	case <-s.read:
	case <-t.C:
	}
	text, _, _ := s.errs.since(0)
	return tidy(text)
}

// over ends what still writes to a process that is gone: something it left behind may
// hold its input without reading it.
func (s *sides) over() {
	if s.in != nil {
		s.in.Close()
	}
}

// close gives everything back where the process did not start.
func (s *sides) close() {
	for _, f := range append(s.theirs, s.in, s.err) {
		if f != nil {
			f.Close()
		}
	}
}
