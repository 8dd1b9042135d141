package ide

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"
)

// httpPipe is MCP's streamable HTTP, as far as a companion needs it: each message is a
// request of its own, answered in its body, and what the editor tells unasked comes on
// one stream that is kept open.
type httpPipe struct {
	client *http.Client
	at     string
	token  func() string
	take   func([]byte)
	lose   func(error)
	again  []time.Duration

	life context.Context
	stop context.CancelFunc

	mu      sync.Mutex
	session string
	version string
	last    string // of the events on the stream
}

func newHTTPPipe(b Bridge, p *peer) *httpPipe {
	h := &httpPipe{client: loopback(b.Port), at: fmt.Sprintf("http://127.0.0.1:%d/mcp", b.Port), token: b.token, take: p.take, lose: p.lose, again: again}
	h.life, h.stop = context.WithCancel(context.Background())
	return h
}

func (h *httpPipe) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.at, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+h.token())
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != "" {
		r.Header.Set("Mcp-Session-Id", h.session)
	}
	if h.version != "" {
		r.Header.Set("Mcp-Protocol-Version", h.version)
	}
	return r, nil
}

// send implements pipe.
func (h *httpPipe) send(ctx context.Context, msg []byte) (bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	r, err := h.request(ctx, http.MethodPost, msg)
	if err != nil {
		return true, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := h.client.Do(r)
	if err != nil {
		return true, plainly(err)
	}
	defer resp.Body.Close()
	if err := refused(resp); err != nil {
		return true, err
	}
	h.mu.Lock()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" && h.session == "" {
		h.session = short(id, 1024)
	}
	h.mu.Unlock()
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "application/json":
		b, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
		switch {
		case err != nil:
			return true, plainly(err)
		case len(b) > maxMessage:
			return true, errTooLarge
		}
		h.take(b)
	case "text/event-stream":
		if _, err := events(resp.Body, func(_ string, data []byte) { h.take(data) }); err != nil && ctx.Err() == nil {
			return true, plainly(err)
		}
	}
	return true, nil
}

var errTooLarge = errors.New("the editor sent more than is taken")

// refused is the error of a status that is none of success.
func refused(resp *http.Response) error {
	switch c := resp.StatusCode; {
	case c >= 200 && c < 300:
		return nil
	case c == http.StatusUnauthorized || c == http.StatusForbidden:
		return errors.New("it does not take the token of its own file: another program has its port, or the file is old")
	default:
		return fmt.Errorf("what listens on its port is no bridge: it answered %d", c)
	}
}

// plainly is an error of the network without the address, which everybody knows.
func plainly(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, ErrStranger):
		return ErrStranger
	case errors.Is(err, ErrSilent):
		return ErrSilent
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrGone
	}
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return fmt.Errorf("the editor cannot be reached: %s", text)
}

// ready begins to hear what the editor tells unasked, once a session is there. A
// companion without a stream can be called and tells nothing. ctx is for the beginning
// alone; the stream goes on after it.
func (h *httpPipe) ready(ctx context.Context, version string) (hears bool, err error) {
	h.mu.Lock()
	h.version = version
	h.mu.Unlock()
	resp, err := h.openIn(ctx)
	switch {
	case err != nil:
		return false, err
	case resp.StatusCode == http.StatusMethodNotAllowed:
		resp.Body.Close()
		return false, nil
	}
	if err := refused(resp); err != nil {
		resp.Body.Close()
		return false, err
	}
	go h.hear(resp)
	return true, nil
}

// openIn is open for as long as ctx lets it begin.
func (h *httpPipe) openIn(ctx context.Context) (*http.Response, error) {
	life, stop := context.WithCancel(h.life)
	began := context.AfterFunc(ctx, stop)
	resp, err := h.open(life)
	if !began() && ctx.Err() != nil { // too late: what came has been broken off
		if err == nil {
			resp.Body.Close()
		}
		return nil, ctx.Err()
	}
	if err != nil {
		stop()
	}
	return resp, err
}

func (h *httpPipe) open(ctx context.Context) (*http.Response, error) {
	r, err := h.request(ctx, http.MethodGet, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/event-stream")
	h.mu.Lock()
	if h.last != "" {
		r.Header.Set("Last-Event-ID", h.last)
	}
	h.mu.Unlock()
	resp, err := h.client.Do(r)
	if err != nil {
		return nil, plainly(err)
	}
	return resp, nil
}

// again is how long to wait before a stream that ended is opened again; each attempt
// takes the next.
var again = []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second}

// hear takes what comes on the stream, until the editor is gone.
func (h *httpPipe) hear(resp *http.Response) {
	defer h.lose(ErrGone) // also after a crash: nothing is heard any more
	defer recovered("hear the editor")
	tries := 0
	for {
		some, err := events(resp.Body, func(id string, data []byte) {
			if id != "" {
				h.mu.Lock()
				h.last = id
				h.mu.Unlock()
			}
			h.take(data)
		})
		resp.Body.Close()
		if some {
			tries = 0
		}
		slog.Debug("the editor's stream ended", "err", err)
		for {
			if tries == len(h.again) || h.life.Err() != nil || errors.Is(err, errTooLarge) {
				h.lose(ErrGone)
				return
			}
			select {
			case <-time.After(h.again[tries]):
			case <-h.life.Done():
			}
			tries++
			if resp, err = h.open(h.life); err == nil {
				if refused(resp) == nil {
					break
				}
				resp.Body.Close()
				h.lose(ErrGone)
				return
			}
			if errors.Is(err, ErrStranger) {
				h.lose(ErrStranger)
				return
			}
		}
	}
}

// events reads server-sent events. some: there was one.
func events(r io.Reader, each func(id string, data []byte)) (some bool, err error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 4096), maxMessage)
	var data []byte
	id, has := "", false
	for sc.Scan() {
		line := bytes.TrimSuffix(sc.Bytes(), []byte("\r"))
		if len(line) == 0 {
			if has {
				some = true
				each(id, data)
			}
			data, has = nil, false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			if has {
				data = append(data, '\n')
			}
			if len(data)+len(value) > maxMessage {
				return some, errTooLarge
			}
			data, has = append(data, value...), true
		case "id":
			id = short(string(value), 1024)
		}
	}
	if errors.Is(sc.Err(), bufio.ErrTooLong) {
		return some, errTooLarge
	}
	return some, sc.Err()
}

// close implements pipe. The editor is told, if it hears.
func (h *httpPipe) close() {
	defer h.client.CloseIdleConnections()
	defer h.stop()
	h.mu.Lock()
	session := h.session
	h.session = ""
	h.mu.Unlock()
	if session == "" || h.life.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	r, err := h.request(ctx, http.MethodDelete, nil)
	if err != nil {
		return
	}
	r.Header.Set("Mcp-Session-Id", session)
	if resp, err := h.client.Do(r); err == nil {
		resp.Body.Close()
	}
}
