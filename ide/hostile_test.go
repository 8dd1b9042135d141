package ide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nowhere is a pipe whose other end is gone.
type nowhere struct{}

func (nowhere) close() {}

func (nowhere) send(context.Context, []byte) (bool, error) { return true, ErrGone }

// Whatever an editor sends is read or passed over: it ends nothing, and no place is
// larger than it may be.
func FuzzWhatAnEditorSays(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","method":"ide/contextUpdate","params":{"workspaceState":{"openFiles":[{"path":"/a","timestamp":1e308,"isActive":true,"cursor":{"line":-1},"selectedText":"x"}]}}}`,
		`{"method":"ide/contextUpdate","params":[]}`, `{"method":"ide/contextUpdate"}`, `{"method":"ide/diffAccepted","params":{"filePath":"/a"}}`,
		`{"method":"selection_changed","params":{"text":"x","filePath":"/a","selection":{"start":{"line":-9},"end":{"line":99999999999}}}}`,
		`{"method":"at_mentioned","params":{"filePath":"/a","lineStart":-1,"lineEnd":3}}`,
		`{"id":1,"method":"ping"}`, `{"id":"x","result":{}}`, `[{"id":1},[],null,1]`, `null`, `{"id":{},"method":"a"}`, ``,
	} {
		f.Add([]byte(s))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &conn{dir: dir, diffs: map[string]*shown{}, moved: func(_ *conn, at Context) {
			if len(at.Text) > maxText || len(at.Open) > maxOpen || len(at.Path) > maxPath || at.First < 0 || at.Last < at.First {
				t.Errorf("%+v", at)
			}
		}, named: func(path string, first, last int) {
			if !sound(path) || first < 0 || last < first {
				t.Errorf("%q %d %d", path, first, last)
			}
		}}
		c.peer = newPeer(c.told)
		c.peer.pipe = nowhere{}
		c.peer.take(b)
		_, _ = events(strings.NewReader(string(b)), func(_ string, data []byte) { c.peer.take(data) })
	})
}

// One that never ends a line, or floods, is left; one that answers what nobody asked is
// not heard.
func TestEditorThatFloods(t *testing.T) {
	endless := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		b, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(b, &m)
		switch {
		case r.Method == http.MethodGet && endless:
			line := strings.Repeat("x", 1<<20)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.Method == "initialize":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `[{"id":99,"result":{}},{"id":%s,"result":{"protocolVersion":"2025-06-18"}},{"id":%[1]s,"result":{"protocolVersion":""}}]`, m.ID)
		case m.Method == "tools/list":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id":%s,"error":{"code":-32601,"message":"no tools"}}`, m.ID)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	port := srv.Listener.Addr().(*net.TCPAddr).Port
	dir, temp, m, news := here(t)
	offerAs(t, temp, os.Getpid(), port, map[string]any{"port": port, "workspacePath": dir, "authToken": "t"})
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if s := m.Now(); s.Diff || s.Hears {
		t.Errorf("%+v", s)
	}
	endless = true
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	until(t, m, news, func(s State) bool { return !s.Connected })
}

// A line that no file has is bounded, and no reason to stop.
func TestLinesThatNoFileHas(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(dir, "a.go"), []byte("one\ntwo\n"))
	name, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	const most = "9223372036854775807"
	at := companionContext(json.RawMessage(fmt.Sprintf(`{"workspaceState":{"openFiles":[{"path":%s,"isActive":true,"cursor":{"line":%s},"selectedText":"one\ntwo"}]}}`, name, most)), dir)
	if at.Path != file || at.Line > maxLine || at.First != 0 {
		t.Errorf("%+v", at)
	}
	at, ok := selectionContext(json.RawMessage(fmt.Sprintf(`{"text":"one","filePath":%s,"selection":{"start":{"line":3},"end":{"line":%s,"character":1}}}`, name, most)))
	if !ok || at.First != 4 || at.Last < at.First || at.Last > maxLine {
		t.Errorf("%v %+v", ok, at)
	}
	_, first, last, ok := mentioned(json.RawMessage(fmt.Sprintf(`{"filePath":%s,"lineStart":3,"lineEnd":%s}`, name, most)), nil)
	if !ok || first != 4 || last < first || last > maxLine {
		t.Errorf("%v %d %d", ok, first, last)
	}
}

// Whoever hears the editor and crashes leaves no connection behind that hears nothing.
func TestCrashOfWhoHears(t *testing.T) {
	_, c, _, m, news := onSocket(t)
	m.mu.Lock()
	m.conn.named = func(string, int, int) { panic("as it may") }
	m.mu.Unlock()
	tell(t, c, `{"jsonrpc":"2.0","method":"at_mentioned","params":{"filePath":"/w/c.go"}}`)
	if s := until(t, m, news, func(s State) bool { return !s.Connected }); !errors.Is(s.Why, ErrGone) {
		t.Errorf("%+v", s)
	}
}
