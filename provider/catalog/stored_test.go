package catalog

import (
	"flag"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
)

var update = flag.Bool("update", false, "write catalogue.tsv anew from the catwalk module")

// TestCatalogueIsTheModules: what is stored gives the same endpoints and models,
// to the last price, as the module it was taken from. After an update of
// charm.land/catwalk: go test ./provider/catalog -update
func TestCatalogueIsTheModules(t *testing.T) {
	theirs := embedded.GetAll()
	if *update {
		if err := os.WriteFile("catalogue.tsv", []byte(write(t, theirs)), 0o644); err != nil {
			t.Fatal(err)
		}
		return // the stored one is compiled in: run once more
	}
	if want := write(t, theirs); catalogue != want {
		t.Fatalf("catalogue.tsv is not the module's (%d bytes, want %d): go test ./provider/catalog -update", len(catalogue), len(want))
	}
	all := entries{read: func(id string) (catwalk.Provider, bool) {
		for _, p := range theirs {
			if string(p.ID) == id {
				return p, true
			}
		}
		return catwalk.Provider{}, false
	}}
	for _, p := range theirs {
		all.order = append(all.order, string(p.ID))
	}
	ours, want := build(stored()), build(all)
	for i := range want {
		if !reflect.DeepEqual(ours[i], want[i]) {
			t.Errorf("%s: stored\n%+v\nwant\n%+v", want[i].Name, ours[i], want[i])
		}
	}
	if len(ours) != len(want) || len(want) < 20 {
		t.Errorf("%d endpoints, want %d", len(ours), len(want))
	}
}

func write(t *testing.T, ps []catwalk.Provider) string {
	var b strings.Builder
	line := func(fields ...string) {
		for _, f := range fields {
			if strings.ContainsAny(f, "\t\n") {
				t.Fatalf("a field with a tab or line end: %q", fields)
			}
		}
		b.WriteString(strings.Join(fields, "\t") + "\n")
	}
	flag := func(on bool) string {
		if on {
			return "1"
		}
		return ""
	}
	figure := func(n float64) string {
		if n == 0 {
			return ""
		}
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	for _, p := range ps {
		line("provider", string(p.ID), p.Name, string(p.Type), p.APIKey, p.APIEndpoint, p.DefaultLargeModelID)
		for _, m := range p.Models {
			line("model", m.ID, m.Name, figure(float64(m.ContextWindow)), figure(float64(m.DefaultMaxTokens)), flag(m.CanReason), flag(m.SupportsImages),
				strings.Join(m.ReasoningLevels, " "), m.DefaultReasoningEffort,
				figure(m.CostPer1MIn), figure(m.CostPer1MOut), figure(m.CostPer1MInCached), figure(m.CostPer1MOutCached))
		}
	}
	return b.String()
}
