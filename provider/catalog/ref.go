package catalog

import (
	"slices"
	"strings"

	"forge/provider"
	"forge/spell"
)

// Ref is a model as a person names it.
type Ref struct {
	Endpoint string // empty where the words name none
	ID       string
	Effort   provider.Effort // empty where the words name none
}

// ResolveModel parses "[endpoint/]id[:effort]". IDs themselves hold slashes and
// colons ("meta-llama/llama-4", "qwen3:8b"), so only a known endpoint is taken for
// one, and only a known effort. endpoint, where not empty, is already decided:
// then "anthropic/claude-sonnet-4.6" is an ID of, say, openrouter.
func ResolveModel(ref, endpoint string) Ref {
	r := Ref{Endpoint: endpoint, ID: strings.TrimSpace(ref)}
	if i := strings.LastIndexByte(r.ID, ':'); i > 0 {
		effort := provider.Effort(strings.ToLower(r.ID[i+1:]))
		if slices.Contains(provider.Efforts(), effort) {
			r.ID, r.Effort = r.ID[:i], effort
		}
	}
	if e, ok := Find(endpoint); ok {
		r.Endpoint = e.Name
		if _, whole := e.Model(r.ID); whole {
			return r
		}
	}
	prefix, rest, ok := strings.Cut(r.ID, "/")
	if !ok || rest == "" {
		return r
	}
	if e, found := Find(prefix); found && (endpoint == "" || e.Name == r.Endpoint) {
		r.Endpoint, r.ID = e.Name, rest
	}
	return r
}

// nearest returns the known endpoint name closest to what was typed, empty where
// none is close.
func nearest(name string) string {
	best, gap := "", 3
	for _, e := range known.Get() {
		if d := spell.Distance(strings.ToLower(name), e.Name); d < gap {
			best, gap = e.Name, d
		}
	}
	return best
}
