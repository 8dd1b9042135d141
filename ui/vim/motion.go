package vim

import "strings"

// reach is how far an operator goes with a motion.
type reach int

const (
	upTo      reach = iota // not the character it ends at
	onto                   // that one too
	fullLines              // all lines it touches
)

// motion is where a key moves the cursor n times. ok is false for a key that is no
// motion, or that finds nothing.
func (v *Vim) motion(b *buffer, key string, n int, counted bool) (to int, r reach, ok bool) {
	to = b.Cur
	switch key {
	case "h", "left", "backspace", "ctrl+h":
		for ; n > 0 && to > b.lineStart(b.Cur); n-- {
			to = b.prev(to)
		}
		return to, upTo, to != b.Cur || v.op == ""
	case "l", "right", "space", " ":
		for ; n > 0 && to < b.lineEnd(b.Cur); n-- {
			to = b.next(to)
		}
		return to, upTo, true
	case "0", "home":
		return b.lineStart(to), upTo, true
	case "^":
		return b.indented(to), upTo, true
	case "_":
		if to, ok = b.down(to, n-1); v.op != "y" {
			to = b.indented(to)
		}
		return to, fullLines, ok || n == 1
	case "$", "end":
		to, ok = b.down(to, n-1)
		to = b.lineEnd(to)
		if to > b.lineStart(to) {
			to = b.prev(to)
		}
		return to, onto, ok
	case "j", "down", "ctrl+n", "ctrl+j":
		to, ok = b.down(to, n)
		return to, fullLines, ok
	case "k", "up", "ctrl+p":
		to, ok = b.down(to, -n)
		return to, fullLines, ok
	case "G":
		line := strings.Count(b.Text.Text, "\n")
		if counted {
			line = min(line, n-1)
		}
		return b.indented(b.line(line)), fullLines, true
	case "gg":
		if !counted {
			n = 1
		}
		return b.indented(b.line(min(n-1, strings.Count(b.Text.Text, "\n")))), fullLines, true
	case "w", "W":
		for range n {
			to = b.wordNext(to, key == "W")
		}
		return to, upTo, true
	case "b", "B":
		for range n {
			to = b.wordBefore(to, key == "B")
		}
		return to, upTo, to != b.Cur
	case "e", "E":
		for range n {
			to = b.wordEnd(to, key == "E")
		}
		return to, onto, b.Cur < b.len()
	case "ge", "gE":
		for range n {
			to = b.endBefore(to, key == "gE")
		}
		return to, onto, to != b.Cur
	case "{", "}":
		return b.paragraphs(to, n, key == "}")
	case "%":
		to, ok = b.match(to)
		return to, onto, ok
	case ";", ",":
		if v.find[0] == "" {
			return to, upTo, false
		}
		how := v.find[0]
		if key == "," {
			how = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[how]
		}
		return b.search(how, v.find[1], n, true)
	}
	return to, upTo, false
}

// line is where a line begins, counted from 0.
func (b *buffer) line(n int) int {
	at := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(b.Text.Text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return at
}

// down is the same column n lines further, or, below zero, before, or as far as there
// are lines; ok is false where there is none.
func (b *buffer) down(at, n int) (int, bool) {
	column := 0
	for i := b.lineStart(at); i < at; i = b.next(i) {
		column++
	}
	start := b.lineStart(at)
	for ; n > 0; n-- {
		end := b.lineEnd(start)
		if end == b.len() {
			if start == b.lineStart(at) {
				return at, false
			}
			break
		}
		start = end + 1
	}
	for ; n < 0; n++ {
		if start == 0 {
			if b.lineStart(at) == 0 {
				return at, false
			}
			break
		}
		start = b.lineStart(start - 1)
	}
	to := start
	for ; column > 0 && to < b.lineEnd(start); column-- {
		to = b.next(to)
	}
	return to, true
}

// wordNext is where the next word begins; an empty line is one.
func (b *buffer) wordNext(i int, wide bool) int {
	if k := b.kindOf(i, wide); k > blank {
		for b.kindOf(i, wide) == k {
			i = b.next(i)
		}
	} else if k == lineBreak {
		i = b.next(i)
		if b.kind(i) == lineBreak {
			return i
		}
	}
	for {
		switch b.kind(i) {
		case blank:
			i = b.next(i)
		case lineBreak:
			i = b.next(i)
			if b.kind(i) == lineBreak {
				return i
			}
		default:
			return i
		}
	}
}

// wordBefore is where the word before begins.
func (b *buffer) wordBefore(i int, wide bool) int {
	for i > 0 {
		i = b.prev(i)
		if k := b.kind(i); k == lineBreak && b.lineStart(i) == i {
			return i // an empty line
		} else if k > blank {
			break
		}
	}
	k := b.kindOf(i, wide)
	for i > 0 && k > blank && b.kindOf(b.prev(i), wide) == k {
		i = b.prev(i)
	}
	return i
}

// wordEnd is the last character of this word, or of the next where it is that one.
func (b *buffer) wordEnd(i int, wide bool) int {
	from := i
	i = b.next(i)
	for k := b.kind(i); k == blank || k == lineBreak; k = b.kind(i) {
		i = b.next(i)
	}
	if i >= b.len() {
		if b.lineStart(b.len()) == b.len() {
			return max(from, b.len())
		}
		return b.prev(b.len())
	}
	k := b.kindOf(i, wide)
	for b.kindOf(b.next(i), wide) == k {
		i = b.next(i)
	}
	return i
}

// endBefore is the last character of the word before.
func (b *buffer) endBefore(i int, wide bool) int {
	k := b.kindOf(i, wide)
	for i > 0 && k > blank && b.kindOf(i, wide) == k {
		i = b.prev(i)
	}
	if k <= blank && i > 0 {
		i = b.prev(i)
	}
	for i > 0 && b.kind(i) <= blank && !(b.kind(i) == lineBreak && b.lineStart(i) == i) {
		i = b.prev(i)
	}
	return i
}

// paragraphs is the nth empty line from here, or the end of the text in the place of
// the last of them.
func (b *buffer) paragraphs(at, n int, ahead bool) (to int, r reach, ok bool) {
	empty := func(start int) bool { return b.lineEnd(start) == start }
	start := b.lineStart(at)
	for ; n > 0; n-- {
		for text := !empty(start); ; text = text || !empty(start) {
			if ahead && b.lineEnd(start) == b.len() || !ahead && start == 0 {
				switch {
				case n > 1:
					return at, upTo, false
				case !ahead:
					return 0, upTo, at > 0
				case empty(start):
					return b.len(), upTo, at < b.len()
				}
				return b.prev(b.len()), onto, true
			}
			if ahead {
				start = b.lineEnd(start) + 1
			} else {
				start = b.lineStart(start - 1)
			}
			if text && empty(start) {
				break
			}
		}
	}
	return start, upTo, start != at
}

const brackets = "()[]{}"

// match is the bracket that belongs to the first one on the line from here on.
func (b *buffer) match(i int) (int, bool) {
	end := b.lineEnd(i)
	for ; i < end; i = b.next(i) {
		k := strings.IndexByte(brackets, b.Text.Text[i])
		if k < 0 {
			continue
		}
		if k%2 == 0 {
			return b.closing(i+1, brackets[k], brackets[k+1])
		}
		return b.opening(i, brackets[k-1], brackets[k])
	}
	return i, false
}

// closing finds the bracket that closes what is open at an offset.
func (b *buffer) closing(i int, open, shut byte) (int, bool) {
	for depth := 1; i < b.len(); i++ {
		switch b.Text.Text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// opening finds the bracket before an offset that is open there.
func (b *buffer) opening(i int, open, shut byte) (int, bool) {
	depth := 1
	for i--; i >= 0; i-- {
		switch b.Text.Text[i] {
		case shut:
			depth++
		case open:
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// search finds a character on the line, the nth one. again says that the last search
// is repeated: one up to a character does not stay before it.
func (b *buffer) search(how, char string, n int, again bool) (to int, r reach, ok bool) {
	to = b.Cur
	start, end := b.lineStart(to), b.lineEnd(to)
	is := func(i int) bool { return b.Text.Text[i:b.next(i)] == char }
	switch how {
	case "f", "t":
		i := b.next(to)
		if how == "t" && again && n == 1 && i < end && is(i) {
			i = b.next(i)
		}
		for ; i < end; i = b.next(i) {
			if is(i) {
				if n--; n == 0 {
					if how == "t" {
						i = b.prev(i)
					}
					return i, onto, true
				}
			}
		}
	case "F", "T":
		i := to
		if how == "T" && again && n == 1 && i > start && is(b.prev(i)) {
			i = b.prev(i)
		}
		for i > start {
			if i = b.prev(i); is(i) {
				if n--; n == 0 {
					if how == "T" {
						i = b.next(i)
					}
					return i, upTo, true
				}
			}
		}
	}
	return to, upTo, false
}
