package markdown

import (
	"unicode"
	"unicode/utf8"
)

// delim reads a run of emphasis marks: whether it may open or close is told by
// its neighbours.
func (t *tokenizer) delim(i int) int {
	s, c, n := t.src, t.src[i], run(t.src, i)
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+n:])
	space := func(r rune, at bool) bool { return at || unicode.IsSpace(r) }
	punct := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
	sb, sa := space(before, i == 0), space(after, i+n >= len(s))
	left := !sa && (!punct(after) || sb || punct(before))
	right := !sb && (!punct(before) || sa || punct(after))
	tok := token{kind: tDelim, text: s[i : i+n], ch: c, n: n, opens: left, ends: right}
	switch c {
	case '_':
		tok.opens = left && (!right || punct(before))
		tok.ends = right && (!left || punct(after))
	case '~':
		if n > 2 {
			tok.opens, tok.ends = false, false
		}
	}
	t.add(tok)
	return n
}

// emphasis pairs the delimiter runs from token from on (CommonMark's "process
// emphasis").
func (t *tokenizer) emphasis(from int) {
	t.flush()
	// The first token worth looking back to, per mark, length mod 3, and whether
	// the closing run opens as well.
	var bottom [128][3][2]int
	var stack []int
	for c := from; c < len(t.out); c++ {
		tok := &t.out[c]
		if tok.kind != tDelim || tok.n == 0 {
			continue
		}
		for tok.ends && tok.n > 0 {
			both := 0
			if tok.opens {
				both = 1
			}
			low := bottom[tok.ch][tok.n%3][both]
			found := -1
			for k := len(stack) - 1; k >= 0 && stack[k] >= low; k-- {
				o := &t.out[stack[k]]
				if o.ch != tok.ch || o.n == 0 {
					continue
				}
				if (o.ends || tok.opens) && (o.n+tok.n)%3 == 0 && (o.n%3 != 0 || tok.n%3 != 0) && tok.ch != '~' {
					continue
				}
				if tok.ch == '~' && o.n != tok.n {
					continue
				}
				found = k
				break
			}
			if found < 0 {
				bottom[tok.ch][tok.n%3][both] = c
				break
			}
			o := &t.out[stack[found]]
			use, kind := 1, 1
			if tok.ch == '~' {
				use, kind = o.n, 2
			} else if o.n >= 2 && tok.n >= 2 {
				use, kind = 2, 0
			}
			o.n -= use
			tok.n -= use
			o.begin[kind]++
			tok.end[kind]++
			stack = stack[:found+1]
			if o.n == 0 {
				stack = stack[:found]
			}
		}
		if tok.opens && tok.n > 0 {
			stack = append(stack, c)
		}
	}
}

// assume closes at the end of the text what was opened near it and will
// probably be closed by what comes next.
func (t *tokenizer) assume() {
	for i := len(t.out) - 1; i >= 0 && i > len(t.out)-32; i-- {
		tok := &t.out[i]
		if tok.kind != tDelim || tok.n == 0 {
			continue
		}
		if i == len(t.out)-1 && !tok.opens {
			// Half of a closing mark, or an opening one without its text.
			if tok.ends || tok.n >= 2 {
				tok.n = 0
			}
			continue
		}
		if !tok.opens || tok.ends {
			continue
		}
		switch {
		case tok.ch == '~' && tok.n == 2:
			tok.begin[2]++
		case tok.ch != '~' && tok.n >= 2:
			tok.begin[0]++
		case tok.ch == '*':
			tok.begin[1]++
		default:
			continue
		}
		tok.n = 0
	}
}
