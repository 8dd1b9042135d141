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

// entries is a catalogue, of which one provider is read at a time: all together take
// ten times what is kept of them.
type entries struct {
	order []string
	// read returns a provider. Its models are good until the next call.
	read func(id string) (catwalk.Provider, bool)
}

// stored is the catalogue in its parts.
func stored() entries {
	parts := make(map[string]string, 64)
	var e entries
	for rest := catalogue; rest != ""; {
		end := strings.Index(rest, "\nprovider\t") + 1
		if end == 0 {
			end = len(rest)
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(rest[:end], "provider\t"), "\t")
		parts[id] = rest[:end]
		e.order = append(e.order, id)
		rest = rest[end:]
	}
	var models []catwalk.Model
	e.read = func(id string) (catwalk.Provider, bool) {
		part, ok := parts[id]
		p := catwalk.Provider{Models: models[:0]}
		for line := range strings.Lines(part) {
			kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			next := func() (field string) {
				field, rest, _ = strings.Cut(rest, "\t")
				return field
			}
			switch kind {
			case "provider":
				p.ID, p.Name, p.Type, p.APIKey, p.APIEndpoint, p.DefaultLargeModelID = catwalk.InferenceProvider(next()), next(), catwalk.Type(next()), next(), next(), next()
			case "model":
				p.Models = append(p.Models, catwalk.Model{ID: next(), Name: next(), ContextWindow: int64(number(next())), DefaultMaxTokens: int64(number(next())),
					CanReason: next() == "1", SupportsImages: next() == "1", ReasoningLevels: strings.Fields(next()), DefaultReasoningEffort: next(),
					CostPer1MIn: number(next()), CostPer1MOut: number(next()), CostPer1MInCached: number(next()), CostPer1MOutCached: number(next())})
			}
		}
		models = p.Models
		return p, ok
	}
	return e
}

// number reads a figure; empty is 0.
func number(s string) float64 {
	if s == "" {
		return 0
	}
	n, _ := strconv.ParseFloat(s, 64)
	return n
}
