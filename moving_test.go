package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// What is the person's own of a screen stays when a conversation is moved: each option that
// worn sets is one that the screen keeps.
func TestWornIsKept(t *testing.T) {
	read := func(file, begin string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, body, ok := strings.Cut(string(text), begin)
		if !ok {
			t.Fatalf("%s has no %q", file, begin)
		}
		body, _, _ = strings.Cut(body, "\n}\n")
		return body
	}
	set := func(body string) map[string]bool {
		names := map[string]bool{}
		for line := range strings.Lines(body) {
			left, _, assigns := strings.Cut(line, " = ")
			if !assigns {
				continue
			}
			for _, m := range regexp.MustCompile(`\bo\.(\w+)`).FindAllStringSubmatch(left, -1) {
				names[m[1]] = true
			}
		}
		return names
	}
	worn, kept := set(read("screen.go", "func (f *forge) worn(o *ui.Options) {")), set(read("ui/moving.go", "func (o Options) keeping(was Options) Options {"))
	if len(worn) < 20 {
		t.Fatalf("found only %v", worn)
	}
	for name := range worn {
		if !kept[name] {
			t.Errorf("%s is the person's own, and a move would take that of the start", name)
		}
	}
}
