package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"forge/tools/child"
)

// A message is one of the protocol, whatever its kind.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return plain(e.Message, 200) }

// notFound is the code of an answer to a request nobody knows.
const notFound = -32601

var (
	errGone = errors.New("the server is gone")
	errDeaf = errors.New("it closed its input")
)

// A conn is a connection to a server: messages on its input and output. What is sent
// goes through a short queue to one goroutine, so that a server that does not read
// holds up nobody for longer than they want to wait.
type conn struct {
	proc   *child.Process
	handle func(m message) // a notification or a request of the server's; on the reader
	out    chan []byte
	gone   chan struct{} // nothing comes any more
	once   sync.Once

	mu      sync.Mutex
	why     error // it is gone
	last    int64
	waiting map[int64]chan message // one slot
}

// drainGrace is how long what a server wrote may still come once it is gone.
const drainGrace = 200 * time.Millisecond

func newConn(p *child.Process, handle func(message)) *conn {
	return &conn{proc: p, handle: handle, out: make(chan []byte, 32), gone: make(chan struct{}), waiting: map[int64]chan message{}}
}

// start begins to read and write. A server may ask before it is greeted, so whoever
// handles what it sends must have the connection by then.
func (c *conn) start() {
	p := c.proc
	go c.read()
	go c.write()
	go func() {
		defer recovered("wait for a language server")
		<-p.Exited()
		if !child.WaitFor(c.gone, drainGrace) { // something it left holds the pipe
			p.Stdout.Close()
		}
	}()
}

// fail notes why the connection is of no use any more; the first reason counts.
func (c *conn) fail(err error) {
	c.once.Do(func() {
		c.mu.Lock()
		c.why = err
		c.mu.Unlock()
		close(c.gone)
	})
}

// over says whether nothing comes any more.
func (c *conn) over() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

func (c *conn) read() {
	defer recovered("read from a language server")
	err := errGone
	defer func() { c.fail(err) }()
	frames := newFrameReader(c.proc.Stdout)
	for {
		frame, broken := frames.next()
		if broken != nil {
			if !errors.Is(broken, io.EOF) && !errors.Is(broken, io.ErrUnexpectedEOF) {
				err = broken
			}
			return
		}
		var m message
		if frame == nil || json.Unmarshal(frame, &m) != nil {
			slog.Debug("language server: a message was passed over", "bytes", len(frame))
			continue
		}
		if m.Method != "" {
			c.handle(m)
			continue
		}
		var id int64
		if json.Unmarshal(m.ID, &id) != nil {
			continue
		}
		c.mu.Lock()
		reply := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if reply != nil {
			reply <- m
		}
	}
}

func (c *conn) write() {
	defer recovered("write to a language server")
	for {
		select {
		case frame := <-c.out:
			if _, err := c.proc.Stdin.Write(frame); err != nil {
				c.fail(errDeaf)
				return
			}
		case <-c.gone:
			return
		}
	}
}

// send puts a message on its way.
func (c *conn) send(ctx context.Context, m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	select {
	case <-c.gone: // the queue may have room all the same
		return c.lost()
	default:
	}
	select {
	case c.out <- framed(body):
		return nil
	case <-c.gone:
		return c.lost()
	case <-ctx.Done():
		return errors.New("it does not read what it is sent")
	}
}

// lost is why the server is gone.
func (c *conn) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why != nil && !errors.Is(c.why, errGone) && !errors.Is(c.why, errDeaf) {
		return c.why
	}
	child.WaitFor(c.proc.Exited(), drainGrace)
	switch how := c.proc.How(); {
	case how != "":
		return errors.New("it has ended: " + how)
	case errors.Is(c.why, errDeaf):
		return c.why
	}
	return errors.New("it closed its output")
}

// notify sends a notification.
func (c *conn) notify(ctx context.Context, method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(ctx, message{Method: method, Params: raw})
}

// call sends a request and waits for its answer, which goes into result; nil: nobody
// looks at it.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	reply := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.waiting[id] = reply
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	if params == nil {
		raw = nil
	}
	if err := c.send(ctx, message{ID: json.RawMessage(fmt.Sprint(id)), Method: method, Params: raw}); err != nil {
		return err
	}
	select {
	case m := <-reply:
		if m.Error != nil {
			return m.Error
		}
		if result == nil || len(m.Result) == 0 {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-c.gone:
		return c.lost()
	case <-ctx.Done():
		c.cancel(id)
		return ctx.Err()
	}
}

// cancel tells the server that nobody waits for an answer any more, if there is room: it
// may be what keeps it from reading.
func (c *conn) cancel(id int64) {
	body, err := json.Marshal(message{Version: "2.0", Method: "$/cancelRequest", Params: fmt.Appendf(nil, `{"id":%d}`, id)})
	if err != nil {
		return
	}
	select {
	case c.out <- framed(body):
	default:
	}
}

// answer answers a request of the server's. It is called on the reader, which must not
// wait for a server that does not read: what finds no room is left out.
func (c *conn) answer(id json.RawMessage, result any, failed *rpcError) {
	raw, err := json.Marshal(result)
	if err != nil {
		raw = json.RawMessage("null")
	}
	m := message{ID: id, Result: raw, Error: failed}
	if failed != nil {
		m.Result = nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := c.send(ctx, m); err != nil {
		slog.Debug("language server: a request was not answered", "error", err)
	}
}
