package main

import (
	"testing"

	"forge/mcp"
)

// A project's text may name files, and nothing that a server has: that is the person's to
// name.
func TestWhatAProjectsTextNames(t *testing.T) {
	o := &fileCommands{forge: &forge{configured: map[string]mcp.ServerConfig{"mail": {}}}}
	text := `See @main.go:3, @"a b.go":4-5, @mail:inbox://all, @mail:inbox://mine and @"mail:other one".`
	for typed, want := range map[string]string{
		"":                          `@"main.go:3" @"a b.go":4-5`,
		"please @mail:inbox://mine": `@"main.go:3" @"a b.go":4-5 @"mail:inbox://mine"`,
	} {
		if got := o.withoutServers(text, typed); got != want {
			t.Errorf("with %q: %s, want %s", typed, got, want)
		}
	}
}
