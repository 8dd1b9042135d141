package catalog

import (
	_ "embed"
	"strconv"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
)

// catalogue is what we use of charm.land/catwalk's embedded catalogue, one line an
// entry: its own form is 660 KB of JSON, and reading that was a fifth of every
// start. A test holds the two together; with -update it writes this one anew.
//
//	provider  id  name  type  key  endpoint  default model
//	model     id  name  window  output  reasons  images  levels  default level  in  out  cached in  cached out
//
//go:embed catalogue.tsv
var catalogue string

// stored reads the catalogue.
func stored() []catwalk.Provider {
	ps := make([]catwalk.Provider, 0, 64)
	for line := range strings.Lines(catalogue) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		next := func() (field string) {
			field, rest, _ = strings.Cut(rest, "\t")
			return field
		}
		switch kind {
		case "provider":
			ps = append(ps, catwalk.Provider{ID: catwalk.InferenceProvider(next()), Name: next(), Type: catwalk.Type(next()),
				APIKey: next(), APIEndpoint: next(), DefaultLargeModelID: next(), Models: make([]catwalk.Model, 0, 32)})
		case "model":
			p := &ps[len(ps)-1]
			p.Models = append(p.Models, catwalk.Model{ID: next(), Name: next(), ContextWindow: int64(number(next())), DefaultMaxTokens: int64(number(next())),
				CanReason: next() == "1", SupportsImages: next() == "1", ReasoningLevels: strings.Fields(next()), DefaultReasoningEffort: next(),
				CostPer1MIn: number(next()), CostPer1MOut: number(next()), CostPer1MInCached: number(next()), CostPer1MOutCached: number(next())})
		}
	}
	return ps
}

// number reads a figure; empty is 0.
func number(s string) float64 {
	if s == "" {
		return 0
	}
	n, _ := strconv.ParseFloat(s, 64)
	return n
}
