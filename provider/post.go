package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The waits of a call whose Call names none. A healthy server sends at least a
// comment every half minute; a thinking model may need minutes for its first word.
const (
	DefaultIdle    = 90 * time.Second
	DefaultPayload = 10 * time.Minute
)

// errorBodyMax bounds what is read of a failed reply, and errorBodyWait how long.
const (
	errorBodyMax  = 64 << 10
	errorBodyWait = 10 * time.Second
)

// Call is one POST to a model server.
type Call struct {
	Client  *http.Client // nil: http.DefaultClient; its CheckRedirect is not used
	URL     string
	Header  http.Header   // sent as given; Content-Type and User-Agent have defaults
	Body    []byte        // JSON
	Idle    time.Duration // longest silence between two bytes once headers arrived; 0: DefaultIdle
	Payload time.Duration // longest wait for headers, then between two calls of Progress; 0: DefaultPayload
	KeyEnv  string        // the variable the key came from, for hints; may be empty
}

// Body is a reply being read. Its two waits count only while a Read is blocked,
// so a slow reader never looks like a slow server. Close may be called from any
// goroutine and ends a blocked Read at once; the rest is for one goroutine.
type Body interface {
	io.ReadCloser
	// Progress says that something worth waiting for arrived: text, reasoning,
	// arguments. Comments and pings are bytes, but no progress.
	Progress()
}

// Post makes one HTTP call and returns the body of a 2xx reply. Any other reply,
// and a connection that fails, is an *Error; the end of ctx is ctx's own error.
// Redirects are not followed: a POST would turn into a GET, and a key in a custom
// header would travel to a foreign host. The caller closes the body.
func Post(ctx context.Context, c Call) (Body, error) {
	idle, payload := c.Idle, c.Payload
	if idle <= 0 {
		idle = DefaultIdle
	}
	if payload <= 0 {
		payload = DefaultPayload
	}
	outer := ctx
	watch := watcherOf(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(watch.traced(ctx, payload), http.MethodPost, c.URL, bytes.NewReader(c.Body))
	if err != nil {
		cancel(nil)
		return nil, badURL(err)
	}
	for k, v := range c.Header {
		req.Header[http.CanonicalHeaderKey(k)] = v
	}
	if req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "forge")
	}
	client := http.Client{}
	if c.Client != nil {
		client = *c.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

	b := &timedBody{outer: outer, ctx: ctx, cancel: cancel, idle: idle, payload: payload, left: payload, watch: watch}
	b.timer = time.AfterFunc(payload, b.expire)
	resp, err := client.Do(req)
	b.timer.Stop()
	if err != nil {
		watch.end()
		err = b.cause(err, c.URL)
		cancel(nil)
		return nil, err
	}
	b.opened.Store(true)
	b.body = resp.Body
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return b, nil
	}
	defer b.Close()
	b.idle = errorBodyWait
	text, _ := io.ReadAll(io.LimitReader(b, errorBodyMax)) // what arrived is all there is to say
	if outer.Err() != nil {
		return nil, outer.Err()
	}
	e := Classify(resp.StatusCode, resp.Header, text)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.Message = "redirects to " + Address(resp.Header.Get("Location"))
		e.Hint = "forge follows no redirects: set --base-url to the address it points to"
	}
	return nil, e.WithKeyEnv(c.KeyEnv)
}

// timedBody is a response body with one timer, armed while a Read blocks.
type timedBody struct {
	outer, ctx    context.Context
	cancel        context.CancelCauseFunc
	body          io.ReadCloser
	timer         *time.Timer
	idle, payload time.Duration
	watch         *watcher      // who hears of its silences; nil: nobody
	left          time.Duration // of payload, since the last Progress
	opened        atomic.Bool   // headers arrived
	due           atomic.Bool   // the timer stands for payload, not for idle
	closing       sync.Once
	closeErr      error
}

// expire runs in the timer's goroutine. It knows no more than which wait is over.
func (b *timedBody) expire() {
	switch {
	case !b.opened.Load():
		b.cancel(silence(b.payload, "no reply for %s"))
	case b.due.Load():
		b.cancel(silence(b.payload, "nothing but keep-alives for %s"))
	default:
		b.cancel(silence(b.idle, "no byte for %s"))
	}
}

func (b *timedBody) Progress() { b.left = b.payload }

func (b *timedBody) Read(p []byte) (int, error) {
	wait := b.idle
	due := b.left < wait
	if due {
		wait = max(b.left, time.Nanosecond)
	}
	b.due.Store(due)
	began := time.Now()
	b.timer.Reset(wait)
	b.watch.begin(wait)
	n, err := b.body.Read(p)
	b.timer.Stop()
	b.watch.heard()
	b.left -= time.Since(began)
	if err != nil && err != io.EOF {
		err = b.cause(err, "")
	}
	return n, err
}

func (b *timedBody) Close() error {
	b.closing.Do(func() {
		b.cancel(nil) // first: it wakes a Read that holds the connection
		b.watch.end()
		b.closeErr = b.body.Close()
	})
	return b.closeErr
}

// cause finds out why reading failed: the caller ended it, a wait was over, or
// the connection broke.
func (b *timedBody) cause(err error, url string) error {
	if e := b.outer.Err(); e != nil {
		return e
	}
	var timeout *Error
	if errors.As(context.Cause(b.ctx), &timeout) {
		return timeout
	}
	if b.ctx.Err() != nil {
		return b.ctx.Err() // closed while reading
	}
	return networkError(err, url)
}

func silence(d time.Duration, what string) *Error {
	return &Error{
		Kind: KindNetwork, Code: "timeout",
		Message: fmt.Sprintf(what, brief(d)),
		Hint:    "the server went silent: try again, or try another model",
	}
}

// brief writes a duration without its zero parts: 10m, not 10m0s.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
