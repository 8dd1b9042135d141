package tools

import (
	"strings"

	"forge/sorting"
	"forge/spell"
)

// Nearest returns at most n of known that a person or a model may have meant by
// word, best first: those that differ in case or punctuation alone, hold it as a
// part, or are a few letters away.
func Nearest(word string, known []string, n int) []string {
	type scored struct {
		name  string
		score int
	}
	var found []scored
	w := plain(word)
	for _, k := range known {
		p := plain(k)
		score := spell.Distance(w, p)
		switch {
		case w == p:
			score = -1
		case min(len(w), len(p)) >= 3 && (strings.Contains(p, w) || strings.Contains(w, p)):
			score = min(score, 1)
		}
		if score <= max(1, min(len(w), len(p))/3) {
			found = append(found, scored{k, score})
		}
	}
	sorting.StableBy(found, func(a, b scored) int { return a.score - b.score })
	var names []string
	for _, f := range found[:min(max(n, 0), len(found))] {
		names = append(names, f.name)
	}
	return names
}

func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', ' ':
			return -1
		}
		return r
	}, strings.ToLower(s))
}
