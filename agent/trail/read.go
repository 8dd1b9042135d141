package trail

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// Record is a line of the log.
type Record struct {
	Time    time.Time
	Level   slog.Level
	Message string
	Session string
	Pairs   [][2]string // the rest, in its order
}

// Parse reads a line; false: it is none.
func Parse(line []byte) (r Record, ok bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return r, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return r, false
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return r, false
		}
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		switch key {
		case slog.TimeKey:
			if r.Time, err = time.Parse(time.RFC3339Nano, text); err != nil {
				return r, false
			}
		case slog.LevelKey:
			if r.Level.UnmarshalText([]byte(text)) != nil {
				return r, false
			}
		case slog.MessageKey:
			r.Message = text
		case "session":
			r.Session = text
		default:
			name, _ := key.(string)
			r.Pairs = append(r.Pairs, [2]string{name, text})
		}
	}
	return r, !r.Time.IsZero()
}

// String is the record on one line, for a person: the session by the end of its name, which
// is what is typed. What no terminal should be sent is written out.
func (r Record) String() string {
	var b strings.Builder
	b.WriteString(r.Time.Local().Format("15:04:05.000"))
	if r.Level != slog.LevelDebug {
		b.WriteString(" " + r.Level.String())
	}
	b.WriteString(" " + r.Message)
	for _, p := range r.Pairs {
		v := p[1]
		if v == "" || strings.ContainsAny(v, " \"=") || Visible(v) != v {
			v = strconv.Quote(v)
		}
		fmt.Fprintf(&b, " %s=%s", p[0], v)
	}
	if r.Session != "" {
		b.WriteString(" [" + r.Session[strings.LastIndexByte(r.Session, '-')+1:] + "]")
	}
	return Visible(b.String())
}

// Visible writes out what nobody would see in a text, or a terminal would obey, as a JSON
// string may have it.
func Visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == ' ' || strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", u)
		}
	}
	return b.String()
}

// Of reports whether a record is of the session a person names, by its whole name or the
// end or beginning of it; "" names all.
func (r Record) Of(session string) bool {
	return session == "" || r.Session != "" && (strings.HasSuffix(r.Session, session) || strings.HasPrefix(r.Session, session))
}

// lineMax bounds a line that is read, in bytes.
const lineMax = 1 << 20

// Read tells of every record of a log, the one before it first. Where there is no log at
// all the error is os.ErrNotExist. It returns where the log ended.
func Read(path string, each func(line []byte, r Record)) (end int64, err error) {
	if f, err := os.Open(Older(path)); err == nil {
		_, err = scan(f, each)
		f.Close()
		if err != nil {
			return 0, err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		if _, older := os.Stat(Older(path)); older == nil && errors.Is(err, os.ErrNotExist) {
			return 0, nil
		}
		return 0, err
	}
	defer f.Close()
	return scan(f, each)
}

// scan reads whole lines, and says how many bytes they had.
func scan(r io.Reader, each func([]byte, Record)) (n int64, err error) {
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := b.ReadBytes('\n')
		if err != nil { // half a line is being written
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
		n += int64(len(line))
		if rec, ok := Parse(line); ok && len(line) <= lineMax {
			each(bytes.TrimRight(line, "\n"), rec)
		}
	}
}

// lookEvery is how often the end of a log is looked at.
const lookEvery = 300 * time.Millisecond

// Follow tells of every record that comes behind a place of a log, until ctx ends.
func Follow(ctx context.Context, path string, from int64, each func(line []byte, r Record)) error {
	was, _ := os.Stat(path)
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		fi, err := os.Stat(path)
		if err == nil {
			if was != nil && !os.SameFile(was, fi) {
				if f, err := os.Open(Older(path)); err == nil { // what came before it was put aside
					if _, err := f.Seek(from, io.SeekStart); err == nil {
						_, _ = scan(f, each)
					}
					f.Close()
				}
				from = 0
			}
			if was = fi; fi.Size() < from {
				from = 0
			}
			if fi.Size() > from {
				n, err := tail(path, from, each)
				if err != nil && !errors.Is(err, os.ErrNotExist) { // it is being put aside just now
					return err
				}
				from += n
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

func tail(path string, from int64, each func([]byte, Record)) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return 0, err
	}
	return scan(f, each)
}
