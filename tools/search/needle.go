package search

import (
	"bytes"

	"forge/lazy"
)

// A needle is a literal, looked for by the byte of it that text holds least.
type needle struct {
	text   []byte // lower case where the pattern folds
	off    int    // of that byte
	lo, up byte   // it, and its other case where the pattern folds
}

// rank orders bytes by how often sources and prose hold them, roughly: the
// higher, the commoner. What is not named is rare.
var rank = lazy.Value[[256]uint8]{Of: func() [256]uint8 {
	return ranks("zqjxkvbwygpfmhducl_.()\n\"srnioate ")
}}

func ranks(rareFirst string) (r [256]uint8) {
	for i := range r {
		r[i] = 10
	}
	for i := range len(rareFirst) {
		r[rareFirst[i]] = uint8(40 + 5*i)
	}
	for c := 'A'; c <= 'Z'; c++ {
		r[c] = 35
	}
	for c := '0'; c <= '9'; c++ {
		r[c] = 60
	}
	return r
}

func newNeedle(s string, fold bool) needle {
	cost := func(c byte) int {
		n := int(rank.Get()[c])
		if fold && isLetter(c) {
			n += int(rank.Get()[c&^0x20])
		}
		return n
	}
	n := needle{text: []byte(s)}
	for i := range n.text {
		if cost(n.text[i]) < cost(n.text[n.off]) {
			n.off = i
		}
	}
	n.lo = n.text[n.off]
	n.up = n.lo
	if fold && isLetter(n.lo) {
		n.up = n.lo &^ 0x20
	}
	return n
}

// A cursor finds a pattern's needles in one text from left to right. It keeps
// where each was seen next, so that a needle that is rare is not looked for again
// at every hit of one that is not.
type cursor struct {
	p    *pattern
	text []byte
	seen []sight
}

// A sight is where one needle begins next, and where its rarest byte stands next
// in either case; none: nowhere, unknown: not looked yet.
type sight struct{ at, lo, up int }

const (
	none    = -1
	unknown = -2
)

func (c *cursor) reset(p *pattern, text []byte) {
	c.p, c.text = p, text
	c.seen = c.seen[:0]
	for range p.needles {
		c.seen = append(c.seen, sight{unknown, unknown, unknown})
	}
}

// next finds where the first needle at or after i begins; -1: there is none.
func (c *cursor) next(i int) int {
	best := none
	for k := range c.seen {
		s := &c.seen[k]
		if s.at != none && s.at < i {
			if c.p.fold {
				s.at = c.findFold(&c.p.needles[k], s, i)
			} else {
				s.at = c.find(&c.p.needles[k], i)
			}
		}
		if s.at >= 0 && (best < 0 || s.at < best) {
			best = s.at
		}
	}
	return best
}

func (c *cursor) find(n *needle, i int) int {
	b := c.text
	for i += n.off; i < len(b); {
		k := bytes.IndexByte(b[i:], n.lo)
		if k < 0 {
			return none
		}
		s := i + k - n.off
		if s+len(n.text) > len(b) {
			return none
		}
		if string(b[s:s+len(n.text)]) == string(n.text) {
			return s
		}
		i += k + 1
	}
	return none
}

func (c *cursor) findFold(n *needle, seen *sight, i int) int {
	b := c.text
	for i += n.off; i < len(b); {
		at := sightOf(b, n.lo, &seen.lo, i)
		if n.up != n.lo {
			if up := sightOf(b, n.up, &seen.up, i); up >= 0 && (at < 0 || up < at) {
				at = up
			}
		}
		if at < 0 || at-n.off+len(n.text) > len(b) {
			return none
		}
		if equalFold(b[at-n.off:], n.text) {
			return at - n.off
		}
		i = at + 1
	}
	return none
}

// sightOf brings one cached position up to i.
func sightOf(b []byte, ch byte, seen *int, i int) int {
	if *seen != none && *seen < i {
		*seen = bytes.IndexByte(b[i:], ch)
		if *seen >= 0 {
			*seen += i
		}
	}
	return *seen
}

// equalFold says whether b begins with lower, which is in lower case; only ASCII
// letters fold.
func equalFold(b, lower []byte) bool {
	for j, y := range lower {
		x := b[j]
		if x-'A' < 26 {
			x += 0x20
		}
		if x != y {
			return false
		}
	}
	return true
}

// hasExotic says whether text holds ſ or the Kelvin sign, the two characters
// outside ASCII that are s and k to a match without case.
func hasExotic(text []byte) bool {
	return bytes.Contains(text, []byte("ſ")) || bytes.Contains(text, []byte("\u212a"))
}
