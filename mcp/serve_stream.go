package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// lastAnswers is how long calls may still answer once the client's stream has
// ended: enough for one that came through a pipe, and short enough for a client that
// wants us gone.
const lastAnswers = 2 * time.Second

// admit passes on the lines that are messages. To the engine any other is the end of
// the session, and one slip of a client should not be that: a request that can be
// named is answered with an error, the rest is left out with a word in the log. The
// arrays of 2025-03-26 are taken apart.
func (s *Service) admit(ctx context.Context, in io.Reader, dst io.Writer, a *answers) error {
	lines := newLineReader(in, maxRequest)
	for {
		l, err := lines.next()
		switch {
		case l.over:
			a.refuse(l.id, fmt.Sprintf("the message has %d bytes, more than the %d that are taken", l.size, maxRequest))
			s.log.Warn("message left out", "bytes", l.size)
		case len(l.text) == 0:
		default:
			if werr := s.pass(dst, l.text, a); werr != nil {
				return werr
			}
		}
		if errors.Is(err, io.EOF) {
			a.wait(ctx, s.grace)
			return io.EOF
		}
		if err != nil {
			return err
		}
	}
}

// pass passes on one line.
func (s *Service) pass(dst io.Writer, text []byte, a *answers) error {
	if text[0] == '[' {
		var batch []json.RawMessage
		if json.Unmarshal(text, &batch) == nil && len(batch) > 0 {
			for _, m := range batch {
				if m = bytes.TrimSpace(m); m[0] == '[' {
					s.log.Warn("message left out", "why", "an array in an array")
					continue
				}
				if err := s.pass(dst, m, a); err != nil {
					return err
				}
			}
			return nil
		}
	}
	var head struct {
		Method *string         `json:"method"`
		ID     json.RawMessage `json:"id"`
	}
	err := json.Unmarshal(text, &head)
	if err == nil {
		err = s.engine.readable(text)
	}
	if err == nil && head.ID != nil && plainID(head.ID) == "" {
		err = errors.New("its id is neither a text nor a whole number")
	}
	if err != nil {
		s.log.Warn("message left out", "bytes", len(text), "why", clip(err.Error(), 200))
		if id := plainID(head.ID); id != "" && head.Method != nil {
			a.refuse(id, "this is no request: "+clip(err.Error(), 200))
		}
		return nil
	}
	if head.Method != nil && head.ID != nil {
		a.asked(string(head.ID))
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil { // a carriage return inside would be one line for us and two for others
		return err
	}
	line.WriteByte('\n')
	_, err = dst.Write(line.Bytes())
	return err
}

// plainID returns the text of an id that can be answered to: a string or a whole
// number.
func plainID(id json.RawMessage) string {
	var text string
	if json.Unmarshal(id, &text) == nil && string(id) != "null" {
		return string(id)
	}
	if _, err := strconv.ParseInt(string(id), 10, 64); err == nil {
		return string(id)
	}
	return ""
}

// answers is the stream to the client. It knows which requests have no answer yet.
type answers struct {
	mu   sync.Mutex
	w    io.Writer
	open map[string]bool // by the JSON text of the id
	none chan struct{}   // one slot: told when the last is answered
}

func (a *answers) asked(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[id] = true
}

// Write implements io.Writer; the engine writes one whole line each time.
func (a *answers) Write(p []byte) (int, error) {
	var scan idScanner
	scan.feed(p)
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.w.Write(p)
	if id := scan.id(); id != "" && a.open[id] {
		delete(a.open, id)
		if len(a.open) == 0 {
			select {
			case a.none <- struct{}{}:
			default:
			}
		}
	}
	return n, err
}

// Close implements io.Closer; the stream is not ours to close.
func (*answers) Close() error { return nil }

// codeInvalidRequest is JSON-RPC's code for what is no request.
const codeInvalidRequest = -32600

// refuse answers a message that is not passed on; without an id it cannot.
func (a *answers) refuse(id, why string) {
	if id == "" {
		return
	}
	text, err := json.Marshal(why)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	// A client that is gone shows as the end of its own stream.
	_, _ = fmt.Fprintf(a.w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, codeInvalidRequest, text)
}

// wait waits until all that was asked is answered, but no longer than limit.
func (a *answers) wait(ctx context.Context, limit time.Duration) {
	t := time.NewTimer(limit)
	defer t.Stop()
	for {
		a.mu.Lock()
		n := len(a.open)
		a.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-a.none:
		case <-t.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
