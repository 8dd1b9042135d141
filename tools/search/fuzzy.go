package search

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// catalog is a list of paths, prepared to be searched by a few letters at every
// keystroke: in lower case, and with the set of letters that each has, so that most are
// passed over by one comparison.
type catalog struct {
	paths []string
	low   []string // the same string where there is nothing to lower
	sets  []uint64
	base  []int32 // where the last name begins
}

func newCatalog(paths []string) *catalog {
	c := &catalog{paths: paths, low: make([]string, len(paths)), sets: make([]uint64, len(paths)), base: make([]int32, len(paths))}
	for i, p := range paths {
		c.low[i] = strings.ToLower(p)
		if len(c.low[i]) != len(p) { // offsets are to be the same in both
			c.low[i] = p
		}
		c.sets[i] = letters(c.low[i])
		c.base[i] = int32(strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/') + 1)
	}
	return c
}

// places finds where some paths stand; -1: nowhere.
func (c *catalog) places(paths []string) map[string]int32 {
	at := make(map[string]int32, len(paths))
	for _, p := range paths {
		at[p] = -1
	}
	if len(at) == 0 {
		return at
	}
	for i, p := range c.paths {
		if _, ok := at[p]; ok {
			at[p] = int32(i)
		}
	}
	return at
}

// letters is the set of characters in a text, some of which share a bit.
func letters(s string) (set uint64) {
	for i := 0; i < len(s); {
		r := rune(s[i])
		size := 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case r >= 'a' && r <= 'z':
			set |= 1 << (r - 'a')
		case r >= '0' && r <= '9':
			set |= 1 << (26 + r - '0')
		default:
			set |= 1 << (36 + r%28)
		}
		i += size
	}
	return set
}

// match is a path that has the letters of a query, and how well.
type match struct {
	score int32
	at    int32
}

// before orders matches: the better first, then as the paths stand in the list.
func (m match) before(o match) bool { return m.score > o.score || m.score == o.score && m.at < o.at }

// find returns the n best matches of a query, the best first; bonus is added to the
// score of a path where it stands in the list. It ends early with ctx, and has nothing
// then.
func (c *catalog) find(ctx context.Context, query string, n int, bonus map[int32]int32) []match {
	low := strings.ToLower(query)
	if n <= 0 || low == "" {
		return nil
	}
	set := letters(low)
	workers := min(runtime.GOMAXPROCS(0), 1+len(c.paths)/4096)
	part := (len(c.paths) + workers - 1) / workers
	found := make([][]match, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			best := top{most: n}
			for i := w * part; i < min((w+1)*part, len(c.paths)); i++ {
				if i&1023 == 0 && ctx.Err() != nil {
					return
				}
				if c.sets[i]&set != set {
					continue
				}
				if score, ok := c.score(i, query, low); ok {
					best.add(match{score + bonus[int32(i)], int32(i)})
				}
			}
			found[w] = best.ms
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil
	}
	all := slices.Concat(found...)
	slices.SortFunc(all, func(a, b match) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return all[:min(n, len(all))]
}

// top keeps the best of what is added, in no order.
type top struct {
	most  int
	ms    []match
	worst int // of ms, once it is full
}

func (t *top) add(m match) {
	if len(t.ms) < t.most {
		if t.ms = append(t.ms, m); len(t.ms) == t.most {
			t.findWorst()
		}
		return
	}
	if m.before(t.ms[t.worst]) {
		t.ms[t.worst] = m
		t.findWorst()
	}
}

func (t *top) findWorst() {
	t.worst = 0
	for i := range t.ms {
		if t.ms[t.worst].before(t.ms[i]) {
			t.worst = i
		}
	}
}

// What a match is worth. A letter that begins a word counts more than one inside, and
// a run of letters more than the same ones apart; a match in the last name is what
// people mean most.
const (
	perLetter  = 16
	wordStart  = 10
	inARow     = 12
	sameCase   = 2
	inBase     = 60
	wholeBase  = 80 // the last name is the query, with or without its extension
	baseStart  = 40
	perGap     = 1
	mostGaps   = 40
	perExtra   = 8 // characters of the path for one point less
	recentBest = 120
)

// score says how well path i fits, and whether it has the query's letters in their
// order at all.
func (c *catalog) score(i int, query, low string) (int32, bool) {
	p, l, base := c.paths[i], c.low[i], int(c.base[i])
	best, ok := 0, false
	if strings.IndexByte(low, '/') < 0 { // one name was written: it is looked for in the last one first
		if s, in := fit(p[base:], l[base:], query, low); in {
			best, ok = s+inBase, true
			name := strings.TrimSuffix(l[base:], "/")
			switch {
			case name == low, strings.HasPrefix(name, low) && strings.LastIndexByte(name, '.') == len(low):
				best += wholeBase
			case strings.HasPrefix(name, low):
				best += baseStart
			}
		}
	}
	if !ok {
		if best, ok = fit(p, l, query, low); !ok {
			return 0, false
		}
	}
	return int32(best - len(p)/perExtra), true
}

// fit scores the shortest place, from the left, that has the letters of low in order.
func fit(p, l, query, low string) (int, bool) {
	if at := strings.Index(l, low); at >= 0 { // as it stands; at the beginning of a word, if it does that anywhere
		for next := at; !startsWord(p, at) && next >= 0; {
			if next = strings.Index(l[at+1:], low); next >= 0 {
				at += 1 + next
			}
		}
		if !startsWord(p, at) {
			at = strings.Index(l, low)
		}
		return points(p, l, query, low, at), true
	}
	end := 0
	for j := 0; j < len(low); {
		_, size := utf8.DecodeRuneInString(low[j:])
		k := strings.Index(l[end:], low[j:j+size])
		if k < 0 {
			return 0, false
		}
		end += k + size
		j += size
	}
	// Back from there, so that what is apart by chance is not counted as the match.
	at := end
	for j := len(low); j > 0; {
		_, size := utf8.DecodeLastRuneInString(low[:j])
		at = strings.LastIndex(l[:at], low[j-size:j])
		j -= size
	}
	return points(p, l, query, low, at), true
}

// points counts a match that begins at an offset.
func points(p, l, query, low string, at int) int {
	sum, gaps, last := 0, 0, -1
	for j := 0; j < len(low); {
		_, size := utf8.DecodeRuneInString(low[j:])
		k := at + strings.Index(l[at:], low[j:j+size])
		sum += perLetter
		if startsWord(p, k) {
			sum += wordStart
		}
		switch {
		case last == k:
			sum += inARow
		case last >= 0:
			gaps += k - last
		}
		if len(query) == len(low) && query[j] != low[j] && p[k] == query[j] {
			sum += sameCase
		}
		at = k + size
		last = at
		j += size
	}
	return sum - min(gaps, mostGaps)*perGap
}

// startsWord reports whether a word begins at an offset: behind a mark, or where small
// letters turn into a capital.
func startsWord(p string, at int) bool {
	if at == 0 {
		return true
	}
	switch before := p[at-1]; before {
	case '/', '.', '_', '-', ' ':
		return true
	default:
		if p[at] >= utf8.RuneSelf || before >= utf8.RuneSelf {
			return p[at] >= utf8.RuneSelf != (before >= utf8.RuneSelf)
		}
		return unicode.IsUpper(rune(p[at])) && !unicode.IsUpper(rune(before))
	}
}
