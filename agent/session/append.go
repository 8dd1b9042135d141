package session

import (
	"errors"
	"fmt"
	"os"
)

// Saved reports whether everything that was appended is in the file.
func (s *Session) Saved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file != nil && len(s.pending) == 0
}

// Append adds one record, on disk when it returns if it holds a message, a
// cut, a result or prompts that wait. After an error the record is kept in memory and tried again with the next
// one, so that a disk that was full for a while costs nothing.
func (s *Session) Append(r Record) error {
	_, err := s.Add(r)
	return err
}

// Add is Append that returns the sequence number the record got, 0 where it got
// none.
func (s *Session) Add(r Record) (seq int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readOnly != "" {
		return 0, fmt.Errorf("%w: %s", ErrReadOnly, s.readOnly)
	}
	if r.Time.IsZero() {
		r.Time = s.now()
	}
	r.Seq = s.seq + 1
	line, err := encode(r)
	if err != nil {
		return 0, fmt.Errorf("save session: %w", err)
	}
	s.seq++
	s.made(r.Time)
	if r.Title != "" {
		s.title, s.titleAt = r.Title, s.size
	}
	if r.Moved != nil {
		s.moved, s.movedAt = r.Moved, s.size
	}
	s.pending = append(s.pending, line)
	s.sayMoved()
	s.due = s.due || s.file != nil || r.Message != nil || r.Draft != nil || r.Queue != nil && len(r.Queue.Prompts) > 0
	if !s.due {
		return r.Seq, nil // a title or a model alone is no conversation yet
	}
	return r.Seq, s.flush(r.Message != nil || r.Cut != nil || r.Trim != nil || r.Undo != nil || r.Early != nil || r.Queue != nil || r.Moved != nil)
}

// sayMoved says again where the conversation is worked on, where that was said too far
// from the end for a list. A crash must not lose it: forge -c in a folder would take what
// is worked on elsewhere.
func (s *Session) sayMoved() {
	if s.moved == nil {
		return
	}
	end := s.size
	for _, l := range s.pending {
		end += int64(len(l))
	}
	if end-s.movedAt < edge/2 {
		return
	}
	if line, err := encode(Record{Seq: s.seq + 1, Time: s.now(), Moved: s.moved}); err == nil {
		s.seq++
		s.pending, s.movedAt = append(s.pending, line), end
	}
}

func (s *Session) flush(sync bool) error {
	if s.file == nil {
		if err := s.begin(); err != nil {
			return fmt.Errorf("save session: %w", err)
		}
	}
	for len(s.pending) > 0 {
		n, err := s.file.Write(s.pending[0])
		if err != nil {
			if n > 0 { // part of a line is worse than none: the next one would be welded to it
				err = errors.Join(err, s.file.Truncate(s.size))
			}
			return fmt.Errorf("save session: %w", err)
		}
		s.size += int64(n)
		s.wrote = true
		s.pending = s.pending[1:]
	}
	if !sync {
		return nil
	}
	if s.synced != nil {
		s.synced()
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	return nil
}

func (s *Session) begin() error {
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	line, err := encode(Record{Time: s.header.Created, Header: &s.header})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.take(f) // the name is new and random: nobody else has it
	s.file = f
	s.pending = append([][]byte{line}, s.pending...)
	return nil
}

// Save tries once more to write what a full disk refused. Its error says that
// something of the conversation is not on disk, and why.
func (s *Session) Save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.due || s.readOnly != "" || len(s.pending) == 0 {
		return nil
	}
	return s.flush(true)
}

// Close writes what is still unsaved and lets go of the file. Its error says
// that something of the conversation is not on disk.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil && s.due && s.readOnly == "" { // no file could be made so far
		if err := s.flush(true); s.file == nil {
			s.readOnly = "it is closed"
			return err
		}
	}
	if s.file == nil {
		return nil
	}
	// List reads only a file's ends, so a title from its middle is said again.
	if s.wrote && s.title != "" && s.size-s.titleAt > edge/2 {
		if line, err := encode(Record{Seq: s.seq + 1, Time: s.now(), Title: s.title}); err == nil {
			s.pending = append(s.pending, line)
		}
	}
	var err error
	if s.wrote || len(s.pending) > 0 {
		err = s.flush(true)
	}
	err = errors.Join(err, s.file.Close())
	s.letGo()
	s.file, s.readOnly = nil, "it is closed"
	return err
}
