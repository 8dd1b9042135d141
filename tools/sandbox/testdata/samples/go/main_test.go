package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGreeting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "greeting")
	if err := os.WriteFile(path, []byte(greeting()), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "hello" {
		t.Fatal(string(b), err)
	}
}
