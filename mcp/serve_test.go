//go:build unix

package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"forge/tools"
)

// onlyReads is a guard as a policy without a person is.
type onlyReads struct{}

func (onlyReads) Authorize(_ context.Context, _ tools.Call, e tools.Effect) (tools.Verdict, error) {
	if e.Kind == tools.Read {
		return tools.Verdict{Allow: true}, nil
	}
	return tools.Verdict{Reason: "nobody is there to be asked"}, nil
}

// toys are the tools the tests serve. started hears of each run of waits, ended of
// why it ended.
func toys(started chan<- string, ended chan<- error) []tools.Tool {
	writes := newToy("writes", noArguments, says("written"))
	writes.kind = tools.Write
	return []tools.Tool{
		newToy("echo", `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`, func(_ context.Context, input string, _ io.Writer) (tools.Result, error) {
			return tools.Result{Text: gjson.Get(input, "text").String()}, nil
		}),
		newToy("fails", noArguments, func(context.Context, string, io.Writer) (tools.Result, error) {
			return tools.Result{}, errors.New("no such thing; name another")
		}),
		newToy("panics", noArguments, func(context.Context, string, io.Writer) (tools.Result, error) { panic("oops") }),
		newToy("large", noArguments, says(strings.Repeat("line of text\n", 40_000))),
		newToy("waits", noArguments, func(ctx context.Context, _ string, out io.Writer) (tools.Result, error) {
			fmt.Fprint(out, "\x1b[31mbegun\x1b[0m\n")
			started <- "waits"
			<-ctx.Done()
			ended <- ctx.Err()
			return tools.Result{}, ctx.Err()
		}),
		newToy("picture", noArguments, func(context.Context, string, io.Writer) (tools.Result, error) {
			return tools.Result{Text: "a dot", Images: []tools.Image{{MIME: "image/png", Data: pixel}}}, nil
		}),
		writes,
	}
}

// A wired is a client on the streams of a Service, line by line.
type wired struct {
	t       *testing.T
	in      *io.PipeWriter
	lines   chan string
	done    chan error
	log     *safeBuffer
	started chan string
	ended   chan error
	early   []string // answers nobody asked for yet
}

// safeBuffer is a log that is written to by many.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func wire1(t *testing.T, with ...func(*Service)) *wired {
	t.Helper()
	w := &wired{t: t, lines: make(chan string, 100), done: make(chan error, 1), log: &safeBuffer{}, started: make(chan string, 4), ended: make(chan error, 4)}
	s := service(t, onlyReads{}, w.log, toys(w.started, w.ended)...)
	for _, f := range with {
		f(s)
	}
	in, inw := io.Pipe()
	outr, out := io.Pipe()
	w.in = inw
	go func() {
		w.done <- s.ServeStream(t.Context(), in, out)
		out.Close()
	}()
	go func() {
		defer close(w.lines)
		r := bufio.NewScanner(outr)
		r.Buffer(nil, 32<<20)
		for r.Scan() {
			w.lines <- r.Text()
		}
	}()
	t.Cleanup(func() { inw.Close() })
	return w
}

func (w *wired) send(lines ...string) {
	w.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(w.in, l+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// until returns the next line for which ok holds, keeping the others.
func (w *wired) until(what string, ok func(line string) bool) string {
	w.t.Helper()
	if i := slices.IndexFunc(w.early, ok); i >= 0 {
		l := w.early[i]
		w.early = slices.Delete(w.early, i, i+1)
		return l
	}
	late := time.After(20 * time.Second)
	for {
		select {
		case l, open := <-w.lines:
			switch {
			case !open:
				w.t.Fatalf("the stream ended before %s", what)
			case !gjson.Valid(l):
				w.t.Fatalf("this is no message: %s", l)
			case ok(l):
				return l
			}
			w.early = append(w.early, l)
		case <-late:
			w.t.Fatalf("%s did not come; %q", what, w.early)
		}
	}
}

func (w *wired) answer(id string) gjson.Result {
	w.t.Helper()
	return gjson.Parse(w.until("the answer to "+id, func(l string) bool { return gjson.Get(l, "id").Raw == id }))
}

const (
	meta   = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	report = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"tok"}`
)

func asks(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
}

func hello(version string) string {
	return asks("1", "initialize", `"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}`)
}

const begun = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func TestServeStreamOlder(t *testing.T) {
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "1999-01-01": "2025-11-25"} {
		t.Run(asked, func(t *testing.T) {
			w := wire1(t)
			w.send(hello(asked))
			r := w.answer("1").Get("result")
			if r.Get("protocolVersion").String() != want || r.Get("instructions").String() != "Toys." || r.Get("serverInfo.name").String() != "forge" {
				t.Errorf("initialize gives %s", r)
			}
			if c := r.Get("capabilities").Raw; c != `{"tools":{}}` {
				t.Errorf("capabilities %s", c)
			}
			w.send(begun, asks("2", "tools/list", ""), asks("3", "tools/call", `"name":"echo","arguments":{"text":"grüß"}`), asks(`"p"`, "ping", ""))
			if names := w.answer("2").Get("result.tools.#.name").Raw; names != `["echo","fails","large","panics","picture","waits","writes"]` {
				t.Errorf("tools %s", names)
			}
			if c := w.answer("3").Get("result.content").Raw; c != `[{"type":"text","text":"grüß"}]` {
				t.Errorf("echo gives %s", c)
			}
			if p := w.answer(`"p"`).Get("result").Raw; p != "{}" {
				t.Errorf("ping gives %s", p)
			}
			w.in.Close()
			if err := <-w.done; err != nil {
				t.Errorf("served with %v", err)
			}
		})
	}
}

func TestServeStreamNewer(t *testing.T) {
	w := wire1(t)
	w.send(asks("1", "server/discover", meta))
	r := w.answer("1").Get("result")
	if r.Get("supportedVersions.0").String() != "2026-07-28" || r.Get("resultType").String() != "complete" || r.Get("capabilities").Raw != `{"tools":{}}` {
		t.Errorf("discover gives %s", r)
	}
	w.send(asks("2", "tools/list", meta))
	r = w.answer("2").Get("result")
	if r.Get("ttlMs").Int() != listFresh.Milliseconds() || r.Get("cacheScope").String() != "private" {
		t.Errorf("list may be kept %s %s", r.Get("ttlMs"), r.Get("cacheScope"))
	}
	if a := r.Get(`tools.#(name=="echo").annotations`); !a.Get("readOnlyHint").Bool() || a.Get("destructiveHint").Bool() {
		t.Errorf("echo is said to be %s", a)
	}
	if a := r.Get(`tools.#(name=="writes").annotations`); a.Get("readOnlyHint").Bool() || !a.Get("destructiveHint").Bool() {
		t.Errorf("writes is said to be %s", a)
	}
	for _, c := range []struct{ name, args, text, raw string }{
		{name: "echo", args: `{"text":"x"}`, text: "x"},
		{name: "fails", args: "{}", text: "no such thing; name another"},
		{name: "panics", args: "{}", text: "tool panics crashed: oops"},
		{name: "echo", args: `[1]`, text: "the arguments are no object"},
		{name: "writes", args: "{}", text: "not run: nobody is there to be asked"},
		{name: "picture", args: "{}", text: "a dot", raw: `{"type":"image","mimeType":"image/png","data":"` + pixel + `"}`},
	} {
		w.send(asks(`"c"`, "tools/call", meta+`,"name":"`+c.name+`","arguments":`+c.args))
		r := w.answer(`"c"`).Get("result")
		if !strings.HasPrefix(r.Get("content.0.text").String(), c.text) || r.Get("isError").Bool() != (c.name != "picture" && c.text != "x") {
			t.Errorf("%s %s gives %s", c.name, c.args, r)
		}
		if c.raw != "" && r.Get("content.1").Raw != c.raw {
			t.Errorf("%s gives %s", c.name, r.Get("content.1").Raw)
		}
	}
	w.send(asks("5", "tools/call", meta+`,"name":"large","arguments":{}`))
	if n := len(w.answer("5").Get("result.content.0.text").String()); n < 40_000 || n > 50_000 {
		t.Errorf("a large result came with %d bytes", n)
	}
	if log := w.log.String(); !strings.Contains(log, `msg="call refused" tool=writes`) || !strings.Contains(log, "msg=call tool=echo") {
		t.Errorf("the log says %s", log)
	}
}

func TestServeErrors(t *testing.T) {
	w := wire1(t)
	for i, c := range []struct {
		line string
		code int64
		data string
	}{
		{asks("100", "no/such", meta), -32601, ""},
		{asks("101", "tools/call", meta+`,"name":"nobody"`), -32602, ""},
		{asks("102", "tools/list", strings.ReplaceAll(meta, "2026-07-28", "2099-01-01")), -32022, "2099-01-01"},
		{asks("103", "prompts/list", meta), 0, ""},
		{`{"jsonrpc":"2.0","id":104,"method":7}`, -32600, ""},
		{`{"jsonrpc":"2.0","id":105,"method":"ping","params":"` + strings.Repeat("x", maxRequest) + `"}`, -32600, ""},
	} {
		w.send(c.line)
		r := w.answer(fmt.Sprint(100 + i))
		if r.Get("error.code").Int() != c.code || r.Get("error.data.requested").String() != c.data {
			t.Errorf("%s gives %s", clip(c.line, 100), r)
		}
		if c.data != "" && !strings.Contains(r.Get("error.data.supported").Raw, `"2026-07-28"`) {
			t.Errorf("supported %s", r.Get("error.data"))
		}
	}
	// What cannot be answered is left out, and the session lives.
	for _, junk := range []string{"hello", "", "  ", "42", "null", `"x"`, "{}", "[]", "[[1]]", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":9,"result":{}}`, "\xff\xfe", `{"jsonrpc":"2.0","method":"notifications/nobody"}`, `{"jsonrpc":`} {
		w.send(junk)
	}
	w.send("[" + asks("200", "tools/call", meta+`,"name":"echo","arguments":{"text":"a"}`) + ", " + asks("201", "tools/call", meta+`,"name":"echo","arguments":{"text":"b"}`) + "]\r")
	for id, want := range map[string]string{"200": "a", "201": "b"} {
		if got := w.answer(id).Get("result.content.0.text").String(); got != want {
			t.Errorf("%s gives %q", id, got)
		}
	}
	if log := w.log.String(); strings.Count(log, "message left out") < 15 {
		t.Errorf("the log says %s", log)
	}
}

// What came before the end of the stream is answered; a call that lasts is ended.
func TestServeStreamEnds(t *testing.T) {
	w := wire1(t)
	w.send(asks("1", "tools/call", meta+`,"name":"echo","arguments":{"text":"last"}`))
	w.in.Close()
	if got := w.answer("1").Get("result.content.0.text").String(); got != "last" {
		t.Errorf("got %q", got)
	}
	if err := <-w.done; err != nil {
		t.Error(err)
	}
	w = wire1(t, func(s *Service) { s.grace = time.Millisecond })
	w.send(asks("1", "tools/call", meta+`,"name":"waits"`))
	<-w.started
	w.in.Close()
	if err := <-w.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if err := <-w.done; err != nil {
		t.Error(err)
	}
}

func TestServeProgressAndCancel(t *testing.T) {
	w := wire1(t)
	w.send(asks("7", "tools/call", report+`,"name":"waits","arguments":{}`))
	<-w.started
	p := gjson.Parse(w.until("progress", func(l string) bool { return gjson.Get(l, "method").String() == "notifications/progress" })).Get("params")
	if p.Get("progressToken").String() != "tok" || p.Get("progress").Float() != 1 || p.Get("message").String() != "begun" {
		t.Errorf("progress %s", p)
	}
	// Another call is answered meanwhile.
	w.send(asks("8", "tools/call", meta+`,"name":"echo","arguments":{"text":"meanwhile"}`))
	if got := w.answer("8").Get("result.content.0.text").String(); got != "meanwhile" {
		t.Errorf("got %q", got)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,` + meta + `}}`)
	if err := <-w.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	w.send(asks("9", "tools/call", meta+`,"name":"echo","arguments":{"text":"after"}`))
	if got := w.answer("9").Get("result.content.0.text").String(); got != "after" {
		t.Errorf("got %q", got)
	}
}

func TestServiceClose(t *testing.T) {
	w := &wired{started: make(chan string, 4), ended: make(chan error, 4)}
	s := service(t, onlyReads{}, io.Discard, toys(w.started, w.ended)...)
	got := make(chan tools.Result, 1)
	go func() { got <- s.call(context.Background(), "waits", nil, nil) }()
	<-w.started
	s.Close()
	if len(w.ended) != 1 {
		t.Error("Close did not wait for the call")
	}
	if r := <-got; !r.IsError {
		t.Errorf("got %+v", r)
	}
	if r := s.call(context.Background(), "echo", json.RawMessage(`{"text":"x"}`), nil); !r.IsError || !strings.Contains(r.Text, "leaving") {
		t.Errorf("a call after Close gives %+v", r)
	}
	if _, err := NewService(ServeOptions{Exec: s.o.Exec, Offers: []Offer{{Name: "nobody"}}}); err == nil {
		t.Error("a tool that is not there was offered")
	}
	odd := newToy("odd", `{"type":"string"}`, says(""))
	reg, err := tools.NewRegistry(odd)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewService(ServeOptions{Exec: &tools.Executor{Tools: reg}, Offers: []Offer{{Name: "odd"}}}); err == nil || !strings.Contains(err.Error(), "tool odd cannot be served") {
		t.Errorf("a schema that is none gives %v", err)
	}
}

func TestLive(t *testing.T) {
	told := make(chan Progress, 10)
	l := newLive(func(p Progress) { told <- p })
	fmt.Fprint(l, "half a ")
	fmt.Fprintf(l, "line\r\n%s\n\n", strings.Repeat("y", 5*liveText))
	if p := <-told; p.Done != 1 || !strings.HasPrefix(p.Message, "yyyy") || len(p.Message) > liveText+40 {
		t.Errorf("told %+v", p)
	}
	l.stop()
	fmt.Fprintln(l, "too late")
	if len(told) != 0 {
		t.Errorf("told %+v after the end", <-told)
	}
}

// web1 serves over HTTP as forge does.
func web1(t *testing.T, token string) (at string, w *wired) {
	t.Helper()
	w = &wired{t: t, log: &safeBuffer{}, started: make(chan string, 4), ended: make(chan error, 4)}
	s := service(t, onlyReads{}, w.log, toys(w.started, w.ended)...)
	l, err := Listen("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.ServeHTTP(ctx, l, token) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("served with %v", err)
		}
	})
	return "http://" + l.Addr().String() + Path, w
}

// post sends one message; headers are NAME: VALUE.
func post(t *testing.T, ctx context.Context, at, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ""
		}
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		last := ""
		for l := range strings.Lines(string(text)) {
			if data, ok := strings.CutPrefix(l, "data: "); ok && strings.TrimSpace(data) != "" {
				last = strings.TrimSpace(data)
			}
		}
		return res, last
	}
	return res, string(text)
}

const secret = "0123456789abcdefghij"

func newer(method string, more ...string) []string {
	return append([]string{"Authorization: Bearer " + secret, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}, more...)
}

func TestServeHTTPNewer(t *testing.T) {
	at, w := web1(t, secret)
	auth := "Authorization: Bearer " + secret
	_, body := post(t, t.Context(), at, asks("1", "server/discover", meta), newer("server/discover")...)
	if gjson.Get(body, "result.supportedVersions.0").String() != "2026-07-28" {
		t.Errorf("discover gives %s", body)
	}
	res, body := post(t, t.Context(), at, asks("2", "tools/call", meta+`,"name":"echo","arguments":{"text":"x"}`), newer("tools/call", "Mcp-Name: echo")...)
	if gjson.Get(body, "result.content.0.text").String() != "x" || res.Header.Get("Mcp-Session-Id") != "" {
		t.Errorf("echo gives %s, %v", body, res.Header)
	}
	for _, c := range []struct {
		body    string
		headers []string
		status  int
		code    int64
	}{
		{asks("3", "no/such", meta), newer("no/such"), 404, -32601},
		{asks("4", "tools/call", meta+`,"name":"nobody"`), newer("tools/call", "Mcp-Name: nobody"), 400, -32602},
		{asks("5", "tools/list", strings.ReplaceAll(meta, "2026-07-28", "2099-01-01")), newer("tools/list", "MCP-Protocol-Version: 2099-01-01"), 400, -32022},
		{asks("6", "tools/list", meta), newer("tools/call"), 400, -32020},
		// Either header makes it a request of the newer version.
		{asks("7", "tools/list", meta), []string{auth, "MCP-Protocol-Version: 2026-07-28"}, 400, -32020},
		{asks("8", "tools/list", meta), []string{auth, "Mcp-Method: tools/list"}, 400, -32020},
	} {
		res, body := post(t, t.Context(), at, c.body, c.headers...)
		if gjson.Get(body, "error.code").Int() != c.code || res.StatusCode != c.status && c.code != -32602 {
			t.Errorf("%s gives %d %s", c.body, res.StatusCode, body)
		}
	}
	// A client that hangs up ends its call.
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan bool)
	go func() {
		defer close(gone)
		post(t, ctx, at, asks("7", "tools/call", meta+`,"name":"waits"`), newer("tools/call", "Mcp-Name: waits")...)
	}()
	<-w.started
	hangUp()
	<-gone
	if err := <-w.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestServeHTTPOlder(t *testing.T) {
	at, w := web1(t, secret)
	auth := "Authorization: Bearer " + secret
	res, body := post(t, t.Context(), at, hello("2025-06-18"), auth)
	id := res.Header.Get("Mcp-Session-Id")
	if gjson.Get(body, "result.protocolVersion").String() != "2025-06-18" || id == "" {
		t.Fatalf("initialize gives %s, %v", body, res.Header)
	}
	session := []string{auth, "Mcp-Session-Id: " + id, "MCP-Protocol-Version: 2025-06-18"}
	if res, body = post(t, t.Context(), at, begun, session...); res.StatusCode != http.StatusAccepted {
		t.Errorf("initialized gives %d %s", res.StatusCode, body)
	}
	if _, body = post(t, t.Context(), at, asks("2", "tools/call", `"name":"echo","arguments":{"text":"y"}`), session...); gjson.Get(body, "result.content.0.text").String() != "y" {
		t.Errorf("echo gives %s", body)
	}
	if _, body = post(t, t.Context(), at, asks("3", "tools/call", `"name":"writes","arguments":{}`), session...); !strings.Contains(body, "nobody is there to be asked") {
		t.Errorf("writes gives %s", body)
	}
	// Cancelled on the wire: in this era hanging up is none.
	done := make(chan bool)
	go func() {
		defer close(done)
		post(t, t.Context(), at, asks("4", "tools/call", `"name":"waits","arguments":{}`), session...)
	}()
	<-w.started
	post(t, t.Context(), at, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`, session...)
	if err := <-w.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	<-done
	if res, _ = post(t, t.Context(), at, asks("5", "tools/list", ""), auth, "Mcp-Session-Id: nobody", "MCP-Protocol-Version: 2025-06-18"); res.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown session gives %d", res.StatusCode)
	}
}

func TestServeHTTPGuards(t *testing.T) {
	at, w := web1(t, secret)
	port := at[strings.LastIndexByte(strings.TrimSuffix(at, Path), ':')+1:]
	port = strings.TrimSuffix(port, Path)
	auth := "Authorization: Bearer " + secret
	ask := asks("1", "server/discover", meta)
	for _, c := range []struct {
		at, body string
		headers  []string
		status   int
	}{
		{at, ask, newer("server/discover"), 200},
		{at, ask, newer("server/discover", "Authorization: bearer  "+secret), 200},
		{at, ask, newer("server/discover", "Host: localhost:"+port), 200},
		{at, ask, newer("server/discover", "Host: [::1]:"+port), 200},
		{at, ask, newer("server/discover", "Origin: http://localhost:5173"), 200},
		{at, ask, []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: server/discover"}, 401},
		{at, ask, newer("server/discover", "Authorization: Bearer wrong"), 401},
		{at, ask, newer("server/discover", "Authorization: Basic "+secret), 401},
		{at + "?token=" + secret, ask, []string{"Mcp-Method: server/discover"}, 401},
		{at, ask, newer("server/discover", "Host: evil.example"), 403},
		{at, ask, newer("server/discover", "Host: localhost.evil.example"), 403},
		{at, ask, newer("server/discover", "Origin: https://evil.example"), 403},
		{at, ask, newer("server/discover", "Origin: null"), 403},
		{at, ask, newer("server/discover", "Origin: http://localhost.evil.example"), 403},
		{strings.TrimSuffix(at, Path) + "/", ask, []string{auth}, 404},
		{at, strings.Repeat(" ", maxRequest+1), newer("tools/list"), 413},
		{at, asks("1.5", "server/discover", meta), newer("server/discover"), 400},
		{at, asks("null", "server/discover", meta), newer("server/discover"), 400},
		{at, "[" + asks("{}", "server/discover", meta) + "]", newer("server/discover"), 400},
	} {
		res, body := post(t, t.Context(), c.at, c.body, c.headers...)
		if res.StatusCode != c.status {
			t.Errorf("%s %v gives %d %s", c.at, c.headers, res.StatusCode, body)
		}
		if c.status == 413 && !strings.Contains(body, "a message may have") { // the engine has a limit, too, but only once all is read
			t.Errorf("a large body gives %s", body)
		}
		if strings.Contains(body, secret) {
			t.Errorf("%s tells the token", body)
		}
		if res.StatusCode == 401 && !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("401 with %v", res.Header)
		}
	}
	if log := w.log.String(); !strings.Contains(log, "request refused") || strings.Contains(log, secret) {
		t.Errorf("the log says %s", log)
	}
	for _, addr := range []string{"0.0.0.0:0", "[::]:0"} {
		if _, err := Listen(addr, "short"); err == nil || !strings.Contains(err.Error(), "FORGE_MCP_TOKEN") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{"0", ":0", "localhost:0", "127.0.0.1:0"} {
		l, err := Listen(addr, "")
		if err != nil || !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
			t.Errorf("%s: %v, %v", addr, l, err)
			continue
		}
		l.Close()
	}
	for _, addr := range []string{"x", "127.0.0.1:x", "1.2.3.4.5:1"} {
		if _, err := Listen(addr, secret); err == nil {
			t.Errorf("%s was opened", addr)
		}
	}
	l, err := Listen("0", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := service(t, onlyReads{}, io.Discard).ServeHTTP(t.Context(), l, ""); err == nil {
		t.Error("served without a token")
	}
	// Others may reach it: then a page of the host itself is none of another's.
	open := service(t, onlyReads{}, io.Discard).guarded(secret, true)
	for origin, want := range map[string]int{"https://tools.example": 404, "https://evil.example": 403, "http://localhost": 403} {
		r := httptest.NewRequest(http.MethodPost, "http://tools.example/none", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Authorization", "Bearer "+secret)
		rec := httptest.NewRecorder()
		open.ServeHTTP(rec, r)
		if rec.Code != want {
			t.Errorf("%s gives %d", origin, rec.Code)
		}
	}
}

// Our own client mounts what we serve.
func TestServedToolsAreMounted(t *testing.T) {
	at, _ := web1(t, secret)
	h := mount(t, Options{Servers: map[string]ServerConfig{"f": {URL: at, Headers: map[string]string{"Authorization": "Bearer " + secret}}}, Window: 1_000_000})
	st := h.until("f", Ready)
	if !st.About.Modern() || st.About.Name != "forge" || len(st.Tools) != 7 {
		t.Errorf("mounted %+v", st.About)
	}
	if r := h.call("mcp__f__echo", `{"text":"both ways"}`); r.IsError || r.Text != "both ways" {
		t.Errorf("got %+v", r)
	}
	if r := h.call("mcp__f__writes", ""); !r.IsError || !strings.Contains(r.Text, "nobody is there to be asked") {
		t.Errorf("got %+v", r)
	}
	if r := h.call("mcp__f__picture", ""); len(r.Images) != 1 || r.Images[0].Data != pixel {
		t.Errorf("got %+v", r)
	}
}
