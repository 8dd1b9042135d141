package ide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// neovim is an editor with the bridge of a lock file.
type neovim struct {
	token string
	port  int
	conns chan *websocket.Conn

	mu     sync.Mutex
	calls  []string
	answer func(id json.RawMessage, args map[string]string) // of openDiff
}

func newNeovim(t *testing.T) *neovim {
	n := &neovim{token: "0123456789abcdef0123456789abcdef", conns: make(chan *websocket.Conn, 4)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-claude-code-ide-authorization") != n.token {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		n.conns <- c
		n.serve(c)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	n.port = srv.Listener.Addr().(*net.TCPAddr).Port
	return n
}

func (n *neovim) serve(c *websocket.Conn) {
	for {
		_, b, err := c.Read(context.Background())
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string            `json:"name"`
				Arguments map[string]string `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(b, &m) != nil {
			return
		}
		n.mu.Lock()
		n.calls = append(n.calls, m.Method+" "+m.Params.Name)
		answer := n.answer
		n.mu.Unlock()
		switch m.Method + " " + m.Params.Name {
		case "initialize ":
			n.reply(c, m.ID, `{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"n","version":"1"}}`)
		case "tools/list ":
			n.reply(c, m.ID, `{"tools":[{"name":"openDiff"},{"name":"close_tab"},{"name":"getOpenEditors"},{"name":"getDiagnostics"}]}`)
		case "tools/call openDiff":
			answer(m.ID, m.Params.Arguments)
		case "tools/call getOpenEditors":
			n.reply(c, m.ID, `{"content":[{"type":"text","text":"{\"tabs\":[{\"uri\":\"file:///w/a%20b.go\"},{\"uri\":\"untitled:x\"},{\"uri\":\"/w/c.go\"}]}"}]}`)
		case "tools/call getDiagnostics":
			n.reply(c, m.ID, `{"content":[{"type":"text","text":"[{\"uri\":\"file:///w/c.go\",\"diagnostics\":[{\"message\":\"undefined: x\",\"severity\":\"Error\",\"range\":{\"start\":{\"line\":4,\"character\":0}}},{\"message\":\"m\",\"severity\":2}]}]"}]}`)
		default:
			if m.ID != nil {
				n.reply(c, m.ID, `{"content":[{"type":"text","text":"TAB_CLOSED"}]}`)
			}
		}
	}
}

func (n *neovim) reply(c *websocket.Conn, id json.RawMessage, result string) {
	_ = c.Write(context.Background(), websocket.MessageText, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (n *neovim) offer(t *testing.T, home, folder string) {
	b, err := json.Marshal(map[string]any{"pid": os.Getpid(), "workspaceFolders": []string{folder}, "ideName": "Neovim", "transport": "ws", "authToken": n.token})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, ".claude", "ide", fmt.Sprintf("%d.lock", n.port)), b)
}

func onSocket(t *testing.T) (*neovim, *websocket.Conn, string, *Manager, chan struct{}) {
	n := newNeovim(t)
	dir, home, m, news := here(t)
	n.offer(t, home, dir)
	b, err := m.Connect(t.Context(), "")
	if err != nil || b.Kind != LockFile || b.Name != "Neovim" {
		t.Fatalf("%+v %v", b, err)
	}
	return n, <-n.conns, dir, m, news
}

func tell(t *testing.T, c *websocket.Conn, text string) {
	t.Helper()
	if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func TestSelectionOverASocket(t *testing.T) {
	_, c, _, m, news := onSocket(t)
	m.mu.Lock()
	named := make(chan string, 1)
	m.conn.named = func(path string, first, last int) { named <- fmt.Sprint(path, first, last) }
	m.mu.Unlock()
	tell(t, c, `{"jsonrpc":"2.0","method":"selection_changed","params":{"text":"two\nthree\n","filePath":"/w/c.go","selection":{"start":{"line":1,"character":0},"end":{"line":3,"character":0},"isEmpty":false}}}`)
	s := until(t, m, news, func(s State) bool { return s.At.Text != "" })
	if s.At.First != 2 || s.At.Last != 3 || s.At.Path != "/w/c.go" {
		t.Errorf("%+v", s.At)
	}
	tell(t, c, `{"jsonrpc":"2.0","method":"selection_changed","params":{"text":"","filePath":"relative","selection":null}}`)
	tell(t, c, `{"jsonrpc":"2.0","method":"selection_changed","params":{"text":"of a diff","filePath":"/w/✻ [forge] c.go (1) ⧉ (proposed)","selection":null}}`)
	tell(t, c, `not JSON`)
	tell(t, c, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	tell(t, c, `{"jsonrpc":"2.0","method":"at_mentioned","params":{"filePath":"/w/c.go","lineStart":9,"lineEnd":19}}`)
	if got := <-named; got != "/w/c.go10 20" {
		t.Error(got)
	}
	write(t, filepath.Join(m.Dir, "here.go"), nil)
	tell(t, c, `{"jsonrpc":"2.0","method":"at_mentioned","params":{"filePath":"../gone.go"}}`)
	tell(t, c, `{"jsonrpc":"2.0","method":"at_mentioned","params":{"filePath":"gone.go"}}`)
	tell(t, c, `{"jsonrpc":"2.0","method":"at_mentioned","params":{"filePath":"here.go"}}`)
	if got := <-named; got != filepath.Join(m.Dir, "here.go")+"0 0" {
		t.Error(got)
	}
	at, wrong, err := m.Look(t.Context())
	if err != nil || !slices.Equal(at.Open, []string{"/w/a b.go", "/w/c.go"}) || at.First != 2 {
		t.Errorf("%+v %v", at, err)
	}
	want := []Problem{{"/w/c.go", "Error", "undefined: x", 5}, {"/w/c.go", "warning", "m", 1}}
	if !slices.Equal(wrong, want) {
		t.Errorf("%+v", wrong)
	}
}

func TestDiffsOverASocket(t *testing.T) {
	n, c, dir, m, news := onSocket(t)
	path := filepath.Join(dir, "a.go")
	for _, x := range []struct {
		name, result string
		want         Outcome
		fails        bool
	}{
		{"saved", `{"content":[{"type":"text","text":"FILE_SAVED"},{"type":"text","text":"edited"}]}`, Outcome{Accepted: true, Text: "edited"}, false},
		{"lost on the way", `{"content":[{"type":"text","text":"FILE_SAVED"},{"type":"text","text":""}]}`, Outcome{Accepted: true, Loose: true}, false},
		{"no text any more", `{"content":[{"type":"text","text":"FILE_SAVED"},{"type":"text","text":"n\ud800w"}]}`, Outcome{Accepted: true, Text: "n\ufffdw", Loose: true}, false},
		{"larger than a file that is shown", `{"content":[{"type":"text","text":"FILE_SAVED"},{"type":"text","text":"` + strings.Repeat("x", MaxDiff+1) + `"}]}`, Outcome{}, true},
		{"turned down", `{"content":[{"type":"text","text":"DIFF_REJECTED"},{"type":"text","text":"tab"}]}`, Outcome{}, false},
		{"saved, it does not say what", `{"content":[{"type":"text","text":"FILE_SAVED"}]}`, Outcome{}, true},
		{"closed", `{"content":[{"type":"text","text":"TAB_CLOSED"}]}`, Outcome{}, true},
		{"an error", `{"isError":true,"content":[{"type":"text","text":"FILE_SAVED"},{"type":"text","text":"x"}]}`, Outcome{}, true},
	} {
		n.mu.Lock()
		n.answer = func(id json.RawMessage, args map[string]string) {
			if args["new_file_path"] != path || args["old_file_path"] != path || args["new_file_contents"] != "new" || args["tab_name"] == "" {
				t.Errorf("%q", args)
			}
			n.reply(c, id, x.result)
		}
		n.mu.Unlock()
		if o, err := m.Diff(t.Context(), path, "new"); o != x.want || (err != nil) != x.fails {
			t.Errorf("%s: %+v %v", x.name, o, err)
		}
	}
	n.mu.Lock()
	n.answer = func(json.RawMessage, map[string]string) { c.CloseNow() }
	n.mu.Unlock()
	if _, err := m.Diff(t.Context(), path, "new"); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	until(t, m, news, func(s State) bool { return !s.Connected && errors.Is(s.Why, ErrGone) })
}

func TestSocketWithAnotherToken(t *testing.T) {
	n := newNeovim(t)
	dir, home, m, _ := here(t)
	n.offer(t, home, dir)
	n.token = "another"
	if _, err := m.Connect(t.Context(), ""); err == nil || m.Now().Connected {
		t.Error(err)
	}
}
