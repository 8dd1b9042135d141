package ide

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A companion that was made with the protocol's own library: the handshake, sessions,
// streams and tools are its own, and nothing of them was written for this client.
func TestCompanionOfTheSDK(t *testing.T) {
	type change struct {
		FilePath   string `json:"filePath"`
		NewContent string `json:"newContent,omitempty"`
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "companion", Version: "1"}, nil)
	calls := make(chan string, 10)
	sdk.AddTool(s, &sdk.Tool{Name: "openDiff"}, func(_ context.Context, _ *sdk.CallToolRequest, in change) (*sdk.CallToolResult, any, error) {
		calls <- "open " + in.FilePath + " " + in.NewContent
		return &sdk.CallToolResult{Content: []sdk.Content{}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "closeDiff"}, func(_ context.Context, _ *sdk.CallToolRequest, in change) (*sdk.CallToolResult, any, error) {
		calls <- "close " + in.FilePath
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "now"}}}, nil, nil
	})
	mux := http.NewServeMux()
	mux.Handle("/mcp", sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		if r.Header.Get("Authorization") != "Bearer of-the-sdk" {
			return nil
		}
		return s
	}, nil))
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	port := srv.Listener.Addr().(*net.TCPAddr).Port

	dir, temp, m, _ := here(t)
	offerAs(t, temp, os.Getpid(), port, map[string]any{"port": port, "workspacePath": dir, "authToken": "of-the-sdk"})
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if st := m.Now(); !st.Diff || !st.Hears {
		t.Errorf("%+v", st)
	}
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(dir, "a")
	done := make(chan error, 1)
	go func() { _, err := m.Diff(ctx, path, "text"); done <- err }()
	if got := <-calls; got != "open "+path+" text" {
		t.Error(got)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("nobody answered")
	}
	if got := <-calls; got != "close "+path {
		t.Error(got)
	}
}
