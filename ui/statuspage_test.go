package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/screens.md names every part of the status line in its table, and no other.
func TestEveryPartHasItsRow(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "screens.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "| part | shows |")
	table, _, _ := strings.Cut(text, "\n\n")
	var named []string
	for row := range strings.Lines(table) {
		first, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		for i, name := range strings.Split(first, "`") {
			if i%2 == 1 {
				named = append(named, name)
			}
		}
	}
	there := map[string]bool{}
	for _, p := range statusParts() {
		there[p[0]] = true
	}
	for _, name := range named {
		if !there[name] {
			t.Errorf("%s is no part, or named twice", name)
		}
		delete(there, name)
	}
	for name := range there {
		t.Errorf("%s is not named", name)
	}
}
