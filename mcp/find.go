package mcp

import (
	"context"
	"fmt"
	"io"
	"strings"

	"forge/tools"
)

// offerFinder registers find_tools, once there is something to be found.
func (m *Manager) offerFinder() {
	m.mu.Lock()
	offered := m.finder
	m.finder = true
	m.mu.Unlock()
	if !offered {
		m.o.Registry.SetSoon("mcp", []tools.Tool{FindTools(m.o.Registry)}, false, nil)
	}
}

type findInput struct {
	Query string `json:"query,omitempty" description:"words of the tool's name or description; empty lists all there are"`
}

// maxFound is how many tools one search brings in: each costs every later request.
const maxFound = 8

// FindTools is the tool by which a model brings deferred tools in. Its description
// stays the same whatever there is to be found, so that a server that comes or goes
// costs no cached prefix.
func FindTools(reg *tools.Registry) tools.Tool {
	return tools.Func("find_tools",
		"Find more tools, of connected MCP servers, that are not loaded yet. With an empty query it lists their names with one line each. "+
			"With words it loads those that match best, at most 8; you can call them from your next step on. Search before you say that something cannot be done.",
		func(_ context.Context, _ tools.Call, in findInput) (*tools.Invocation, error) {
			return &tools.Invocation{
				Effect: tools.Effect{Kind: tools.Internal, Title: "find tools: " + in.Query},
				Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) {
					return find(reg, strings.TrimSpace(in.Query)), nil
				},
			}, nil
		})
}

func find(reg *tools.Registry, query string) tools.Result {
	if query == "" {
		all := reg.Search("", 1000)
		if len(all) == 0 {
			return tools.Result{Text: "no tool is left to be found: all are loaded"}
		}
		var b strings.Builder
		for _, s := range all {
			fmt.Fprintf(&b, "%s: %s\n", s.Name, firstLine(s.Description))
		}
		return tools.Result{Text: b.String(), Display: fmt.Sprintf("%d tools", len(all))}
	}
	found := reg.Search(query, maxFound)
	// No tool has all the words: take those that have one of them.
	for _, w := range strings.Fields(query) {
		if len(found) > 0 {
			break
		}
		found = reg.Search(w, maxFound)
	}
	if len(found) == 0 {
		return tools.Result{Text: fmt.Sprintf("no tool matches %q; an empty query lists all there are", query)}
	}
	var names []string
	var b strings.Builder
	b.WriteString("loaded; you can call them now:\n")
	for _, s := range found {
		names = append(names, s.Name)
		fmt.Fprintf(&b, "%s: %s\n  arguments: %s\n", s.Name, firstLine(s.Description), s.Schema)
	}
	reg.Activate(names...)
	return tools.Result{Text: b.String(), Display: strings.Join(names, ", ")}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "") + "…"
	}
	return s
}
