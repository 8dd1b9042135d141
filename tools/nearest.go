package tools

import (
	"slices"
	"strings"
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
		score := distance(w, p)
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
	slices.SortStableFunc(found, func(a, b scored) int { return a.score - b.score })
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

// distance counts the letters to insert, drop, replace or swap with their
// neighbour between a and b. Long words are as far apart as they are long: nobody
// mistypes one into another.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return max(len(x), len(y))
	}
	var before, last []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before, last, row = last, row, make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			same := 1
			if x[i] == y[j] {
				same = 0
			}
			row[j+1] = min(last[j]+same, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(y)]
}
