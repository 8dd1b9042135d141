package builtin

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
)

// maxSpill is how much of a command's output is kept in a file, in bytes.
const maxSpill = 32 << 20

// maxBegin is how many bytes of binary output are shown.
const maxBegin = 32

// A spill passes output on to the eyes that watch, and once there is more of it
// than a result can show, keeps all of it in a private file. What a command left
// in the background may still write when it is closed: that is dropped.
type spill struct {
	keep int       // bytes a result shows
	live io.Writer // used by the writing goroutine alone

	mu    sync.Mutex
	dir   string       // empty: nothing is kept
	begin []byte       // the very first bytes, as they came
	first bytes.Buffer // until there is a file
	file  *os.File
	size  int
}

// Write takes the next bytes. It never fails: neither a watcher who left nor a
// full disk ends a command.
func (s *spill) Write(b []byte) (int, error) {
	if s.live != nil {
		if _, err := s.live.Write(b); err != nil {
			s.live = nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if room := maxBegin - len(s.begin); room > 0 {
		s.begin = append(s.begin, b[:min(room, len(b))]...)
	}
	if s.dir == "" {
		return len(b), nil
	}
	if s.file == nil {
		s.first.Write(b)
		if s.first.Len() > s.keep {
			s.open()
		}
		return len(b), nil
	}
	s.write(b)
	return len(b), nil
}

func (s *spill) open() {
	err := os.MkdirAll(s.dir, 0o700)
	if err == nil {
		s.file, err = os.CreateTemp(s.dir, "run-*.txt") // 0600
	}
	if err != nil {
		s.give(err)
		return
	}
	s.write(s.first.Bytes())
	s.first = bytes.Buffer{}
}

func (s *spill) write(b []byte) {
	b = b[:min(len(b), maxSpill-s.size)]
	n, err := s.file.Write(b)
	s.size += n
	if err != nil {
		name := s.file.Name()
		s.file.Close()
		os.Remove(name)
		s.file = nil
		s.give(err)
	}
}

// give up keeping the output.
func (s *spill) give(err error) {
	slog.Warn("keep a command's output", "error", err)
	s.dir, s.first = "", bytes.Buffer{}
}

// close ends the keeping and tells how the output began, the name of its file,
// empty if there is none, and how many bytes are in it.
func (s *spill) close() (begin []byte, name string, kept int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		name = s.file.Name()
		if err := s.file.Close(); err != nil {
			slog.Warn("keep a command's output", "error", err)
		}
	}
	s.dir, s.file, s.first = "", nil, bytes.Buffer{}
	return slices.Clone(s.begin), name, int64(s.size)
}
