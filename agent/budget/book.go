package budget

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"forge/sorting"
)

// Book is the record of every model call a person's forges made: a folder with one
// file a month, JSON Lines, append-only. Several forges write it at once.
type Book struct {
	dir string

	mu   sync.Mutex
	path string // of the month day last read
	date string
	read int64 // how far
	sum  Amount
}

// OpenBook returns the book in a folder, which need not exist yet.
func OpenBook(dir string) *Book { return &Book{dir: dir} }

func (b *Book) file(t time.Time) string {
	return filepath.Join(b.dir, t.Local().Format("2006-01")+".jsonl")
}

// maxLine bounds a line, in bytes: a longer one is none of ours.
const maxLine = 1 << 20

// write appends one call, in one write under a lock.
func (b *Book) write(c Call) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return fmt.Errorf("keep what was spent: %w", err)
	}
	f, err := os.OpenFile(b.file(c.When), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("keep what was spent: %w", err)
	}
	unlock := lock(f)
	err = appendLine(f, line)
	unlock()
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keep what was spent: %w", err)
	}
	return nil
}

// appendLine adds a line on its own, whatever a crash left at the end of the file,
// and leaves nothing of it where it cannot be written whole.
func appendLine(f *os.File, line []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			line = append([]byte("\n"), line...)
		}
	}
	if n, err := f.Write(line); err != nil {
		if n > 0 {
			err = errors.Join(err, f.Truncate(info.Size()))
		}
		return err
	}
	return nil
}

// day adds up what was written of a day, reading only what is new.
func (b *Book) day(now time.Time) Amount {
	b.mu.Lock()
	defer b.mu.Unlock()
	path, date := b.file(now), now.Local().Format(time.DateOnly)
	if b.path != path || b.date != date {
		b.path, b.date, b.read, b.sum = path, date, 0, Amount{}
	}
	f, err := os.Open(path)
	if err != nil {
		return b.sum
	}
	defer f.Close()
	if _, err := f.Seek(b.read, io.SeekStart); err != nil {
		return b.sum
	}
	n, _ := lines(f, func(c Call) {
		if c.When.Local().Format(time.DateOnly) == date {
			b.sum = b.sum.Add(c.Amount())
		}
	})
	b.read += n
	return b.sum
}

// Calls reads what was written since a time, the oldest first. A line that cannot be
// read is passed over; the error says that a whole file could not.
func (b *Book) Calls(since time.Time) ([]Call, error) {
	entries, err := os.ReadDir(b.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was spent: %w", err)
	}
	var out []Call
	var failed error
	first := filepath.Base(b.file(since))
	for _, e := range entries {
		if name := e.Name(); !strings.HasSuffix(name, ".jsonl") || !since.IsZero() && name < first {
			continue
		}
		f, err := os.Open(filepath.Join(b.dir, e.Name()))
		if err == nil {
			_, err = lines(f, func(c Call) {
				if !c.When.Before(since) {
					out = append(out, c)
				}
			})
			f.Close()
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("read what was spent: %w", err))
		}
	}
	sorting.StableBy(out, func(a, b Call) int { return a.When.Compare(b.When) })
	return out, failed
}

// lines reads the calls in r and returns how many bytes its whole lines have.
func lines(r io.Reader, each func(Call)) (int64, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	var read int64
	var text []byte
	var long int64
	for {
		part, err := br.ReadSlice('\n')
		long += int64(len(part))
		if long <= maxLine {
			text = append(text, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			return read, nil
		case err != nil:
			return read, err
		}
		read += long
		var c Call
		if long <= maxLine && json.Unmarshal(bytes.TrimSpace(text), &c) == nil && !c.When.IsZero() {
			each(c)
		}
		text, long = text[:0], 0
	}
}
