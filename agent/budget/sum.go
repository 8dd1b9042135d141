package budget

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"forge/sorting"
)

// Sum is what calls that have something in common spent.
type Sum struct {
	Key        string
	Calls      int
	USD        float64
	Unpriced   int // calls without a known price: USD is not all of it
	Input      int // tokens, cached ones included
	Output     int
	CacheRead  int
	CacheWrite int
	Time       time.Duration
}

// Add counts a call in.
func (s *Sum) Add(c Call) {
	s.Calls++
	if c.USD != nil {
		s.USD += *c.USD
	} else {
		s.Unpriced++
	}
	s.Input += c.Input
	s.Output += c.Output
	s.CacheRead += c.CacheRead
	s.CacheWrite += c.CacheWrite
	s.Time += time.Duration(c.Millis) * time.Millisecond
}

// Hit is the share of the input that came from a server's cache, 0 to 1.
func (s Sum) Hit() float64 {
	if s.Input == 0 {
		return 0
	}
	return float64(s.CacheRead) / float64(s.Input)
}

// Ways lists what By takes.
func Ways() []string { return []string{"day", "model", "project", "purpose"} }

// Work is the key of By of calls that are turns of runs.
const Work = "work"

// By adds calls up by day, model, project or purpose: days in their order, the others by
// what they cost, the dearest first.
func By(calls []Call, way string) ([]Sum, error) {
	if !slices.Contains(Ways(), way) {
		return nil, fmt.Errorf("usage by %q is unknown: use day, model, project or purpose", way)
	}
	at := map[string]int{}
	var out []Sum
	for _, c := range calls {
		key := c.When.Local().Format(time.DateOnly)
		switch way {
		case "model":
			key = c.Provider + "/" + c.Model
			if c.Provider == "" {
				key = c.Model
			}
		case "project":
			key = c.Project
		case "purpose":
			key = cmp.Or(c.For, Work)
		}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, Sum{Key: key})
		}
		out[i].Add(c)
	}
	sorting.StableBy(out, func(a, b Sum) int {
		if way == "day" {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.USD, a.USD), cmp.Compare(b.Input+b.Output, a.Input+a.Output), cmp.Compare(a.Key, b.Key))
	})
	return out, nil
}
