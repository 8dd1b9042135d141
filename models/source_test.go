package models

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"forge/agent/config"
)

// TestAServerStartedLaterIsFound: a server on this machine that was not there when
// forge began is found when somebody asks for it, and can then be used.
func TestAServerStartedLaterIsFound(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OLLAMA_HOST", l.Addr().String())
	l.Close()
	s := New(Options{Config: &config.Config{}})
	has := func(ctx context.Context) bool {
		_, ok := s.Endpoint(ctx, "ollama")
		return ok
	}
	if has(t.Context()) {
		t.Fatal("a server that is not there was found")
	}
	if l, err = net.Listen("tcp", l.Addr().String()); err != nil {
		t.Skip("the port was taken: ", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"version":"0.17.4"}`) })
	mux.HandleFunc("/api/tags", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"models":[{"name":"qwen3:8b","model":"qwen3:8b"}]}`)
	})
	server := httptest.NewUnstartedServer(mux)
	server.Listener.Close()
	server.Listener = l
	server.Start()
	defer server.Close()
	if has(t.Context()) {
		t.Fatal("it was looked for again without being asked for")
	}
	if found := s.Look(t.Context()); len(found) == 0 || found[0].Name != "ollama" {
		t.Fatalf("found %+v", found)
	}
	if !has(t.Context()) {
		t.Error("it was found and cannot be used")
	}
}

// A report to strangers is rid of the keys that commands and files of the settings gave.
func TestBorrowedKeysInAReport(t *testing.T) {
	dir := t.TempDir()
	cfg := &config.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "m", APIKey: config.Template{{Text: "pass", Command: true}},
		Headers: map[string]string{"X-A": "Bearer borrowed-word", "X-B": "short", "X-C": "plain-word"}, Borrowed: []string{"X-A", "X-B", "X-D"}}
	s := New(Options{Config: cfg, Dirs: config.Dirs{Config: dir, State: dir}})
	s.looked = true
	got := s.Keys(t.Context())
	if slices.Contains(got, lateKey) || !slices.Contains(got, "borrowed-word") || slices.Contains(got, "short") || slices.Contains(got, "plain-word") {
		t.Errorf("%q", got)
	}
	s.keyed.key, s.keyed.headers = "what-pass-gave", map[string]string{"X-D": "what-d-gave"}
	if got := s.Keys(t.Context()); !slices.Contains(got, "what-pass-gave") || !slices.Contains(got, "what-d-gave") {
		t.Errorf("%q", got)
	}
}
