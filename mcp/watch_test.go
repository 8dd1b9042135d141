//go:build unix

package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// watchedServer has a resource, and a tool that changes it.
func watchedServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "watched", Version: "1"}, &sdk.ServerOptions{
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	var mu sync.Mutex
	n := 0
	s.AddResource(&sdk.Resource{URI: "note://one", Name: "one"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		mu.Lock()
		defer mu.Unlock()
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: fmt.Sprintf("version %d", n)}}}, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "t"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		mu.Lock()
		n++
		mu.Unlock()
		err := s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "note://one"})
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "ok"}}}, nil, err
	})
	return s
}

// The change of a resource the model has read is told before its next turn, once for
// each time it read it, in both eras and over both transports.
func TestReadResourcesAreWatched(t *testing.T) {
	over := func(pin string) map[string]ServerConfig {
		h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return watchedServer() }, &sdk.StreamableHTTPOptions{Stateless: false})
		if pin != "" {
			one := watchedServer()
			h = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return one }, &sdk.StreamableHTTPOptions{Stateless: true})
		}
		srv := httptest.NewServer(h)
		t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
		return map[string]ServerConfig{"s": {URL: srv.URL}}
	}
	for name, servers := range map[string]map[string]ServerConfig{
		"stdio": bads(t, map[string]string{"s": "watched"}), "http older": over(""), "http newer": over("new"),
	} {
		t.Run(name, func(t *testing.T) {
			h := mount(t, Options{Servers: servers})
			st := h.until("s", Ready)
			if want := name != "http older"; st.About.Modern() != want || !st.About.HasSubscriptions {
				t.Fatalf("about %+v", st.About)
			}
			for range 2 {
				if r := h.call("read_resource", `{"uri":"note://one"}`); !strings.Contains(r.Text, "version ") {
					t.Fatalf("read %+v", r)
				}
				if news := h.m.News(); news != nil {
					t.Errorf("told %q before anything changed", news)
				}
				// When the server has agreed to tell is not to be seen from here: the first
				// changes may be too soon.
				var told []string
				eventually(t, func() bool {
					if r := h.call("mcp__s__t", ""); r.Text != "ok" {
						t.Fatalf("got %+v", r)
					}
					told = append(told, h.m.News()...)
					return len(told) > 0
				})
				if len(told) != 1 || !strings.Contains(told[0], "The resource note://one of the MCP server s has changed since it was read") {
					t.Errorf("told %q", told)
				}
			}
		})
	}
}

// What changed while the stream was cut is asked for when it is open again; and a
// server that says what nobody asked is not listened to.
func TestWatchedResourceWhoseStreamIsCut(t *testing.T) {
	cut := make(chan bool)
	var mu sync.Mutex
	opened := 0
	web := newWeb(t, false, func(w writer, r *request, m badMsg) bool {
		switch {
		case m.Method == "server/discover":
			webReply(w, m, map[string]any{"resultType": "complete", "supportedVersions": []string{"2026-07-28"}, "ttlMs": 0, "cacheScope": "private",
				"capabilities": map[string]any{"tools": map[string]any{}, "resources": map[string]any{"subscribe": true}}})
		case m.Method == "resources/read":
			webReply(w, m, map[string]any{"resultType": "complete", "contents": []any{map[string]any{"uri": "note://one", "text": "x"}}, "ttlMs": 0, "cacheScope": "private"})
		case m.Method == "subscriptions/listen" && strings.Contains(string(m.Params), "note://one"):
			webAck(w, m)
			webEvent(w, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note://other"}}`)
			mu.Lock()
			opened++
			first := opened == 1
			mu.Unlock()
			if first {
				<-cut
				return true
			}
			<-r.Context().Done()
		default:
			return false
		}
		return true
	})
	h := mount(t, Options{Servers: map[string]ServerConfig{"w": {URL: web.URL}}})
	h.until("w", Ready)
	if _, err := h.m.Read(t.Context(), "w", "note://one"); err != nil {
		t.Fatal(err)
	}
	cut <- true
	var told []string
	eventually(t, func() bool { told = append(told, h.m.News()...); return len(told) > 0 })
	if len(told) != 1 || !strings.Contains(told[0], "note://one") {
		t.Errorf("told %q", told)
	}
}
