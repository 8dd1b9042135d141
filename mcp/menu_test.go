//go:build unix

package mcp

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestTemplateParts(t *testing.T) {
	for in, want := range map[string]string{
		"note://{id}":            "[note:// ⟨id⟩]",
		"repo://{+path}/x":       "[repo:// ⟨+path⟩ /x]",
		"a://{owner}/{repo}.git": "[a:// ⟨owner⟩ / ⟨repo⟩ .git]",
		"a://x{/rest}":           "[a://x / ⟨rest⟩]",
		"a://x{?q,page}":         "[a://x]",
		"a://{":                  "[a://]",
		"plain":                  "[plain]",
		"":                       "[]",
	} {
		var got []string
		for _, p := range templateParts(in) {
			s := p.text
			if p.name != "" {
				s = "⟨" + p.name + "⟩"
				if p.whole {
					s = "⟨+" + p.name + "⟩"
				}
			}
			got = append(got, s)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", in, got, want)
		}
	}
}

// What a person writes after an @ is found by its letters; a template that was begun
// is completed by its server, with what stands before it.
func TestResourcesAreFound(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	listed := 0
	web := newWeb(t, true, func(w writer, r *request, m badMsg) bool {
		mu.Lock()
		defer mu.Unlock()
		switch m.Method {
		case "initialize":
			webReply(w, m, map[string]any{"protocolVersion": "2025-11-25", "serverInfo": map[string]any{"name": "x", "version": "1"},
				"capabilities": map[string]any{"tools": map[string]any{}, "resources": map[string]any{}, "completions": map[string]any{}}})
		case "resources/list":
			listed++
			webReply(w, m, map[string]any{"resources": []any{map[string]any{"uri": "note://shopping", "name": "n"}, map[string]any{"uri": "note://work", "name": "w", "title": "What is to be done"}}})
		case "resources/templates/list":
			webReply(w, m, map[string]any{"resourceTemplates": []any{map[string]any{"uriTemplate": "repo://{owner}/{repo}", "name": "r"}}})
		case "completion/complete":
			asked = append(asked, string(m.Params))
			webReply(w, m, map[string]any{"completion": map[string]any{"values": []string{"a b", "ac"}}})
		default:
			return false
		}
		return true
	})
	h := mount(t, Options{Servers: map[string]ServerConfig{"w": {URL: web.URL}}})
	h.until("w", Ready)
	find := func(q string) (out string) {
		for _, f := range h.m.FindResources(t.Context(), q, 10) {
			out += f.Text
			if f.Open {
				out += "…"
			}
			out += " "
		}
		return out
	}
	for q, want := range map[string]string{
		"":                  "w:note://shopping w:note://work w:repo://… ",
		"wk":                "w:note://work ",
		"w:note://s":        "w:note://shopping w:note://work ", // what begins so comes first
		"w:repo://a":        "w:repo://a%20b/… w:repo://ac/… ",
		"w:repo://a%20b/a":  "w:repo://a%20b/a%20b w:repo://a%20b/ac ",
		"nothing of it all": "",
	} {
		if got := find(q); got != want {
			t.Errorf("%q finds %q, want %q", q, got, want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if listed != 1 {
		t.Errorf("the list was asked for %d times", listed)
	}
	found := false
	for _, a := range asked {
		found = found || strings.Contains(a, `"owner":"a b"`) && strings.Contains(a, `"value":"a"`) && strings.Contains(a, `"uri":"repo://{owner}/{repo}"`)
	}
	if !found {
		t.Errorf("asked %q", asked)
	}
}
