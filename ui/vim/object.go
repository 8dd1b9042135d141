package vim

import "strings"

// object is what a text object takes, around the cursor or, with a selection, from it
// on: i is what is inside, a takes what belongs to it as well.
func (b *buffer) object(around bool, name string, n int) (from, to int, r reach, ok bool) {
	switch name {
	case "w", "W":
		from, to = b.wordObject(around, name == "W", n)
		return from, to, upTo, to > from
	case `"`, "'", "`":
		from, to, ok = b.quoted(around, name[0])
		return from, to, upTo, ok
	case "(", ")", "b":
		from, to, ok = b.bracketed(around, '(', ')', n)
	case "[", "]":
		from, to, ok = b.bracketed(around, '[', ']', n)
	case "{", "}", "B":
		from, to, ok = b.bracketed(around, '{', '}', n)
	case "<", ">":
		from, to, ok = b.bracketed(around, '<', '>', n)
	case "p":
		from, to, ok = b.paragraphObject(around, n)
		return from, to, fullLines, ok
	}
	return from, to, upTo, ok
}

// wordObject is the run the cursor is on; around it are the blanks behind it, or
// before it where there are none.
func (b *buffer) wordObject(around, wide bool, n int) (from, to int) {
	from = b.Cur
	start, end := b.lineStart(from), b.lineEnd(from)
	for from > start && b.kindOf(b.prev(from), wide) == b.kindOf(from, wide) {
		from = b.prev(from)
	}
	to = from
	run := func() {
		for k := b.kindOf(to, wide); to < end && b.kindOf(to, wide) == k; {
			to = b.next(to)
		}
	}
	if !around {
		for range n {
			run()
		}
		return from, to
	}
	first := b.kindOf(from, wide)
	for range n {
		run()
		run2 := b.kindOf(to, wide)
		if to < end && (first == blank || run2 == blank) {
			run()
		}
	}
	if first != blank && to > from && b.kindOf(b.prev(to), wide) != blank {
		for from > start && b.kindOf(b.prev(from), wide) == blank && b.lineStart(from) < from {
			from = b.prev(from)
		}
		if from == start && b.kind(from) == blank { // an indent belongs to no word
			for b.kind(from) == blank {
				from = b.next(from)
			}
		}
	}
	return from, to
}

// quoted is the quotation on the line that the cursor is in, or the next one.
func (b *buffer) quoted(around bool, quote byte) (from, to int, ok bool) {
	text := b.Text.Text
	start, end := b.lineStart(b.Cur), b.lineEnd(b.Cur)
	open := -1
	for i := start; i < end; i++ {
		switch {
		case text[i] == '\\' && open >= 0:
			i++
		case text[i] != quote:
		case open < 0:
			open = i
		case i < b.Cur: // this one ended before
			open = -1
		default:
			if !around {
				return open + 1, i, true
			}
			from, to = open, i+1
			for to < end && b.kind(to) == blank {
				to = b.next(to)
			}
			if to == i+1 {
				for from > start && b.kind(b.prev(from)) == blank {
					from = b.prev(from)
				}
			}
			return from, to, true
		}
	}
	return 0, 0, false
}

// bracketed is what the nth pair of brackets around the cursor holds.
func (b *buffer) bracketed(around bool, open, shut byte, n int) (from, to int, ok bool) {
	if b.Cur >= b.len() {
		return 0, 0, false
	}
	at := b.Cur
	switch b.Text.Text[at] {
	case open:
		from, ok = at, true
	default:
		from, ok = b.opening(at, open, shut)
	}
	for ; ok && n > 1; n-- {
		from, ok = b.opening(from, open, shut)
	}
	if !ok {
		return 0, 0, false
	}
	to, ok = b.closing(from+1, open, shut)
	if !ok {
		return 0, 0, false
	}
	if around {
		return from, to + 1, true
	}
	// What stands on lines of its own between them is those lines.
	if from++; from < to && b.Text.Text[from] == '\n' {
		from++
	}
	for line := b.lineStart(to); line > from && strings.TrimLeft(b.Text.Text[line:to], " \t") == ""; line = b.lineStart(to) {
		to = line - 1
	}
	return from, max(from, to), true
}

// paragraphObject is the lines of a paragraph, or the empty lines between two; around
// it are those behind it.
func (b *buffer) paragraphObject(around bool, n int) (from, to int, ok bool) {
	bare := func(start int) bool { return strings.TrimLeft(b.Text.Text[start:b.lineEnd(start)], " \t") == "" }
	from = b.lineStart(b.Cur)
	is := bare(from)
	for from > 0 && bare(b.lineStart(from-1)) == is {
		from = b.lineStart(from - 1)
	}
	to = from
	run := func(is bool) {
		for to < b.len() && bare(to) == is {
			to = min(b.lineEnd(to)+1, b.len())
		}
	}
	for range n {
		run(is)
		had := to
		if around {
			run(!is)
		}
		if around && to == had && !is { // none behind it
			for from > 0 && bare(b.lineStart(from-1)) {
				from = b.lineStart(from - 1)
			}
		}
	}
	return from, max(from, to-1), true
}
