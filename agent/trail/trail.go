// Package trail is the log of what forge did, kept in bounds.
//
// It owns the file that is written (it grows to a size, then the one before it goes), how
// a record is written and read, and how its end is followed. Who wants records makes a
// slog handler of it; what is masked is masked by the writer handed in.
package trail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// File is a log that is begun anew once it has grown: the one before it stays as NAME.1.
// Several forges may write to it at once, a record at a time.
type File struct {
	path string
	max  int64 // bytes

	mu   sync.Mutex
	f    *os.File // nil: it could not be opened the last time
	size int64
	torn bool // the last record was not written to its end
	over bool
}

// Open opens a log to be written to at its end, readable by its owner alone, and makes its
// folder. max is how many bytes it may have.
func Open(path string, max int64) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	l := &File{path: path, max: max}
	return l, l.open()
}

// Older is where the log before the one at path is.
func Older(path string) string { return path + ".1" }

func (l *File) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	l.f, l.size, l.torn = f, 0, false
	if fi, err := f.Stat(); err == nil {
		l.size = fi.Size()
	}
	return nil
}

// Write implements io.Writer: each is one record.
func (l *File) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return 0, os.ErrClosed
	}
	if err := l.meet(); err != nil {
		return 0, err
	}
	if l.size+int64(len(p)) > l.max && l.size > 0 {
		if err := l.turn(); err != nil {
			return 0, err
		}
	}
	record := p
	if l.torn { // a disk was full: what came of it is a line of its own
		record = append([]byte{'\n'}, p...)
	}
	n, err := l.f.Write(record)
	if n > 0 {
		l.torn = n < len(record)
	}
	return min(n, len(p)), err
}

// meet makes sure that the log is the one at its place, which another forge may have put
// aside or somebody deleted, and looks how long it is: others write to it, too.
func (l *File) meet() error {
	if l.f != nil {
		mine, err := l.f.Stat()
		now, gone := os.Stat(l.path)
		if err == nil && gone == nil && os.SameFile(mine, now) {
			l.size = now.Size()
			return nil
		}
		l.f.Close()
		l.f = nil
	}
	return l.open()
}

// turnTime is longer than putting a log aside takes: who is at it for longer was killed.
const turnTime = 10 * time.Second

// turnWait is how long a record waits for another forge that is at it.
const turnWait = 200 * time.Millisecond

// turn puts the log aside and begins another, unless another forge has done so or is doing
// so: two of them would put aside the new one, too, and lose the old. Where it cannot be put
// aside it is cut off: it has its size.
func (l *File) turn() error {
	lock := l.path + ".turn"
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		k, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			k.Close()
			defer os.Remove(lock)
			break
		}
		if !errors.Is(err, os.ErrExist) {
			break // a full disk: the log is put aside all the same
		}
		if fi, err := os.Stat(lock); err == nil && time.Since(fi.ModTime()) > turnTime {
			os.Remove(lock)
		} else if time.Since(began) > turnWait {
			return nil // this record makes the log longer, and the next looks again
		}
	}
	mine, err := l.f.Stat()
	l.f.Close()
	l.f = nil
	if now, other := os.Stat(l.path); err == nil && other == nil && os.SameFile(mine, now) && now.Size() >= l.max/2 {
		if os.Rename(l.path, Older(l.path)) != nil {
			_ = os.Truncate(l.path, 0)
		}
	}
	return l.open()
}

// Close ends the writing.
func (l *File) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over = true; l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}

// Handler writes every record to w as a line of JSON, with the session that session names
// at that time; nil: none is named.
func Handler(w io.Writer, session func() string) slog.Handler {
	return &handler{Handler: slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: readable}), session: session}
}

// readable writes a time that something took as a person reads it.
func readable(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

type handler struct {
	slog.Handler
	session func() string
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if h.session != nil {
		if id := h.session(); id != "" {
			r = r.Clone()
			r.AddAttrs(slog.String("session", id))
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(as []slog.Attr) slog.Handler {
	return &handler{h.Handler.WithAttrs(as), h.session}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.session}
}

// Masked writes records to w as mask makes them, each by itself: one that speaks of the
// beginning of a key says nothing of the next.
func Masked(w io.Writer, mask func(string) string) io.Writer { return masked{w, mask} }

type masked struct {
	w    io.Writer
	mask func(string) string
}

// Write implements io.Writer.
func (m masked) Write(b []byte) (int, error) {
	if _, err := io.WriteString(m.w, m.mask(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Plain writes records, which come to it as lines of JSON, to w as a person reads them.
func Plain(w io.Writer, prefix string) io.Writer { return plain{w, prefix} }

type plain struct {
	w      io.Writer
	prefix string
}

// Write implements io.Writer.
func (p plain) Write(b []byte) (int, error) {
	if r, ok := Parse(b); ok {
		if _, err := fmt.Fprintln(p.w, p.prefix+r.String()); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// All hands every record to each of the handlers that wants it.
func All(hs ...slog.Handler) slog.Handler {
	if len(hs) == 1 {
		return hs[0]
	}
	return all(hs)
}

type all []slog.Handler

// Enabled implements slog.Handler.
func (a all) Enabled(ctx context.Context, l slog.Level) bool {
	for _, h := range a {
		if h.Enabled(ctx, l) {
			return true
		}
	}
	return false
}

// Handle implements slog.Handler.
func (a all) Handle(ctx context.Context, r slog.Record) (err error) {
	for _, h := range a {
		if h.Enabled(ctx, r.Level) {
			if e := h.Handle(ctx, r.Clone()); e != nil {
				err = e
			}
		}
	}
	return err
}

// WithAttrs implements slog.Handler.
func (a all) WithAttrs(as []slog.Attr) slog.Handler {
	return a.each(func(h slog.Handler) slog.Handler { return h.WithAttrs(as) })
}

// WithGroup implements slog.Handler.
func (a all) WithGroup(name string) slog.Handler {
	return a.each(func(h slog.Handler) slog.Handler { return h.WithGroup(name) })
}

func (a all) each(f func(slog.Handler) slog.Handler) slog.Handler {
	out := make(all, len(a))
	for i, h := range a {
		out[i] = f(h)
	}
	return out
}
