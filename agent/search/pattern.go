package search

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern is a query that was read.
type pattern struct {
	words []word
	near  bool
}

// word is one thing to find, in lower case.
type word struct {
	text  string
	raw   bool     // it stands in the file as it is
	edits int      // letters that may differ; 0: none
	forms []string // parts of it, or other spellings, one of which is there
	plain []quick  // of each form, what a quick look finds
}

func parse(text string) *pattern {
	p := &pattern{}
	for text = strings.ToLower(text); text != ""; {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		var w string
		if rest, ok := strings.CutPrefix(text, `"`); ok {
			w, text, _ = strings.Cut(rest, `"`)
		} else if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
			w, text = text[:i], text[i:]
		} else {
			w, text = text, ""
		}
		if w = strings.TrimSpace(w); w != "" {
			p.words = append(p.words, word{text: w, raw: !strings.ContainsFunc(w, escaped), forms: []string{w}})
		}
	}
	p.lay()
	return p
}

// lay makes the words ready for a quick look.
func (p *pattern) lay() {
	for i, w := range p.words {
		w.plain = make([]quick, len(w.forms))
		for j, f := range w.forms {
			w.plain[j] = plain(f)
		}
		p.words[i] = w
	}
}

// escaped reports runes that stand otherwise in JSON than in the text.
func escaped(r rune) bool {
	return r < 0x20 || r == '"' || r == '\\' || r == 0x2028 || r == 0x2029 || r == utf8.RuneError
}

// loosen lets words be spelled a little otherwise: one letter from six on, two from
// nine on, and two neighbours swapped or a letter left out in shorter ones. The
// more digits it has, the fewer letters may differ: hashes, dates and numbers are looked
// for as they are written, since one nearly like another is another. It reports whether
// there is such a word.
func (p *pattern) loosen() bool {
	p.near = false
	for i, w := range p.words {
		if strings.ContainsFunc(w.text, func(r rune) bool { return !letter(r) }) {
			continue
		}
		most := mostDigits - digits(w.text)
		n := len([]rune(w.text))
		switch {
		case most <= 0:
			continue
		case n >= 9:
			w.edits = min(2, most)
		case n >= 6:
			w.edits = 1
		case n >= 4 && len(w.text) == n:
			for j := range w.text {
				w.forms = append(w.forms, w.text[:j]+w.text[j+1:])
			}
			w.forms = append(w.forms, swapped(w.text)...)
			p.words[i], p.near = w, true
			continue
		default:
			continue
		}
		w.forms = nil
		rs := []rune(w.text)
		for k := range w.edits + 1 { // of so many pieces one is left whole
			w.forms = append(w.forms, string(rs[k*n/(w.edits+1):(k+1)*n/(w.edits+1)]))
		}
		for k := 1; k <= w.edits; k++ { // a swap across two pieces spoils both
			i := k * n / (w.edits + 1)
			w.forms = append(w.forms, swapped(w.text)[i-1])
		}
		p.words[i], p.near = w, true
	}
	p.lay()
	return p.near
}

// swapped is a word with each two neighbours swapped.
func swapped(s string) []string {
	var out []string
	rs := []rune(s)
	for i := 1; i < len(rs); i++ {
		rs[i-1], rs[i] = rs[i], rs[i-1]
		out = append(out, string(rs))
		rs[i-1], rs[i] = rs[i], rs[i-1]
	}
	return out
}

func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// at says where in a text, in lower case, the word stands.
func (w word) at(s string) (from, to int, ok bool) {
	if w.edits == 0 {
		for _, f := range w.forms {
			if i := strings.Index(s, f); i >= 0 {
				return i, i + len(f), true
			}
		}
		return 0, 0, false
	}
	if !w.mayBeIn(s) {
		return 0, 0, false
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !letter(r) {
			i += n
			continue
		}
		from = i
		for i < len(s) {
			if r, n = utf8.DecodeRuneInString(s[i:]); !letter(r) {
				break
			}
			i += n
		}
		if token := s[from:i]; w.mayBeIn(token) && near(token, w.text, w.edits) {
			return from, i, true
		}
	}
	return 0, 0, false
}

func (w word) mayBeIn(s string) bool {
	for _, f := range w.forms {
		if strings.Contains(s, f) {
			return true
		}
	}
	return false
}

// mayBeNear looks through a line as it lies in the file, quickly, for a word that
// may be near. Only what it says of a line without one is certain.
func (w word) mayBeNear(line []byte) bool {
	n, d := len(w.text), w.edits
	if strings.ContainsFunc(w.text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return true
	}
	letters := lettersOf(w.text)
	var have uint32
	from := 0 // of the word the scan is in
	for i := 0; ; i++ {
		if i < len(line) && wordByte(line[i]) {
			have |= letterBit(line[i])
			continue
		}
		// A letter that is another one is missing here and there.
		if size := i - from; size >= n-d && size <= n+d && bits.OnesCount32(have^letters) <= 2*d &&
			near(strings.ToLower(string(line[from:i])), w.text, d) {
			return true
		}
		if i >= len(line) {
			return false
		}
		if line[i] == '\\' { // an escape of JSON is no letter of the word behind it
			if i++; i < len(line) && line[i] == 'u' {
				i += 4
			}
		}
		from, have = i+1, 0
	}
}

// letterBit is one of 32 bits for a byte of a word, the same in either case.
func letterBit(c byte) uint32 { return 1 << ((c | 0x20) & 31) }

// wordByte reports the bytes that words of plain letters are made of.
func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || (c|0x20) >= 'a' && (c|0x20) <= 'z'
}

// near reports whether at most d letters differ, are missing, too many, or swapped
// with their neighbour.
func near(a, b string, d int) bool {
	if len(a)-len(b) > 4*d || len(b)-len(a) > 4*d {
		return false
	}
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > d || len(y)-len(x) > d {
		return false
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before, last, row = last, row, before
		row[0] = i + 1
		best := row[0]
		for j := range y {
			cost := last[j]
			if x[i] != y[j] {
				cost++
			}
			cost = min(cost, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				cost = min(cost, before[j-1]+1)
			}
			row[j+1] = cost
			best = min(best, cost)
		}
		if best > d {
			return false
		}
	}
	return row[len(y)] <= d
}
