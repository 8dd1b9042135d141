package ide

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// editor is a companion written from the specification alone.
type editor struct {
	t      *testing.T
	token  string
	port   int
	server *httptest.Server

	mu      sync.Mutex
	streams map[chan string]bool
	diffs   map[string]string // open now
	closed  []string
	auth    []string // of all requests
	deleted bool

	context   any                      // told on each new stream; nil: nothing
	open      func(path, text string)  // of each diff, before it is acknowledged
	close     func(path string)        // of each that is closed, before that is answered
	refuse    string                   // why no diff opens
	silent    map[string]chan struct{} // methods that are not answered before it is closed
	noGET     bool
	elsewhere string        // every request is sent there instead
	reached   chan struct{} // told of each stream that is not answered
}

func newEditor(t *testing.T) *editor {
	e := &editor{t: t, token: "sesame-" + t.Name(), streams: map[chan string]bool{}, diffs: map[string]string{}, silent: map[string]chan struct{}{}, reached: make(chan struct{}, 4)}
	srv := httptest.NewServer(e)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	e.server = srv
	e.port = srv.Listener.Addr().(*net.TCPAddr).Port
	return e
}

func (e *editor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.auth = append(e.auth, r.Header.Get("Authorization"))
	e.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+e.token {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	if r.Host != fmt.Sprintf("127.0.0.1:%d", e.port) || r.URL.Path != "/mcp" || r.Header.Get("Origin") != "" {
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	if e.elsewhere != "" {
		http.Redirect(w, r, e.elsewhere, http.StatusTemporaryRedirect)
		return
	}
	switch r.Method {
	case http.MethodGet:
		e.stream(w, r)
	case http.MethodDelete:
		e.mu.Lock()
		e.deleted = true
		e.mu.Unlock()
	default:
		e.post(w, r)
	}
}

func (e *editor) stream(w http.ResponseWriter, r *http.Request) {
	if e.noGET || r.Header.Get("Mcp-Session-Id") != "one" {
		http.Error(w, "no", http.StatusMethodNotAllowed)
		return
	}
	if wait := e.silent["GET"]; wait != nil {
		e.reached <- struct{}{}
		select {
		case <-wait:
		case <-r.Context().Done():
			return
		}
	}
	ch := make(chan string, 64)
	e.mu.Lock()
	e.streams[ch] = true
	at := e.context
	e.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	w.(http.Flusher).Flush()
	if at != nil {
		e.tell("ide/contextUpdate", at)
	}
	defer func() { e.mu.Lock(); delete(e.streams, ch); e.mu.Unlock() }()
	for {
		select {
		case s, more := <-ch:
			if !more {
				return
			}
			io.WriteString(w, s)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// tell notifies on every stream.
func (e *editor) tell(method string, params any) {
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		e.t.Error(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for ch := range e.streams {
		ch <- "event: message\ndata: " + string(b) + "\n\n"
	}
}

// hangUp ends all streams.
func (e *editor) hangUp() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for ch := range e.streams {
		delete(e.streams, ch)
		close(ch)
	}
}

func (e *editor) post(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string            `json:"name"`
			Arguments map[string]string `json:"arguments"`
		} `json:"params"`
	}
	b, _ := io.ReadAll(r.Body)
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&m); err != nil {
		e.t.Errorf("%v: %s", err, b)
	}
	wait := e.silent[m.Method]
	if m.Params.Name != "" {
		wait = e.silent[m.Params.Name]
	}
	if wait != nil {
		select {
		case <-wait:
		case <-r.Context().Done():
			return
		}
	}
	var res any = map[string]any{}
	switch m.Method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", "one")
		res = map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "serverInfo": map[string]string{"name": "fake", "version": "1"}}
	case "tools/list":
		res = map[string]any{"tools": []any{map[string]string{"name": "openDiff"}, map[string]string{"name": "closeDiff"}}}
	case "tools/call":
		res = e.call(m.Params.Name, m.Params.Arguments)
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	out, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": res})
	if m.Method == "tools/call" { // either form is allowed
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, ": hello\r\nid: 7\r\ndata: %s\r\n\r\n", out)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Write(out)
}

func (e *editor) call(name string, args map[string]string) any {
	text := func(s string) []any { return []any{map[string]string{"type": "text", "text": s}} }
	path := args["filePath"]
	switch name {
	case "openDiff":
		if e.refuse != "" {
			return map[string]any{"isError": true, "content": text(e.refuse)}
		}
		e.mu.Lock()
		e.diffs[path] = args["newContent"]
		e.mu.Unlock()
		if e.open != nil {
			e.open(path, args["newContent"])
		}
		return map[string]any{"content": []any{}}
	case "closeDiff":
		if e.close != nil {
			e.close(path)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		was := e.diffs[path]
		delete(e.diffs, path)
		e.closed = append(e.closed, path)
		return map[string]any{"content": text(was)}
	}
	return map[string]any{"isError": true, "content": text("no such tool")}
}

// offer writes the editor's discovery file for a folder.
func (e *editor) offer(temp, folder string) string {
	return offerAs(e.t, temp, os.Getpid(), e.port, map[string]any{
		"port": e.port, "workspacePath": folder, "authToken": e.token, "ideInfo": map[string]string{"name": "fake", "displayName": "Fake Code"}})
}

func offerAs(t *testing.T, temp string, pid, port int, said any) string {
	t.Helper()
	b, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(temp, "gemini", "ide", fmt.Sprintf("gemini-ide-server-%d-%d.json", pid, port)), b)
}

func write(t *testing.T, file string, b []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// here is a workspace, a folder for temporary files, and a manager for them.
func here(t *testing.T) (dir, temp string, m *Manager, news chan struct{}) {
	dir, temp = t.TempDir(), t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	news = make(chan struct{}, 100)
	m = &Manager{Dir: dir, Version: "1", Places: Usual(env("TMPDIR", temp), temp), Changed: func() { news <- struct{}{} }}
	t.Cleanup(m.Close)
	return dir, temp, m, news
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// until waits for a state.
func until(t *testing.T, m *Manager, news chan struct{}, want func(State) bool) State {
	t.Helper()
	for {
		if s := m.Now(); want(s) {
			return s
		}
		select {
		case <-news:
		case <-time.After(20 * time.Second):
			t.Fatalf("it did not come: %+v", m.Now())
		}
	}
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, p, _ := net.SplitHostPort(l.Addr().String())
	n, _ := strconv.Atoi(p)
	return n
}
