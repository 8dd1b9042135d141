package search

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/lazy"
)

// A part that may hold the words is looked through as it lies in the file before a line
// of it is decoded. Most of that is one pass that makes ASCII letters small, and a
// search for bytes.

// lower is text with its ASCII letters small, written over dst: as long as text, so
// that what stands at a place in the one stands there in the other. It takes eight
// bytes at a time: this is most of what a search costs.
func lower(dst, text []byte) []byte {
	const each = 0x0101010101010101
	dst = room(dst, len(text))
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		seven := x & (0x7f * each)
		upper := (seven + (0x80-'A')*each) &^ (seven + (0x7f-'Z')*each) &^ x & (0x80 * each)
		binary.LittleEndian.PutUint64(dst[i:], x|upper>>2)
	}
	for ; i < len(text); i++ {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst[i] = c
	}
	return dst
}

// plain is the longest piece of a word in lower case that stands in lower of a text
// wherever the word does: ASCII, and characters that have no other case.
func plain(word string) quick {
	best, from := "", 0
	for i, r := range word {
		if r < utf8.RuneSelf || unicode.SimpleFold(r) == r {
			continue
		}
		best = longer(best, word[from:i])
		from = i + utf8.RuneLen(r)
	}
	return quickly(longer(best, word[from:]))
}

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

// quick is a text to look for, and the place in it of a byte that is rare.
type quick struct {
	text string
	rare int
}

// often is the bytes of code and prose, the most frequent first.
const often = " etainosrlcdupm\".fhg()_,b:=vyk/*w{}x-[]0q1jz;2"

func quickly(text string) quick {
	q := quick{text: text}
	rarest := -1
	for i := range len(text) {
		n := strings.IndexByte(often, text[i])
		if n < 0 {
			n = len(often)
		}
		if n > rarest {
			q.rare, rarest = i, n
		}
	}
	return q
}

// in is bytes.Contains, several times as fast where text begins like many words.
func (q quick) in(b []byte) bool {
	if len(q.text) < 2 {
		return bytes.Contains(b, []byte(q.text))
	}
	last := len(b) - len(q.text)
	misses := 0
	for i := 0; i <= last; i++ {
		n := bytes.IndexByte(b[i+q.rare:last+q.rare+1], q.text[q.rare])
		if n < 0 {
			return false
		}
		if i += n; string(b[i:i+len(q.text)]) == q.text {
			return true
		}
		if misses++; misses > 16+i>>5 { // it is not rare here
			return bytes.Contains(b[i:], []byte(q.text))
		}
	}
	return false
}

// wide are the characters beyond ASCII whose small form is within.
var wide = lazy.Value[map[byte][]byte]{Of: func() map[byte][]byte {
	return map[byte][]byte{'i': []byte("\u0130"), 'k': []byte("\u212a")}
}}

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
		if f.in(low) {
			return true
		}
		for c, also := range wide.Get() {
			if strings.IndexByte(f.text, c) >= 0 && bytes.Contains(text, also) {
				return true
			}
		}
	}
	return false
}
