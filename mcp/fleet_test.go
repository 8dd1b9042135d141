//go:build unix

package mcp

import (
	"slices"
	"strings"
	"testing"
)

// Servers come, go and change while the others run on: the model's next turn has the tools
// of those there are.
func TestConfigure(t *testing.T) {
	all := bads(t, map[string]string{"stays": "good", "goes": "good", "changes": "good"})
	h := mount(t, Options{Servers: all})
	for name := range all {
		h.until(name, Ready)
	}
	offered := func() (out []string) {
		for _, d := range h.reg.Active() {
			if name, of := strings.CutPrefix(d.Spec().Name, "mcp__"); of {
				server, _, _ := strings.Cut(name, "__")
				out = append(out, server)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if got := offered(); !slices.Equal(got, []string{"changes", "goes", "stays"}) {
		t.Fatalf("%q", got)
	}
	stays := h.m.fleet.Load().named("stays")
	if got := h.m.Configure(all); got != nil || h.m.fleet.Load().named("stays") != stays {
		t.Errorf("nothing changed: %q", got)
	}
	next := bads(t, map[string]string{"stays": "good", "comes": "good", "changes": "good"})
	moved := next["stays"]
	moved.Source.Line = 7
	other := next["changes"]
	other.Deny = []string{"*"}
	next["stays"], next["changes"] = moved, other
	if got := h.m.Configure(next); !slices.Equal(got, []string{"changes", "+comes", "-goes"}) {
		t.Errorf("%q", got)
	}
	h.until("comes", Ready)
	h.until("changes", Ready)
	if got := offered(); !slices.Equal(got, []string{"comes", "stays"}) {
		t.Errorf("%q", got)
	}
	if h.m.fleet.Load().named("stays") != stays || h.until("stays", Ready).Starts != 1 {
		t.Error("a server that stays was started anew")
	}
	if err := h.m.Retry("goes"); err == nil {
		t.Error("a server that is gone was started")
	}
	if got := h.m.Configure(nil); len(got) != 3 || len(offered()) != 0 || len(h.m.Status()) != 0 {
		t.Errorf("%q, %q", got, offered())
	}
	// One that comes again is as it was.
	h.m.Configure(all)
	h.until("goes", Ready)
	if got := offered(); !slices.Contains(got, "goes") {
		t.Errorf("%q", got)
	}
}
