package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesAndVariablesOfOnesOwn(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"key": "${HOME}{env:A}\n", "two": "a\nb\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	get := func(name string) (string, bool) {
		v, ok := map[string]string{"A": "a", "HOME": "h"}[name]
		return v, ok
	}
	c := ServerConfig{Source: Source{Scope: "user", File: filepath.Join(dir, "mcp.json")}, URL: "https://h/{env:A}",
		Headers: map[string]string{"X": "Bearer {file:key} ${A}"}}
	got, err := c.Expand(get)
	if err != nil || got.URL != "https://h/a" || got.Headers["X"] != "Bearer ${HOME}{env:A} a" {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{"{file:two}": "more than one line", "{file:none}": "no such file", "{env:NONE}": "NONE is not set", "{file:" + dir + "}": "no file of at most"} {
		c.Headers["X"] = text
		if _, err := c.Expand(get); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// A project's file says what it says.
	c.Headers["X"], c.URL, c.Source.Scope = "{file:key}", "https://h/{env:A}", "project"
	if got, err := c.Expand(get); err != nil || got.Headers["X"] != "{file:key}" || got.URL != "https://h/{env:A}" {
		t.Errorf("%+v, %v", got, err)
	}
}
