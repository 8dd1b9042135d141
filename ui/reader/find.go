// Package reader works on text that is read on the screen: it finds words in it,
// paints what was found or chosen over rows that have colours already, tells which
// part of a source some rows show, and takes code out of markdown.
//
// It owns no state; every function is a pure one of its arguments. Package ui calls
// it from the UI goroutine, with text that went through ui/safe before.
package reader

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"forge/ui/safe"
	"forge/ui/theme"
)

// Span is a part of a text, in bytes: From is in it, To is not.
type Span struct{ From, To int }

// Query is what is looked for. The zero Query finds nothing.
type Query struct {
	words string
	exact bool // it has a capital, so capitals count; the habit of vim's smartcase
}

// NewQuery looks for words as they stand; capitals count once there is one.
func NewQuery(words string) Query {
	exact := strings.ContainsFunc(words, unicode.IsUpper)
	if !exact {
		words = lower(words)
	}
	return Query{words, exact}
}

// Empty reports whether there is nothing to look for.
func (q Query) Empty() bool { return q.words == "" }

// String is the words that are looked for.
func (q Query) String() string { return q.words }

// Find returns where the words stand in text, in order and without overlaps.
func (q Query) Find(text string) []Span {
	if q.words == "" {
		return nil
	}
	if !q.exact {
		text = lower(text)
	}
	var out []Span
	for at := 0; ; {
		i := strings.Index(text[at:], q.words)
		if i < 0 {
			return out
		}
		out = append(out, Span{at + i, at + i + len(q.words)})
		at += i + len(q.words)
	}
}

// lower is strings.ToLower for searching: every byte stays where it is, so a letter
// whose small one is longer or shorter is left alone.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); r != utf8.RuneError && utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Highlight paints every place of the words in a row that may have looks, the nth with
// another style: the one that is looked at. A negative nth is none.
func Highlight(row string, q Query, style theme.Style, nth int, at theme.Style) string {
	if q.Empty() {
		return row
	}
	plain := ansi.Strip(row)
	spans := q.Find(plain)
	for i := len(spans) - 1; i >= 0; i-- {
		look := style
		if i == nth {
			look = at
		}
		from := safe.Width(plain[:spans[i].From])
		row = Paint(row, from, from+safe.Width(plain[spans[i].From:spans[i].To]), look)
	}
	return row
}

// Paint gives the cells from (included) to (excluded) to of a row another look.
func Paint(row string, from, to int, style theme.Style) string {
	from = max(0, from)
	if to <= from {
		return row
	}
	mid := ansi.Strip(safe.Cut(row, from, to))
	if mid == "" {
		return row
	}
	return safe.Truncate(row, from, "") + style.Apply(mid) + safe.Skip(row, to)
}

// Hits is where the words stand in a list of texts.
type Hits struct {
	at []Hit
}

// Hit is one place: the text, and which of its places this is.
type Hit struct{ Text, Nth int }

// FindAll looks through n texts.
func FindAll(q Query, n int, text func(int) string) Hits {
	var h Hits
	for i := range n {
		for k := range q.Find(text(i)) {
			h.at = append(h.at, Hit{i, k})
		}
	}
	return h
}

// Len is how many places there are.
func (h Hits) Len() int { return len(h.at) }

// At is the i-th place.
func (h Hits) At(i int) Hit { return h.at[i] }

// From is the first place in text i or behind it; where there is none, the first.
func (h Hits) From(i int) int {
	k := sort.Search(len(h.at), func(k int) bool { return h.at[k].Text >= i })
	if k == len(h.at) {
		return 0
	}
	return k
}

// Until is the last place in text i or before it; where there is none, the last.
func (h Hits) Until(i int) int {
	k := sort.Search(len(h.at), func(k int) bool { return h.at[k].Text > i })
	if k == 0 {
		return len(h.at) - 1
	}
	return k - 1
}

// Blank puts blanks in the place of the first n cells of a row.
func Blank(row string, n int) string {
	return safe.Blanks(min(n, safe.Width(row))) + safe.Skip(row, n)
}
