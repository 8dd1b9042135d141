package catalog

import (
	"context"
	"testing"
)

func TestAt(t *testing.T) {
	for _, c := range []struct{ base, wire, want string }{
		{"https://h/v1/", "", "openai https://h/v1"}, {"https://h/v1/chat/completions", "", "openai https://h/v1"},
		{"https://h/anthropic", "", "anthropic https://h/anthropic"}, {"https://h", "anthropic", "anthropic https://h"},
		{"h/v1", "", ""}, {"ftp://h", "", ""}, {"https://", "", ""},
	} {
		e, err := At(c.base, c.wire)
		if got := e.Wire + " " + e.BaseURL; (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%s: %s, %v", c.base, got, err)
		}
	}
}

// A key that is kept for one address goes to no other one.
func TestKeyOfAnAddress(t *testing.T) {
	kept := map[string]string{"https://a.example/v1": "a-key", "openai": "o-key", "custom": "never"}
	for base, want := range map[string]string{"https://a.example/v1": "a-key", "https://a.example/v1/": "a-key", "https://a.example": "", "https://b.example/v1": ""} {
		c, err := Choose(context.Background(), Inputs{Flag: Wish{BaseURL: base, Model: "m"}, Stored: func(name string) string { return kept[name] }})
		if err != nil || c.Key != want {
			t.Errorf("%s: %q, %v", base, c.Key, err)
		}
	}
}
