package models

import (
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
