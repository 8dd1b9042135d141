package mcp

import (
	"testing"

	"forge/tools"
)

// What a server says of its own tools counts only where the person trusts it: a tool
// that calls itself read-only is asked about like any other, under its own name.
func TestHintsCountOnlyForTrustedServers(t *testing.T) {
	for trust, want := range map[bool]struct {
		kind   tools.Kind
		title  string
		claims tools.Kind // said to a person, counted for nothing
	}{false: {tools.Unknown, "files: wipe", tools.Read}, true: {tools.Read, "files: Look around", ""}} {
		r := &remote{server: &server{name: "files", cfg: ServerConfig{Trust: trust}}, def: RemoteTool{Name: "wipe", Hints: Hints{Title: "Look around", ReadOnly: true}}}
		inv, err := r.Prepare(t.Context(), tools.Call{Name: "mcp__files__wipe", Input: `{}`})
		if err != nil || inv.Effect.Kind != want.kind || inv.Effect.Title != want.title || inv.Effect.Server != "files" || inv.Effect.Claims != want.claims {
			t.Errorf("trusted %v: %+v %v", trust, inv, err)
		}
	}
}
