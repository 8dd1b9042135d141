package models

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"forge/agent/config"
	"forge/provider/catalog"
)

// Where the settings name nobody, no provider is told a secret because all are listed.
func TestListsKeepBorrowedHeaders(t *testing.T) {
	s := New(Options{Config: &config.Config{Headers: map[string]string{"X-B": "borrowed", "X-C": "plain"}, Borrowed: []string{"X-A", "X-B"},
		LateHeaders: map[string]config.Template{"X-A": {{Text: "echo borrowed", Command: true}}}}, Dirs: config.Dirs{State: t.TempDir()}})
	e := catalog.Endpoint{Name: "openai", BaseURL: "https://h.example/v1"}
	for _, c := range []struct {
		what string
		flag catalog.Wish
		cfg  string // of the settings: the provider
		want bool
	}{
		{"nothing is named", catalog.Wish{}, "", false}, {"the settings name it", catalog.Wish{}, "openai", true}, {"they name another", catalog.Wish{}, "anthropic", false},
		{"a flag names it", catalog.Wish{Provider: "openai"}, "", true}, {"a flag names its address", catalog.Wish{BaseURL: "https://h.example/v1/"}, "", true},
		{"a flag names another", catalog.Wish{BaseURL: "https://other.example/v1"}, "", false}, {"a flag names it, the settings another", catalog.Wish{Provider: "openai"}, "anthropic", false},
	} {
		s.o.Flag, s.cfg.Provider = c.flag, c.cfg
		got, err := s.lateHeaded(t.Context(), e, s.listsWith(e))
		if err != nil || (got.Header["X-A"] == "borrowed") != c.want || (got.Header["X-B"] == "borrowed") != c.want || got.Header["X-C"] != "plain" {
			t.Errorf("%s: %v, %v", c.what, got.Header, err)
		}
	}
}

// What a command gave is asked for again where a server refuses it, and not where another
// one refuses a key of its own.
func TestOnlyTheirOwnRefusalForgetsKeys(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer server.Close()
	cfg := &config.Config{BaseURL: server.URL + "/own/v1", APIKey: config.Template{{Text: "pass", Command: true}}}
	s := New(Options{Config: cfg, Dirs: config.Dirs{State: t.TempDir()}})
	for _, c := range []struct {
		what, path, key, left string
	}{
		{"another's key is refused", "/other/v1", "another", "given"},
		{"it is refused elsewhere", "/other/v1", lateKey, ""},
		{"what goes with it is refused", "/own/v1", "another", ""},
	} {
		s.keyed.key = "given"
		if _, err := s.ListBy(t.Context(), s.asking, catalog.Endpoint{Name: "any", Wire: "openai-chat", BaseURL: server.URL + c.path}, c.key); err == nil {
			t.Errorf("%s: no error", c.what)
		}
		if s.keyed.key != c.left {
			t.Errorf("%s: %q is left", c.what, s.keyed.key)
		}
	}
}
