package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Tail reads the end of a session: the records that stand in about its last n
// bytes, more if there is no message among them. It begins with something said,
// not with results whose calls are not there. A screen shows them while Open
// reads the rest; it changes nothing and takes no lock.
func Tail(path string, n int64) ([]Record, error) {
	if err := regular(path); err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	for n = max(n, 1); ; n *= 4 {
		n = min(n, fi.Size())
		buf := make([]byte, n)
		if _, err := f.ReadAt(buf, fi.Size()-n); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read session: %w", err)
		}
		whole := n == fi.Size()
		if !whole { // the first line may be half a line
			_, buf, _ = bytes.Cut(buf, []byte("\n"))
		}
		buf = buf[:bytes.LastIndexByte(buf, '\n')+1] // and so may the last
		var lines [][]byte
		for l := range bytes.Lines(buf) {
			lines = append(lines, l)
		}
		rs, _ := decodeAll(lines)
		rs = dated(rs)
		for len(rs) > 0 && !said(rs[0]) {
			rs = rs[1:]
		}
		if len(rs) > 0 || whole {
			return rs, nil
		}
	}
}

// said reports whether a record is a message that is not made of results alone, or
// tells of prompts that wait.
func said(r Record) bool {
	if r.Message == nil {
		return r.Queue != nil
	}
	results, rest := split(r.Message.Blocks)
	return len(results) == 0 || len(rest) > 0
}

// InUse reports whether another forge has a session open for writing. It changes
// nothing.
func InUse(path string) bool {
	if regular(path) != nil {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // and lets go of the lock
	return inUse(f)
}

// Records reads a session up to the sequence number last, without its header. It
// changes nothing and takes no lock: the one who writes the session reads it again
// this way.
func Records(path string, last int) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	rs, _, _, _, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return slices.DeleteFunc(rs, func(r Record) bool { return r.Header != nil || r.Seq > last }), nil
}
