package search

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// What a word spelled a little otherwise shares with one of a dozen letters may be three
// of them, and each part of each session has those. So an index keeps the words of its
// session as well, those that are neither long nor numbers: the spellings that are there
// are looked up first, and then for these as they are.

const (
	leastWord  = 5 // letters; shorter ones are not looked up
	mostWord   = 32
	mostDigits = 2 // more are no word: hashes, dates
)

// lexicon is the words of a session: by their length, one behind the other, in order.
type lexicon [mostWord - leastWord + 1][]byte

// vocabulary is a lexicon that is being made.
type vocabulary map[string]struct{}

// add takes the words of a text in lower case.
func (v vocabulary) add(text string) {
	from, digits := 0, 0
	for i := 0; ; i++ {
		if i < len(text) && wordByte(text[i]) {
			if text[i] <= '9' {
				digits++
			}
			continue
		}
		if n := i - from; n >= leastWord && n <= mostWord && digits <= mostDigits {
			if _, ok := v[text[from:i]]; !ok {
				v[strings.Clone(text[from:i])] = struct{}{} // or all of the text would be kept
			}
		}
		if i >= len(text) {
			return
		}
		from, digits = i+1, 0
	}
}

// keep takes the words that were there before.
func (v vocabulary) keep(x lexicon) {
	for i, words := range x {
		for n := leastWord + i; len(words) >= n; words = words[n:] {
			v[string(words[:n])] = struct{}{}
		}
	}
}

func (v vocabulary) lexicon() (x lexicon) {
	for _, w := range slices.Sorted(maps.Keys(v)) {
		x[len(w)-leastWord] = append(x[len(w)-leastWord], w...)
	}
	return x
}

func (x lexicon) size() (n int) {
	for _, words := range x {
		n += 4 + len(words)
	}
	return n
}

func (x lexicon) append(b []byte) []byte {
	for _, words := range x {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(words)))
	}
	for _, words := range x {
		b = append(b, words...)
	}
	return b
}

// readLexicon reads what append wrote; what stands behind it comes back.
func readLexicon(b []byte) (x lexicon, rest []byte, err error) {
	if len(b) < 4*len(x) {
		return x, nil, errBroken
	}
	rest = b[4*len(x):]
	for i := range x {
		n := binary.LittleEndian.Uint32(b[4*i:])
		if uint64(n) > uint64(len(rest)) || int(n)%(leastWord+i) != 0 {
			return x, nil, errBroken
		}
		x[i], rest = rest[:n:n], rest[n:]
	}
	return x, rest, nil
}

// listed reports whether a lexicon has all words that are near w.
func (w word) listed() bool {
	for i := range len(w.text) {
		if !wordByte(w.text[i]) {
			return false
		}
	}
	n := len(w.text)
	return w.edits > 0 && n-w.edits >= leastWord && n+w.edits <= mostWord && digits(w.text)+w.edits <= mostDigits
}

// digits counts those of a text.
func digits(text string) (n int) {
	for i := range len(text) {
		if '0' <= text[i] && text[i] <= '9' {
			n++
		}
	}
	return n
}

// near returns the words that are near w, which is listed.
func (x lexicon) near(w word) []string {
	letters := lettersOf(w.text)
	var out []string
	for n := len(w.text) - w.edits; n <= len(w.text)+w.edits; n++ {
		for words := x[n-leastWord]; len(words) >= n; words = words[n:] {
			have := uint32(0)
			for _, c := range words[:n] {
				have |= letterBit(c)
			}
			if bits.OnesCount32(have^letters) <= 2*w.edits && near(string(words[:n]), w.text, w.edits) {
				out = append(out, string(words[:n]))
			}
		}
	}
	return out
}

func lettersOf(s string) (letters uint32) {
	for i := range len(s) {
		letters |= letterBit(s[i])
	}
	return letters
}
