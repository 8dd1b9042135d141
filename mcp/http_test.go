//go:build unix

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A web is a scripted server over HTTP. It speaks the modern era unless old is set,
// and answers what its test does not.
type web struct {
	*httptest.Server
	old    bool
	handle func(w http.ResponseWriter, r *http.Request, m badMsg) bool

	mu  sync.Mutex
	log []string // "METHOD method key=value…"
}

func newWeb(t *testing.T, old bool, handle func(w http.ResponseWriter, r *http.Request, m badMsg) bool) *web {
	s := &web{old: old, handle: handle}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var m badMsg
	json.Unmarshal(body, &m)
	line := r.Method + " " + m.Method
	for _, k := range []string{"Mcp-Name", "Mcp-Session-Id", "Mcp-Param-Region", "Mcp-Param-Deep", "Mcp-Protocol-Version", "Last-Event-Id", "X-Key"} {
		if v := r.Header.Get(k); v != "" {
			line += " " + k + "=" + v
		}
	}
	s.mu.Lock()
	s.log = append(s.log, line)
	s.mu.Unlock()
	if s.handle != nil && s.handle(w, r, m) {
		return
	}
	switch {
	case r.Method == http.MethodGet:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case r.Method == http.MethodDelete || m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "server/discover" && !s.old:
		webReply(w, m, map[string]any{"resultType": "complete", "supportedVersions": []string{"2026-07-28"}, "ttlMs": 0, "cacheScope": "private",
			"capabilities": map[string]any{"tools": map[string]any{"listChanged": true}}})
	case m.Method == "server/discover":
		webFail(w, http.StatusBadRequest, m, -32000, "Bad Request: Server not initialized")
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s1")
		webReply(w, m, map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "web", "version": "1"}})
	case m.Method == "tools/list":
		webReply(w, m, webTools(webTool("t", nil)))
	case m.Method == "subscriptions/listen":
		webAck(w, m)
		<-r.Context().Done()
	default:
		webReply(w, m, said("ok"))
	}
}

func (s *web) lines(with string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, l := range s.log {
		if strings.Contains(l, with) {
			out = append(out, l)
		}
	}
	return out
}

func webReply(w http.ResponseWriter, m badMsg, result any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func webFail(w http.ResponseWriter, status int, m badMsg, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": code, "message": text}})
}

func webEvent(w http.ResponseWriter, format string, args ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: "+format+"\n\n", args...)
	w.(http.Flusher).Flush()
}

func webAck(w http.ResponseWriter, m badMsg) {
	webEvent(w, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{"toolsListChanged":true}}}`, m.ID)
}

func webTools(ts ...any) any {
	return map[string]any{"resultType": "complete", "tools": ts, "ttlMs": 60000, "cacheScope": "private"}
}

func webTool(name string, schema any) any {
	if schema == nil {
		schema = map[string]any{"type": "object"}
	}
	return map[string]any{"name": name, "description": "d", "inputSchema": schema}
}

func webDialer(s *web) *dialer {
	return &dialer{cfg: ServerConfig{URL: s.URL + "/mcp", Headers: map[string]string{"X-Key": "k"}}, version: "test", trace: &trace{}, log: newRing(64 << 10)}
}

func dialWeb(t *testing.T, s *web, h hooks) Session {
	t.Helper()
	d := webDialer(s)
	d.hooks = h
	session, err := d.dial(t.Context(), context.WithoutCancel(t.Context()), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); <-session.Done() })
	return session
}

// What a server or a proxy may answer a call with, and what becomes of the call and
// the session.
func TestHTTPAnswers(t *testing.T) {
	big := strings.Repeat("A", maxFrame)
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, m badMsg)
		want   string // the error of the first call; empty: it succeeds
	}{
		"page": {func(w http.ResponseWriter, m badMsg) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html><title>Proxy login</title>")
		}, "text/html, not with a protocol message: Proxy login"},
		"broken": {func(w http.ResponseWriter, m badMsg) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{oops")
		}, "{oops"},
		"empty":    {func(w http.ResponseWriter, m badMsg) { w.WriteHeader(200) }, "with nothing"},
		"accepted": {func(w http.ResponseWriter, m badMsg) { w.WriteHeader(202) }, "does not answer"},
		"busy": {func(w http.ResponseWriter, m badMsg) {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "slow down", http.StatusTooManyRequests)
		}, "HTTP 429 Too Many Requests"},
		"down": {func(w http.ResponseWriter, m badMsg) {
			http.Error(w, "no healthy upstream", http.StatusServiceUnavailable)
		}, "no healthy upstream"},
		"cut": {func(w http.ResponseWriter, m badMsg) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ": hi\n\n")
			w.(http.Flusher).Flush()
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		}, "ended before its answer came"},
		"carriage returns": {func(w http.ResponseWriter, m badMsg) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, ": hi\r\revent: message\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\rdata: \"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}\r\r", m.ID)
		}, ""},
		"no blank line": {func(w http.ResponseWriter, m badMsg) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ok"}]}}`, m.ID)
		}, ""},
		"half an event": {func(w http.ResponseWriter, m badMsg) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"o`, m.ID)
		}, "ended before its answer came"},
		"hung up": {func(w http.ResponseWriter, m badMsg) {
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		}, "closed the connection without an answer"},
		"seen elsewhere": {func(w http.ResponseWriter, m badMsg) {
			w.Header().Set("Location", "/login")
			w.WriteHeader(http.StatusSeeOther)
		}, "a page to look at, /login"},
		"nothing of an event": {func(w http.ResponseWriter, m badMsg) {
			webEvent(w, `{"jsonrpc":"2.0","method":"notifications/resources/updated"}`)
			webEvent(w, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`)
			webEvent(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":"E","message":5}}`, m.ID)
		}, `5 (code "E")`},
		"big json": {func(w http.ResponseWriter, m badMsg) { webReply(w, m, said(big)) }, "16777216 are the limit"},
		"big event": {func(w http.ResponseWriter, m badMsg) {
			webEvent(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, m.ID, big)
		}, "16777216 are the limit"},
		"junk event": {func(w http.ResponseWriter, m badMsg) {
			webEvent(w, "log line")
			webEvent(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ok"}]}}`, m.ID)
		}, ""},
		"other id": {func(w http.ResponseWriter, m badMsg) {
			m.ID = json.RawMessage(`"server-error"`)
			webFail(w, 400, m, -32600, "bad arguments")
		}, "bad arguments (error -32600"},
		"no label": {func(w http.ResponseWriter, m badMsg) {
			b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": said("ok")})
			w.Header().Set("Content-Type", "text/plain")
			w.Write(b)
		}, ""},
		"task": {func(w http.ResponseWriter, m badMsg) { webReply(w, m, map[string]any{"resultType": "task"}) }, `type "task"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := true
			s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
				if m.Method != "tools/call" || !first {
					return false
				}
				first = false
				c.answer(w, m)
				return true
			})
			session := dialWeb(t, s, hooks{})
			got, err := call(t, session)
			switch {
			case c.want == "" && (err != nil || got != "ok"):
				t.Errorf("the first call gave %q, %v", got, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("the first call gave %q, %v; want an error with %q", clip(got, 100), err, c.want)
			}
			if got, err := call(t, session); err != nil || got != "ok" {
				t.Errorf("the session did not live on: %q, %v", got, err)
			}
		})
	}
}

// A message goes where the server has moved to, as a message.
func TestHTTPMoved(t *testing.T) {
	for _, code := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
			if r.URL.Path != "/mcp" {
				return false
			}
			w.Header().Set("Location", "/mcp/")
			w.WriteHeader(code)
			return true
		})
		session := dialWeb(t, s, hooks{})
		if got, err := call(t, session); err != nil || got != "ok" {
			t.Errorf("%d: the call gave %q, %v", code, got, err)
		}
	}
}

// A server that ends each stream of its own at once and wants it opened again at once
// is not asked without end.
func TestHTTPStreamThatNeverStays(t *testing.T) {
	var mu sync.Mutex
	var waits []time.Duration
	var last time.Time
	enough := make(chan struct{})
	s := newWeb(t, true, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		if r.Method != http.MethodGet {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		if waits = append(waits, time.Since(last)); len(waits) == 4 {
			close(enough)
		}
		last = time.Now()
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "retry: 1\nid: 1\ndata:\n\n")
		return true
	})
	dialWeb(t, s, hooks{})
	<-enough
	mu.Lock()
	defer mu.Unlock()
	for _, d := range waits[1:4] {
		if d < streamLeast {
			t.Errorf("it came back after %v: %v", d, waits)
		}
	}
}

// A busy server that says when to come back is asked once more for what does no harm.
func TestHTTPComesBack(t *testing.T) {
	var mu sync.Mutex
	refused := map[string]int{}
	s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		mu.Lock()
		defer mu.Unlock()
		if m.Method != "tools/list" && m.Method != "tools/call" || refused[m.Method] > 0 {
			return false
		}
		refused[m.Method]++
		w.Header().Set("Retry-After", "0")
		http.Error(w, "slow down", http.StatusServiceUnavailable)
		return true
	})
	session := dialWeb(t, s, hooks{})
	if list, _, err := session.Tools(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("list %v, %v", list, err)
	}
	if _, err := call(t, session); err == nil || len(s.lines("tools/call")) != 1 {
		t.Errorf("a call was sent %d times, %v", len(s.lines("tools/call")), err)
	}
}

func TestHTTPForgottenSession(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, m badMsg){
		"with a message": func(w http.ResponseWriter, m badMsg) { webFail(w, 404, m, -32001, "Session not found") },
		"without":        func(w http.ResponseWriter, m badMsg) { http.Error(w, "no session", 404) },
		"as a bad request": func(w http.ResponseWriter, m badMsg) {
			m.ID = nil
			webFail(w, 400, m, -32000, "Bad Request: No valid session ID provided")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newWeb(t, true, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
				if m.Method == "tools/call" {
					answer(w, m)
				}
				return m.Method == "tools/call"
			})
			session := dialWeb(t, s, hooks{})
			if a := session.About(); a.Version != "2025-11-25" || a.Modern() || a.Name != "web" {
				t.Errorf("about %+v", a)
			}
			if _, err := call(t, session); !errors.Is(err, errLost) {
				t.Errorf("the call gave %v", err)
			}
			<-session.Done()
			if err := session.Err(); err == nil || !strings.Contains(err.Error(), "forgotten") {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

func TestHTTPLogin(t *testing.T) {
	s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://x/y"`)
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return true
	})
	_, err := webDialer(s).dial(t.Context(), t.Context(), "")
	var login *ErrLogin
	if !errors.As(err, &login) || !strings.Contains(login.Challenge.Header, "resource_metadata") {
		t.Errorf("got %v", err)
	}
}

func TestHTTPStreamIsOpenedAgain(t *testing.T) {
	changed := make(chan string, 16)
	opened := 0
	s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		if m.Method != "subscriptions/listen" {
			return false
		}
		webAck(w, m)
		if opened++; opened == 1 {
			return true // and the stream is cut
		}
		webEvent(w, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`)
		<-r.Context().Done()
		return true
	})
	session := dialWeb(t, s, hooks{changed: func(what string) { changed <- what }})
	// Once for what may have been missed, once for what was said.
	for range 2 {
		if what := <-changed; what != "tools" {
			t.Errorf("changed %q", what)
		}
	}
	if got, err := call(t, session); err != nil || got != "ok" {
		t.Errorf("call: %q, %v", got, err)
	}
}

func TestHTTPGetStreamOfBefore(t *testing.T) {
	changed := make(chan string, 16)
	opened := 0
	s := newWeb(t, true, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		if r.Method != http.MethodGet {
			return false
		}
		if opened++; opened < 3 {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "id: e%d\nretry: 1\ndata:\n\n", opened)
			return true
		}
		webEvent(w, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		<-r.Context().Done()
		return true
	})
	dialWeb(t, s, hooks{changed: func(what string) { changed <- what }})
	<-changed
	gets := s.lines("GET ")
	if len(gets) != 3 || !strings.Contains(gets[2], "Mcp-Session-Id=s1") || !strings.Contains(gets[2], "X-Key=k") {
		t.Errorf("the stream was asked for like this: %q", gets)
	}
}

func TestHTTPComingBackWithAState(t *testing.T) {
	n := 0
	s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		if m.Method != "tools/call" {
			return false
		}
		if n++; n == 1 {
			webReply(w, m, map[string]any{"resultType": "input_required", "requestState": "abc"})
			return true
		}
		webReply(w, m, said("done "+string(m.Params)))
		return true
	})
	got, err := call(t, dialWeb(t, s, hooks{}))
	if err != nil || !strings.Contains(got, `"requestState":"abc"`) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestHTTPHeaders(t *testing.T) {
	region := map[string]any{"type": "string", "x-mcp-header": "Region"}
	schema := map[string]any{"type": "object", "properties": map[string]any{"region": region,
		"o": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "x-mcp-header": "Deep"}}}}}
	mismatch := false
	s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		switch {
		case m.Method == "tools/list":
			webReply(w, m, webTools(webTool("t", schema),
				webTool("in-items", map[string]any{"type": "object", "properties": map[string]any{"l": map[string]any{"type": "array", "items": map[string]any{"properties": map[string]any{"r": region}}}}}),
				webTool("in-oneof", map[string]any{"type": "object", "oneOf": []any{map[string]any{"properties": map[string]any{"r": region}}}}),
				webTool("in-defs", map[string]any{"type": "object", "$defs": map[string]any{"d": map[string]any{"properties": map[string]any{"r": region}}}}),
				webTool("number", map[string]any{"type": "object", "properties": map[string]any{"r": map[string]any{"type": "number", "x-mcp-header": "R"}}}),
				webTool("space", map[string]any{"type": "object", "properties": map[string]any{"r": map[string]any{"type": "string", "x-mcp-header": "a b"}}}),
				webTool("twice", map[string]any{"type": "object", "properties": map[string]any{"r": region, "q": map[string]any{"type": "string", "x-mcp-header": "REGION"}}}),
			))
			return true
		case m.Method == "tools/call" && mismatch:
			mismatch = false
			webFail(w, 400, m, -32020, "Header mismatch")
			return true
		}
		return false
	})
	session := dialWeb(t, s, hooks{})
	tools, _, err := session.Tools(t.Context())
	if err != nil || len(whole(tools)) != 1 || tools[0].Name != "t" {
		t.Fatalf("only t keeps the rules: %v, %v", tools, err)
	}
	mismatch = true
	if _, err := session.Call(t.Context(), "t", []byte(`{"region":"Zürich","o":{"n":42}}`), nil); err != nil {
		t.Fatal(err)
	}
	calls := s.lines("tools/call")
	want := "POST tools/call Mcp-Name=t Mcp-Param-Region==?base64?WsO8cmljaA==?= Mcp-Param-Deep=42 Mcp-Protocol-Version=2026-07-28 X-Key=k"
	if len(calls) != 2 || calls[1] != want {
		t.Errorf("calls\n%s\nwant the second\n%s", strings.Join(calls, "\n"), want)
	}
	if n := len(s.lines("tools/list")); n != 2 {
		t.Errorf("the list was asked for %d times; a mismatch wants it anew", n)
	}
	for name, want := range map[string]string{"träger": "=?base64?dHLDpGdlcg==?=", " pad ": "=?base64?IHBhZCA=?=", "a\nb": "=?base64?YQpi?=", "=?base64?x?=": "=?base64?PT9iYXNlNjQ/eD89?="} {
		if _, err := session.Call(t.Context(), name, []byte(`{}`), nil); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if len(s.lines("Mcp-Name="+want+" ")) != 1 {
			t.Errorf("%q was not sent as %s", name, want)
		}
	}
}

func TestHTTPCancelClosesTheStream(t *testing.T) {
	began, closed := make(chan bool), make(chan bool)
	s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		if m.Method != "tools/call" {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, ": hi\n\n")
		w.(http.Flusher).Flush()
		close(began)
		<-r.Context().Done()
		close(closed)
		return true
	})
	session := dialWeb(t, s, hooks{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := session.Call(ctx, "t", []byte(`{}`), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-closed
}

func TestHTTPAndSSEOfBefore(t *testing.T) {
	srv := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1"}, nil)
	sdk.AddTool(srv, &sdk.Tool{Name: "t"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "ok"}}}, nil, nil
	})
	s := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return srv }, nil))
	defer s.Close()
	defer s.CloseClientConnections()
	for _, kind := range []string{"", "sse"} {
		d := &dialer{cfg: ServerConfig{URL: s.URL, Type: kind}, version: "test", trace: &trace{}, log: newRing(1 << 10)}
		session, err := d.dial(t.Context(), t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := call(t, session); err != nil || got != "ok" || session.About().Transport != "sse" {
			t.Errorf("type %q: %q, %v, %+v", kind, got, err, session.About())
		}
		session.Close()
	}
}

func TestHTTPRedirectToAStranger(t *testing.T) {
	stranger := newWeb(t, false, nil)
	s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		http.Redirect(w, r, strings.Replace(stranger.URL, "127.0.0.1", "localhost", 1), http.StatusTemporaryRedirect)
		return true
	})
	_, err := webDialer(s).dial(t.Context(), t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "redirects to") || len(stranger.lines("")) != 0 {
		t.Errorf("got %v; the stranger saw %q", err, stranger.lines(""))
	}
}

func TestHTTPManyCalls(t *testing.T) {
	all := make(chan bool)
	var mu sync.Mutex
	waiting := 0
	s := newWeb(t, false, func(w http.ResponseWriter, r *http.Request, m badMsg) bool {
		if m.Method != "tools/call" {
			return false
		}
		mu.Lock()
		if waiting++; waiting == 50 {
			close(all) // none is answered before all are there
		}
		mu.Unlock()
		<-all
		webReply(w, m, said(string(m.ID)))
		return true
	})
	session := dialWeb(t, s, hooks{})
	seen := sync.Map{}
	var wg sync.WaitGroup
	for range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got, err := call(t, session)
			if _, twice := seen.LoadOrStore(got, true); err != nil || twice {
				t.Errorf("got %q, %v", got, err)
			}
		}()
	}
	wg.Wait()
}

func TestHTTPNobodyThere(t *testing.T) {
	s := newWeb(t, false, nil)
	s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := webDialer(s).dial(ctx, t.Context(), ""); err == nil || !strings.Contains(err.Error(), "nothing answers at 127.0.0.1") {
		t.Errorf("got %v", err)
	}
}

type (
	writer  = http.ResponseWriter
	request = http.Request
	flusher = http.Flusher
)
