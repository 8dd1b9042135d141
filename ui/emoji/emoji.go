// Package emoji finds emoji by the names they have on GitHub, by words that go with them,
// and by their Chinese names.
//
// It owns a table, emoji.tsv: the emoji, its names, other words, its Chinese name. The
// names and words are those of github.com/github/gemoji 4.1.0 (MIT), the Chinese names
// those of the Unicode CLDR as github.com/carpedm20/emoji has them. Nothing is read before
// somebody asks. The screen and the lines call it, from any goroutine.
package emoji

import (
	_ "embed"
	"slices"
	"strings"

	"forge/sorting"

	"github.com/sahilm/fuzzy"
)

//go:embed emoji.tsv
var table string

// Emoji is one of them.
type Emoji struct {
	Sign    string // the characters
	Name    string // its first name, without colons
	Chinese string
	others  string // further names and words, parted by blanks
}

// Find returns at most n emoji that fit what was written of a name, best first: names that
// begin with it, then words of names and words that go with them, then any part of a name,
// last names that hold its letters in their order. Case does not count.
func Find(query string, n int) []Emoji {
	query = strings.ToLower(query)
	if query == "" || n < 1 {
		return nil
	}
	var ranks [5][]Emoji
	var rest []Emoji
	for e := range all {
		if r := e.rank(query); r < len(ranks) {
			ranks[r] = append(ranks[r], e)
		} else {
			rest = append(rest, e)
		}
	}
	for i := range ranks[1:4] { // the name that says least beside what was asked for comes first
		sorting.StableBy(ranks[i+1], func(a, b Emoji) int { return len(a.Name) - len(b.Name) })
	}
	found := slices.Concat(ranks[:]...)
	if len(found) < n && len(query) > 2 {
		found = append(found, scattered(query, rest)...)
	}
	return found[:min(n, len(found))]
}

// scattered are those whose name begins with the first letter of the query and holds the
// others behind it: a letter left out is forgiven, and nothing is offered for a word that
// is of something else.
func scattered(query string, list []Emoji) (found []Emoji) {
	var names []string
	var of []Emoji
	for _, e := range list {
		if e.Name[0] == query[0] {
			names, of = append(names, e.Name), append(of, e)
		}
	}
	for _, m := range fuzzy.Find(query, names) {
		if at := m.MatchedIndexes; at[len(at)-1] < 2*len(query) {
			found = append(found, of[m.Index])
		}
	}
	return found
}

// Named is the emoji with a name; ok is false where there is none.
func Named(name string) (sign string, ok bool) {
	for e := range all {
		names, _, _ := strings.Cut(e.others, "\t")
		if e.Name == name || slices.Contains(strings.Fields(names), name) {
			return e.Sign, true
		}
	}
	return "", false
}

// rank is how well a query fits; 5: it does not.
func (e Emoji) rank(query string) int {
	names := strings.Replace(e.others, "\t", " ", 1)
	switch {
	case e.Name == query || e.Chinese == query:
		return 0
	case strings.HasPrefix(e.Name, query) || strings.HasPrefix(e.Chinese, query):
		return 1
	case strings.HasPrefix(names, query) || strings.Contains(names, " "+query):
		return 2
	case strings.Contains(e.Name, "_"+query):
		return 3
	case strings.Contains(e.Name, query) || strings.Contains(e.Chinese, query):
		return 4
	}
	return 5
}

// all goes through the table. In others further names stand before a tab, words behind it.
func all(yield func(Emoji) bool) {
	for line := range strings.Lines(table) {
		sign, line, _ := strings.Cut(line, "\t")
		names, line, _ := strings.Cut(line, "\t")
		words, chinese, _ := strings.Cut(line, "\t")
		name, more, _ := strings.Cut(names, " ")
		if !yield(Emoji{sign, name, strings.TrimSpace(chinese), more + "\t" + words}) {
			return
		}
	}
}
