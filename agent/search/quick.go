package search

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A part that may hold the words is looked through as it lies in the file before a line
// of it is decoded. Most of that is one pass that makes ASCII letters small, and a
// search for bytes.

// lower is text with its ASCII letters small, written over dst: as long as text, so
// that what stands at a place in the one stands there in the other.
func lower(dst, text []byte) []byte {
	dst = room(dst, len(text))
	for i, c := range text {
		dst[i] = small[c]
	}
	return dst
}

var small = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if c := byte(i); 'A' <= c && c <= 'Z' {
			t[i] = c | 0x20
		}
	}
	return t
}()

// plain is the longest piece of a word in lower case that stands in lower of a text
// wherever the word does: ASCII, and characters that have no other case.
func plain(word string) string {
	best, from := "", 0
	for i, r := range word {
		if r < utf8.RuneSelf || unicode.SimpleFold(r) == r {
			continue
		}
		best = longer(best, word[from:i])
		from = i + utf8.RuneLen(r)
	}
	return longer(best, word[from:])
}

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

// wide are the characters beyond ASCII whose small form is within.
var wide = map[byte][]byte{'i': []byte("\u0130"), 'k': []byte("\u212a")}

// mayBeIn reports whether a text, of which low is lower, may hold every word. Only its
// no is certain.
func (p *pattern) mayBeIn(text, low []byte) bool {
	for _, w := range p.words {
		if w.raw && !w.mayBeAmong(text, low) {
			return false
		}
	}
	return true
}

func (w word) mayBeAmong(text, low []byte) bool {
	for _, f := range w.plain {
		if f == "" || bytes.Contains(low, []byte(f)) {
			return true
		}
		for c, also := range wide {
			if strings.IndexByte(f, c) >= 0 && bytes.Contains(text, also) {
				return true
			}
		}
	}
	return false
}
