package search

// gram is one to three bytes of text that stand next to each other. The shorter ones
// are told apart by a byte that is in no UTF-8.
type gram uint32

func gram3(a, b, c byte) gram { return gram(a)<<16 | gram(b)<<8 | gram(c) }

func gram2(a, b byte) gram { return gram3(0xff, a, b) }

func gram1(a byte) gram { return gram3(0xff, 0xff, a) }

// gramsOf is what a text that holds word has: all of its three letters, or, where it
// has no three, itself.
func gramsOf(word string) []gram {
	switch len(word) {
	case 0:
		return nil
	case 1:
		return []gram{gram1(word[0])}
	case 2:
		return []gram{gram2(word[0], word[1])}
	}
	out := make([]gram, len(word)-2)
	for i := range out {
		out[i] = gram3(word[i], word[i+1], word[i+2])
	}
	return out
}

// rows is where a gram stands in an index of 1<<bits rows. A part of 32 KB of code holds
// some 7,000 grams, which set every fourth of 65,536 rows: of the parts that do not have
// a gram one in fifty seems to. Where a gram had one row it were one in eight.
func (g gram) rows(bits uint32) [3]int {
	x := uint64(g+1) * 0x9e3779b97f4a7c15
	y := (x ^ x>>32) * 0xd6e8feb86659fd93
	mask := uint64(1)<<bits - 1
	return [3]int{int(x >> 48 & mask), int(y >> 48 & mask), int(y >> 32 & mask)}
}

// set is the grams of one part: its column of the rows.
type set [1 << mostBits / 8]byte

func (s *set) put(g gram) {
	for _, h := range g.rows(mostBits) {
		s[h>>3] |= 1 << (h & 7)
	}
}

// adder adds texts to the set of a part. It remembers the pairs that were there: they
// come again all the time.
type adder struct {
	to    *set
	seen  [1 << 16 / 64]uint64
	alone [256]bool
}

func (a *adder) add(text string) {
	for i := range len(text) {
		if c := text[i]; !a.alone[c] {
			a.alone[c] = true
			a.to.put(gram1(c))
		}
		if i+1 == len(text) {
			break
		}
		if pair := uint(text[i])<<8 | uint(text[i+1]); a.seen[pair>>6]&(1<<(pair&63)) == 0 {
			a.seen[pair>>6] |= 1 << (pair & 63)
			a.to.put(gram2(text[i], text[i+1]))
		}
		if i+2 < len(text) {
			a.to.put(gram3(text[i], text[i+1], text[i+2]))
		}
	}
}
