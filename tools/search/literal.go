package search

import (
	"regexp/syntax"
	"strings"
)

// What the literals of an expression are good for: a text without them is passed
// over at the speed of memory, and the expression sees candidate lines only.

const (
	maxNeedles   = 16 // more of them cost more than they save
	maxNeedleLen = 64
)

// lits is what is known of the texts an expression can match.
type lits struct {
	exact []string // if not nil: all of them, and there are no others
	need  []string // if not nil: each of them holds one of these
	fold  bool     // compare without case
}

// setNeedles chooses the needles of re; none are left if they would be no help.
func (p *pattern) setNeedles(re *syntax.Regexp) {
	l := literalsOf(re)
	best := l.best()
	if value(best) <= 0 {
		return
	}
	p.fold = l.fold
	for _, s := range best {
		if p.fold {
			s = asciiLower(s)
			p.exotic = p.exotic || strings.ContainsAny(s, "ks")
		}
		p.needles = append(p.needles, newNeedle(s, p.fold))
	}
	if len(best) > 1 || len(best[0]) > 1 || p.pure {
		return
	}
	if rank.Get()[best[0][0]] > 60 { // one common byte: most lines would be candidates
		p.needles = nil
	}
}

func (l lits) best() []string {
	if l.exact != nil && value(l.exact) >= value(l.need) {
		return l.exact
	}
	return l.need
}

// value tells how well a set of needles sorts out lines; 0: not at all.
func value(set []string) int {
	if len(set) == 0 || len(set) > maxNeedles {
		return 0
	}
	least := 1 << 20
	for _, s := range set {
		if s == "" {
			return 0
		}
		rare := 255
		for i := range len(s) {
			rare = min(rare, int(rank.Get()[s[i]]))
		}
		least = min(least, 40*min(len(s), 8)+255-rare)
	}
	return max(1, least-10*len(set))
}

func literalsOf(re *syntax.Regexp) lits {
	switch re.Op {
	case syntax.OpLiteral:
		return ofLiteral(re)
	case syntax.OpCharClass:
		n := 0
		for i := 0; i < len(re.Rune); i += 2 {
			n += int(re.Rune[i+1]-re.Rune[i]) + 1
		}
		if n == 0 || n > 4 {
			return lits{}
		}
		var l lits
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				l.exact = append(l.exact, string(r))
			}
		}
		return l
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return lits{exact: []string{""}}
	case syntax.OpCapture:
		return literalsOf(re.Sub[0])
	case syntax.OpPlus:
		l := literalsOf(re.Sub[0])
		return lits{need: l.best(), fold: l.fold}
	case syntax.OpQuest:
		if l := literalsOf(re.Sub[0]); l.exact != nil && len(l.exact) < maxNeedles {
			return lits{exact: append([]string{""}, l.exact...), fold: l.fold}
		}
	case syntax.OpConcat:
		return ofConcat(re.Sub)
	case syntax.OpAlternate:
		return ofAlternate(re.Sub)
	}
	return lits{}
}

func ofLiteral(re *syntax.Regexp) lits {
	s := string(re.Rune)
	if re.Flags&syntax.FoldCase == 0 {
		if len(s) > maxNeedleLen {
			return lits{need: []string{s[:maxNeedleLen]}}
		}
		return lits{exact: []string{s}}
	}
	plain, run := "", "" // the longest part in ASCII: only that folds byte by byte
	for _, r := range re.Rune {
		if r < 0x80 {
			run += string(r)
		} else {
			run = ""
		}
		if len(run) > len(plain) && len(run) <= maxNeedleLen {
			plain = run
		}
	}
	if plain == "" {
		return lits{}
	}
	if plain == s {
		return lits{exact: []string{s}, fold: true}
	}
	return lits{need: []string{plain}, fold: true}
}

func ofConcat(subs []*syntax.Regexp) lits {
	var out lits
	run := []string{""}
	whole := true // run is all there is so far
	keep := func(set []string) {
		if value(set) > value(out.need) {
			out.need = set
		}
	}
	for _, sub := range subs {
		l := literalsOf(sub)
		out.fold = out.fold || l.fold
		if l.exact != nil {
			if next := cross(run, l.exact); next != nil {
				run = next
				continue
			}
			keep(run)
			run, whole = l.exact, false
			continue
		}
		keep(run)
		keep(l.need)
		run, whole = []string{""}, false
	}
	if whole {
		return lits{exact: run, fold: out.fold}
	}
	keep(run)
	return out
}

// cross is every a followed by every b; nil if that is too much.
func cross(as, bs []string) []string {
	if len(as)*len(bs) > maxNeedles {
		return nil
	}
	out := make([]string, 0, len(as)*len(bs))
	for _, a := range as {
		for _, b := range bs {
			if len(a)+len(b) > maxNeedleLen {
				return nil
			}
			out = append(out, a+b)
		}
	}
	return out
}

func ofAlternate(subs []*syntax.Regexp) lits {
	exact := true
	var out lits
	var all []string
	for _, sub := range subs {
		l := literalsOf(sub)
		out.fold = out.fold || l.fold
		set := l.exact
		if set == nil {
			exact = false
			if set = l.need; set == nil {
				return lits{}
			}
		}
		all = append(all, set...)
	}
	if len(all) > maxNeedles {
		return lits{}
	}
	if exact {
		out.exact = all
	} else {
		out.need = all
	}
	return out
}

// asciiLower lowers ASCII letters and nothing else: other characters are
// compared byte by byte.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c-'A' < 26 {
			b[i] = c + 0x20
		}
	}
	return string(b)
}
