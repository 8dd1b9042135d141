package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// sieveEvents copies the events of a stream through the wire. It returns the id of
// the last one, and how long the server wants us to wait before we come back.
func (h *hub) sieveEvents(dst io.Writer, src io.Reader, keepIDs bool) (last string, retry time.Duration, err error) {
	events := newEventReader(src)
	for {
		ev, err := events.next()
		if err != nil {
			return last, retry, err
		}
		if ev.id != "" {
			last = ev.id
		}
		if ms, e := strconv.Atoi(ev.retry); e == nil && ms >= 0 {
			retry = time.Duration(ms) * time.Millisecond
		}
		var frames [][]byte
		switch {
		case ev.over:
			frames = h.wire.oversize(ev.scan.id(), ev.size, maxFrame)
		case ev.name == "" || ev.name == "message":
			frames = h.wire.received(ev.data)
		}
		id := ""
		if keepIDs {
			id = ev.id
			if len(frames) == 0 && (ev.id != "" || ev.retry != "") {
				var b bytes.Buffer
				if ev.id != "" {
					fmt.Fprintf(&b, "id: %s\n", ev.id)
				}
				if ev.retry != "" {
					fmt.Fprintf(&b, "retry: %s\n", ev.retry)
				}
				b.WriteString("data:\n\n")
				if _, err := dst.Write(b.Bytes()); err != nil {
					return last, retry, err
				}
			}
		}
		for _, f := range frames {
			if err := writeEvent(dst, id, f); err != nil {
				return last, retry, err
			}
		}
	}
}

// stream passes the events of one call on.
func (h *hub) stream(r *http.Request, resp *http.Response) *http.Response {
	pr, pw := io.Pipe()
	go func() {
		defer recovered("read a stream")
		defer resp.Body.Close()
		_, _, err := h.sieveEvents(pw, resp.Body, true)
		pw.CloseWithError(err)
	}()
	ok := response(r, http.StatusOK, "text/event-stream", nil)
	ok.ContentLength = -1
	ok.Body = &endingBody{pr, func() { resp.Body.Close() }}
	copySession(ok, resp)
	return ok
}

// How long to wait before a stream is opened again, and how long it must have
// lasted for the wait to begin anew.
const (
	streamWait  = 500 * time.Millisecond
	streamMost  = 30 * time.Second
	streamStays = time.Minute
	// What a server may want instead, and how often while its streams do not last.
	streamLeast   = 50 * time.Millisecond
	streamLongest = 5 * time.Minute
	streamShort   = 10
)

// forever is a stream for what the server says of itself: a GET, or
// subscriptions/listen. The engine sees one that never ends; below it is opened
// again as often as a server, a proxy or the network cuts it. It is there at once:
// some servers send not even headers before they have something to say.
func (h *hub) forever(r *http.Request, body []byte, m head) *http.Response {
	pr, pw := io.Pipe()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	stopLife := context.AfterFunc(h.life, cancel)
	stopCall := context.AfterFunc(r.Context(), cancel)
	go func() {
		defer recovered("hold a stream")
		h.hold(ctx, pw, r, body, m)
		<-ctx.Done() // a server without such a stream: it stays silent
		pw.CloseWithError(ctx.Err())
	}()
	ok := response(r, http.StatusOK, "text/event-stream", nil)
	ok.ContentLength = -1
	ok.Body = &endingBody{pr, func() { stopLife(); stopCall(); cancel() }}
	return ok
}

// hold keeps the stream open until ctx ends or the server will have none of it.
func (h *hub) hold(ctx context.Context, pw *io.PipeWriter, r *http.Request, body []byte, m head) {
	wait, last, refused, short := streamWait, "", 0, 0
	for opened := 0; ; {
		req := r.Clone(ctx)
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		resp, err := h.send(req, body)
		began := time.Now()
		var retry time.Duration
		switch {
		case ctx.Err() != nil:
			if err == nil {
				resp.Body.Close()
			}
			return
		case err != nil:
		case resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream":
			refused = 0
			if opened++; opened > 1 {
				h.wire.warn("the stream for the server's own messages is open again")
				h.missed(pw, m)
			}
			var id string
			id, retry, _ = h.sieveEvents(pw, resp.Body, false)
			if id != "" {
				last = id
			}
			resp.Body.Close()
		default:
			resp.Body.Close()
			if resp.StatusCode == http.StatusNotFound && opened > 0 && req.Header.Get("Mcp-Session-Id") != "" {
				h.lose(errors.New("the server has forgotten the session"))
				return
			}
			if refused++; resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests || refused > 5 {
				if resp.StatusCode != http.StatusMethodNotAllowed {
					h.wire.warn(fmt.Sprintf("the server has no stream for messages of its own (HTTP %d)", resp.StatusCode))
				}
				return
			}
		}
		if m.Method != "" {
			// Its call is not answered: it is one that goes on.
			h.wire.expect(m)
		}
		if short++; time.Since(began) > streamStays {
			wait, short = streamWait, 0
		}
		pause := wait
		if retry > 0 && short <= streamShort { // what a server wants that never keeps a stream is no matter
			pause = min(max(retry, streamLeast), streamLongest)
		}
		wait = min(2*wait, streamMost)
		t := time.NewTimer(pause)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// missed tells the engine that lists and resources may have changed while nobody
// listened.
func (h *hub) missed(pw *io.PipeWriter, m head) {
	if m.Method == "" {
		return
	}
	var p struct {
		Notifications struct {
			Tools     bool     `json:"toolsListChanged"`
			Prompts   bool     `json:"promptsListChanged"`
			Resources bool     `json:"resourcesListChanged"`
			Watched   []string `json:"resourceSubscriptions"`
		} `json:"notifications"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	for _, uri := range p.Notifications.Watched {
		params, err := json.Marshal(map[string]string{"uri": uri})
		if err == nil {
			_ = writeEvent(pw, "", fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":%s}`, params))
		}
	}
	for what, wanted := range map[string]bool{"tools": p.Notifications.Tools, "prompts": p.Notifications.Prompts, "resources": p.Notifications.Resources} {
		if wanted {
			_ = writeEvent(pw, "", fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/%s/list_changed","params":{}}`, what))
		}
	}
}

// openOld opens the one stream of HTTP+SSE. Its first event names the address to
// post to, which must be of the same host.
func (h *hub) openOld(r *http.Request) (*http.Response, error) {
	resp, err := h.authorized(r, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK || mediaType(resp) != "text/event-stream" {
		if resp.StatusCode == http.StatusUnauthorized {
			h.mu.Lock()
			h.wants = &Challenge{Status: resp.StatusCode, Header: resp.Header.Get("WWW-Authenticate")}
			h.mu.Unlock()
		}
		resp.Body.Close()
		return nil, fmt.Errorf("HTTP %d %s, and no event stream", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	src := bufio.NewReaderSize(resp.Body, 64<<10)
	events := newEventReader(src)
	ev, err := events.next()
	if err != nil || ev.name != "endpoint" {
		resp.Body.Close()
		return nil, errors.New("the event stream does not begin with an endpoint")
	}
	to, err := url.Parse(string(ev.data))
	if err != nil || !sameHost(r.URL.ResolveReference(to), h.origin) {
		resp.Body.Close()
		return nil, fmt.Errorf("the event stream names the endpoint %s, which is of another host", clip(string(ev.data), 100))
	}
	pr, pw := io.Pipe()
	go func() {
		defer recovered("read a stream")
		defer resp.Body.Close()
		if _, err := fmt.Fprintf(pw, "event: endpoint\ndata: %s\n\n", ev.data); err != nil {
			return
		}
		_, _, err := h.sieveEvents(pw, events.lines.r, false)
		pw.CloseWithError(err)
	}()
	ok := response(r, http.StatusOK, "text/event-stream", nil)
	ok.ContentLength = -1
	ok.Body = &endingBody{pr, func() { resp.Body.Close() }}
	return ok, nil
}

// authorized sends a request with the login, where that is this hub's to do, and once
// more if the server refused it and another is to be had.
func (h *hub) authorized(r *http.Request, body []byte) (*http.Response, error) {
	if h.auth == nil {
		return h.send(r, body)
	}
	for try := 1; ; try++ {
		r := r.Clone(r.Context())
		source, err := h.auth.TokenSource(r.Context())
		if err != nil {
			return nil, err
		}
		if source != nil {
			t, err := source.Token()
			if err != nil {
				return nil, err
			}
			t.SetAuthHeader(r)
		}
		resp, err := h.send(r, body)
		if err != nil || try == 2 || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
			return resp, err
		}
		legible(resp)
		challenge := &Challenge{Status: resp.StatusCode, Header: resp.Header.Get("WWW-Authenticate")}
		if err := h.auth.Authorize(r.Context(), r, resp); err != nil {
			h.mu.Lock()
			h.wants = challenge
			h.mu.Unlock()
			return nil, err
		}
	}
}

// postOld looks at the answer to a message of HTTP+SSE, which says only whether the
// message was taken.
func (h *hub) postOld(resp *http.Response, m head) (*http.Response, error) {
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	h.wire.forget(m.id())
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone {
		h.lose(errors.New("the server has forgotten the session"))
	}
	return resp, nil
}
