package search

// A wild is one pattern of an ignore file after its literal prefix, compiled.
// Its meaning is that of git's wildmatch, byte by byte: * and ? and classes stop
// at a slash, ** crosses it where it stands alone between slashes.
type wild struct {
	toks []tok
	bad  bool // an open class or a lone backslash at the end: matches nothing
}

type tokKind uint8

const (
	tokLit   tokKind = iota // the byte lit
	tokClass                // a byte in set
	tokStar                 // any bytes but a slash
	tokDeep                 // any bytes
	tokDirs                 // nothing, or any bytes that end in a slash: the **/ of a/**/b
)

type tok struct {
	kind tokKind
	lit  byte
	set  *byteSet
}

type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) remove(c byte)   { s[c>>6] &^= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s *byteSet) addRange(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s.add(byte(c))
	}
}

// compileWild compiles p. With fold, ASCII letters match in either case.
func compileWild(p string, fold bool) wild {
	var w wild
	lit := func(c byte) {
		if fold && isLetter(c) {
			set := new(byteSet)
			set.add(c | 0x20)
			set.add(c &^ 0x20)
			w.toks = append(w.toks, tok{kind: tokClass, set: set})
			return
		}
		w.toks = append(w.toks, tok{kind: tokLit, lit: c})
	}
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '\\':
			if i+1 == len(p) {
				return wild{bad: true}
			}
			lit(p[i+1])
			i += 2
		case '?':
			set := &byteSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
			set.remove('/')
			w.toks = append(w.toks, tok{kind: tokClass, set: set})
			i++
		case '[':
			set, n := compileClass(p[i:], fold)
			if n == 0 {
				return wild{bad: true}
			}
			w.toks = append(w.toks, tok{kind: tokClass, set: set})
			i += n
		case '*':
			from := i
			for i < len(p) && p[i] == '*' {
				i++
			}
			rest := p[i:]
			alone := (from == 0 || p[from-1] == '/') &&
				(rest == "" || rest[0] == '/' || len(rest) > 1 && rest[0] == '\\' && rest[1] == '/')
			switch {
			case i-from < 2 || !alone:
				w.toks = append(w.toks, tok{kind: tokStar})
			case rest != "" && rest[0] == '/':
				w.toks = append(w.toks, tok{kind: tokDirs})
				i++
			default:
				w.toks = append(w.toks, tok{kind: tokDeep})
			}
		default:
			lit(c)
			i++
		}
	}
	return w
}

// compileClass compiles the class p begins with and gives its length; 0 if it
// has no end or names a class nobody knows.
func compileClass(p string, fold bool) (*byteSet, int) {
	set := new(byteSet)
	i, not := 1, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		not = true
		i++
	}
	prev, ranged := byte(0), false // ranged: prev may begin a range
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0
		}
		c := p[i]
		switch {
		case c == ']' && !first:
			if fold {
				for l := byte('a'); l <= 'z'; l++ {
					if set.has(l) || set.has(l-0x20) {
						set.add(l)
						set.add(l - 0x20)
					}
				}
			}
			if not {
				for k := range set {
					set[k] = ^set[k]
				}
			}
			set.remove('/')
			return set, i + 1
		case c == '\\':
			if i+1 >= len(p) {
				return nil, 0
			}
			set.add(p[i+1])
			prev, ranged = p[i+1], true
			i += 2
		case c == '-' && ranged && i+1 < len(p) && p[i+1] != ']':
			hi, n := p[i+1], 2
			if hi == '\\' {
				if i+2 >= len(p) {
					return nil, 0
				}
				hi, n = p[i+2], 3
			}
			set.addRange(prev, hi)
			ranged = false
			i += n
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			end := i + 2
			for end < len(p) && p[end] != ']' {
				end++
			}
			if end == len(p) {
				return nil, 0
			}
			if end-1 < i+2 || p[end-1] != ':' {
				set.add('[') // no ":]": an ordinary bracket
				prev, ranged = '[', true
				i++
				break
			}
			if !addNamed(set, p[i+2:end-1]) {
				return nil, 0
			}
			ranged = false
			i = end + 1
		default:
			set.add(c)
			prev, ranged = c, true
			i++
		}
	}
}

func addNamed(set *byteSet, name string) bool {
	switch name {
	case "alpha":
		set.addRange('a', 'z')
		set.addRange('A', 'Z')
	case "digit":
		set.addRange('0', '9')
	case "alnum":
		set.addRange('a', 'z')
		set.addRange('A', 'Z')
		set.addRange('0', '9')
	case "upper":
		set.addRange('A', 'Z')
	case "lower":
		set.addRange('a', 'z')
	case "xdigit":
		set.addRange('0', '9')
		set.addRange('a', 'f')
		set.addRange('A', 'F')
	case "space":
		set.addRange('\t', '\r')
		set.add(' ')
	case "blank":
		set.add(' ')
		set.add('\t')
	case "cntrl":
		set.addRange(0, 0x1f)
		set.add(0x7f)
	case "print":
		set.addRange(' ', '~')
	case "graph":
		set.addRange('!', '~')
	case "punct":
		set.addRange('!', '/')
		set.addRange(':', '@')
		set.addRange('[', '`')
		set.addRange('{', '~')
	default:
		return false
	}
	return true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// match says whether w matches the whole of s. It keeps one way back into the
// last star and one into the last **: a star's earliest match is always as good
// as a later one, so nothing older is needed and the cost is at most
// len(s) x len(pattern).
func (w *wild) match(s string) bool {
	if w.bad {
		return false
	}
	t, i := 0, 0
	starT, starI := -1, 0 // go on at token starT after one byte more
	deepT, deepI := -1, 0
	dirs := false // the last ** was a **/: it ends only after a slash
	for {
		if t < len(w.toks) {
			k := &w.toks[t]
			switch k.kind {
			case tokStar:
				t++
				starT, starI = t, i
				continue
			case tokDeep, tokDirs:
				t++
				deepT, deepI, dirs = t, i, k.kind == tokDirs
				starT = -1
				continue
			case tokLit:
				if i < len(s) && s[i] == k.lit {
					t++
					i++
					continue
				}
			case tokClass:
				if i < len(s) && k.set.has(s[i]) {
					t++
					i++
					continue
				}
			}
		} else if i == len(s) {
			return true
		}
		switch {
		case starT >= 0 && starI < len(s) && s[starI] != '/':
			starI++
			t, i = starT, starI
		case deepT >= 0 && deepI < len(s):
			deepI++
			if dirs {
				for deepI <= len(s) && s[deepI-1] != '/' {
					deepI++
				}
				if deepI > len(s) {
					return false
				}
			}
			t, i, starT = deepT, deepI, -1
		default:
			return false
		}
	}
}
