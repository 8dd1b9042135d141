package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"forge/ui/lang"
)

// maxLine is how long one message may be, in bytes: pictures come whole, as base64. A
// longer one is passed over and refused, and the next is read.
const maxLine = 64 << 20

// maxID is how long the ID of a request may be, in bytes: it is sent back.
const maxID = 1 << 10

// The codes of errors: JSON-RPC's own, then the protocol's.
const (
	codeParse     = -32700 // this is no JSON
	codeRequest   = -32600 // it is no request, or not now
	codeMethod    = -32601 // no such method
	codeParams    = -32602 // the parameters are wrong
	codeInternal  = -32603
	codeCancelled = -32800
	codeAuth      = -32000 // a key is missing
	codeNotFound  = -32002 // no such conversation
)

// Error is what a request is refused with. The protocol shows Message to a person.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

func fail(code int, text string) *Error { return &Error{Code: code, Message: text} }

// message is any line of the protocol, as it comes. ID is nil where there is none, and
// null where null was sent.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// empty reports whether a message has neither a method nor what an answer has.
func (m message) empty() bool { return m.Method == "" && m.Result == nil && !m.failed() }

// failed reports whether it is an error that came as an answer.
func (m message) failed() bool { return m.Error != nil && string(m.Error) != "null" }

// problem is that error. What has not the shape of one is the words of one: that it is
// no answer is what counts.
func (m message) problem() *Error {
	var e Error
	if json.Unmarshal(m.Error, &e) != nil {
		return fail(codeInternal, short(string(m.Error)))
	}
	return &e
}

// short is a text of the other side as it is quoted to it.
func short(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// request, answer and refusal are lines as they go out.
type (
	request struct {
		Version string `json:"jsonrpc"`
		ID      *int64 `json:"id,omitempty"` // nil: a notification
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	answer struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}
	refusal struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *Error          `json:"error"`
	}
)

const version = "2.0"

var null = json.RawMessage("null")

// conn is a line-delimited JSON-RPC connection. Lines go out whole, in the order of the
// calls; those that come in are handed on in the order they came, one at a time.
type conn struct {
	log *slog.Logger

	writing sync.Mutex
	out     io.Writer
	room    *room         // for long lines; nil: any
	broken  chan struct{} // closed by the first write that fails
	torn    bool          // it is closed

	mu      sync.Mutex
	last    int64
	waiting map[string]chan message // by the ID, for the answer
	over    bool                    // nobody answers any more
	cancels bool                    // the other side knows $/cancel_request: it has sent one
}

func newConn(out io.Writer, log *slog.Logger) *conn {
	return &conn{log: log, out: out, broken: make(chan struct{}), waiting: map[string]chan message{}}
}

// read hands on what comes, until in ends. What is no message is refused, and nothing of
// what follows is lost by it.
func (c *conn) read(in io.Reader, take func(message)) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, long, err := readLine(r, c.room)
		switch {
		case long && c.room != nil:
			c.refuse(null, fail(codeRequest, lang.T("a message of more than %d MB is not read, and not while others send many that are long; send less at once, or later", maxLine>>20)))
		case long:
			c.refuse(null, fail(codeRequest, lang.T("a message of more than %d MB is not read; send less at once", maxLine>>20)))
		case len(bytes.TrimSpace(line)) > 0:
			if m, bad := parse(line); bad != nil {
				c.refuse(m.ID, bad)
			} else {
				c.guarded(m, take)
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// guarded answers also where take crashes.
func (c *conn) guarded(m message, take func(message)) {
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("message crashed", "method", m.Method, "panic", p, "stack", string(debug.Stack()))
			if m.ID != nil && m.Method != "" {
				c.refuse(m.ID, fail(codeInternal, lang.T("forge crashed: %v", p)))
			}
		}
	}()
	take(m)
}

// mostLong is how much of long lines all clients of a house may have sent of which the end
// is still to come, in bytes.
const mostLong = 96 << 20

// room is what is left of that.
type room struct{ left atomic.Int64 }

// takes reports whether there is room for n bytes more, which then are gone until they are
// given back.
func (r *room) takes(n int) bool {
	if r.left.Add(-int64(n)) >= 0 {
		return true
	}
	r.left.Add(int64(n))
	return false
}

// readLine reads to the next line feed. Of one that is too long, or that there is no room
// for, all is read and nothing kept. A room of nil is as large as may be; short lines need
// none.
func readLine(r *bufio.Reader, free *room) (line []byte, long bool, err error) {
	const short = 1 << 20
	held := 0
	defer func() {
		if held > 0 {
			free.left.Add(int64(held))
		}
	}()
	for {
		part, e := r.ReadSlice('\n')
		fits := !long && len(line)+len(part) <= maxLine
		if n := len(line) + len(part) - held; fits && free != nil && n > short {
			n += len(line) / 4 // some at once
			if fits = free.takes(n); fits {
				held += n
			}
		}
		if fits {
			line = append(line, part...)
		} else {
			line, long = nil, true
		}
		if !errors.Is(e, bufio.ErrBufferFull) {
			return line, long, e
		}
	}
}

// parse reads a line. Where it is no message, the ID is the one to refuse it under.
func parse(line []byte) (message, *Error) {
	var m message
	if trimmed := bytes.TrimSpace(line); trimmed[0] != '{' {
		if json.Valid(trimmed) {
			return message{ID: null}, fail(codeRequest, lang.T("this is no message: an object is wanted, one a line"))
		}
		return message{ID: null}, fail(codeParse, lang.T("this line is no JSON"))
	}
	wrong := json.Unmarshal(line, &m)
	var syntax *json.SyntaxError
	if errors.As(wrong, &syntax) {
		return message{ID: null}, fail(codeParse, lang.T("this line is no JSON: %v", wrong))
	}
	if m.ID != nil && m.ID[0] != '"' && m.ID[0] != 'n' && m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') ||
		!utf8.Valid(m.ID) || len(m.ID) > maxID { // it goes back as it came
		return message{ID: null}, fail(codeRequest, lang.T("an id is a text or a number"))
	}
	id := m.ID
	if id == nil {
		id = null
	}
	switch {
	case wrong != nil:
		return message{ID: id}, fail(codeRequest, lang.T("this is no message: %v", wrong))
	case m.Version != version:
		return message{ID: id}, fail(codeRequest, lang.T("jsonrpc must be %q", version))
	case m.empty() && string(id) == string(null):
		return message{ID: id}, fail(codeRequest, lang.T("this is no message: it has neither a method nor a result"))
	}
	return m, nil
}

// encoded is a message as a line.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // it ends the line
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// send writes one line. Once a write has failed, nothing is written any more.
func (c *conn) send(v any) error {
	line, err := encoded(v)
	if err != nil {
		c.log.Error("message not written", "err", err)
		return err
	}
	return c.write(line)
}

// write is send for what is a line already.
func (c *conn) write(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.torn {
		return io.ErrClosedPipe
	}
	if _, err := c.out.Write(line); err != nil {
		c.torn = true
		close(c.broken)
		return err
	}
	return nil
}

func (c *conn) notify(method string, params any) {
	if err := c.send(request{Version: version, Method: method, Params: params}); err != nil {
		c.log.Debug("notification not sent", "method", method, "err", err)
	}
}

func (c *conn) answer(id json.RawMessage, result any) {
	if err := c.send(answer{version, id, result}); err != nil {
		c.log.Debug("answer not sent", "err", err)
	}
}

func (c *conn) refuse(id json.RawMessage, e *Error) {
	if id == nil {
		id = null
	}
	if err := c.send(refusal{version, id, e}); err != nil {
		c.log.Debug("error not sent", "err", err)
	}
}

// call asks the other side and waits for what it says, or for the end of ctx.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	ch := make(chan message, 1)
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return io.ErrClosedPipe
	}
	c.last++
	id := c.last
	key := strconv.FormatInt(id, 10)
	c.waiting[key] = ch
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, key)
		c.mu.Unlock()
	}()
	if err := c.send(request{version, &id, method, params}); err != nil {
		return err
	}
	select {
	case m, ok := <-ch:
		switch {
		case !ok:
			return io.ErrClosedPipe
		case m.failed():
			return m.problem()
		case result == nil || m.empty():
			return nil
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("the editor's answer cannot be read: %w", err)
		}
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		tell := c.cancels
		c.mu.Unlock()
		if tell {
			c.notify("$/cancel_request", map[string]any{"requestId": id})
		}
		return ctx.Err()
	}
}

// answered takes the answer to a call; one that says nothing is one, too. What nobody
// waits for any more is dropped.
func (c *conn) answered(m message) {
	c.mu.Lock()
	ch := c.waiting[string(m.ID)]
	delete(c.waiting, string(m.ID))
	c.mu.Unlock()
	switch {
	case ch != nil:
		ch <- m
	case m.empty():
		c.refuse(m.ID, fail(codeRequest, lang.T("this is no message: it has neither a method nor a result")))
	}
}

// end tells all who wait that no answer comes.
func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for key, ch := range c.waiting {
		delete(c.waiting, key)
		close(ch)
	}
}
