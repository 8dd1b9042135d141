package vim

import "strings"

// operate does what an operator does with a motion.
func (v *Vim) operate(b *buffer, key string, n int, said bool) {
	if v.op == "c" && (key == "w" || key == "W") && b.kind(b.Cur) > blank {
		// To change a word leaves the blank behind it.
		wide, to := key == "W", b.Cur
		for k := b.kindOf(to, wide); b.kindOf(b.next(to), wide) == k; {
			to = b.next(to)
		}
		for ; n > 1; n-- {
			to = b.wordEnd(to, wide)
		}
		v.apply(b, v.op, to, onto)
		return
	}
	if key == "w" || key == "W" {
		v.apply(b, v.op, b.words(n, key == "W"), upTo)
	} else if to, r, ok := v.motion(b, key, n, said); ok {
		v.apply(b, v.op, to, r)
	}
}

// apply does what an operator does from the cursor to where a motion leads.
func (v *Vim) apply(b *buffer, op string, to int, r reach) {
	from := b.Cur
	if to < from {
		from, to = to, from
	}
	text := b.Text.Text
	indent := strings.TrimLeft(text[b.lineStart(from):from], " \t") == ""
	switch {
	case r == onto && to < b.lineEnd(to):
		to = b.next(to)
	case r == upTo && to > from && to == b.lineStart(to):
		// What ends before a line takes that line's begin not with it, and from the
		// begin of another on it is whole lines.
		if to--; indent {
			r = fullLines
		}
	}
	v.act(b, op, from, to, b.widened(op, from, to, r))
}

// widened is how far an operator goes: what is deleted over several lines, with
// nothing but blanks before and behind, is those lines.
func (b *buffer) widened(op string, from, to int, r reach) reach {
	text := b.Text.Text
	if op == "d" && r != fullLines && strings.Contains(text[from:to], "\n") &&
		strings.TrimLeft(text[b.lineStart(from):from]+text[to:b.lineEnd(to)], " \t") == "" {
		return fullLines
	}
	return r
}

// words is where an operator ends that goes n words ahead: the last word of a line
// takes no line end with it.
func (b *buffer) words(n int, wide bool) int {
	to := b.Cur
	for ; n > 1; n-- {
		to = b.wordNext(to, wide)
	}
	if end := b.lineEnd(to); to < end {
		return min(b.wordNext(to, wide), end)
	}
	return b.next(to)
}

// lined does what an operator does with n lines.
func (v *Vim) lined(b *buffer, n int) {
	to, ok := b.down(b.Cur, n-1)
	if !ok {
		if b.lineEnd(b.Cur) == b.len() && n > 1 {
			return
		}
		to = b.len()
	}
	v.act(b, v.op, b.Cur, to, fullLines)
}

// act does what an operator does with a part of the text.
func (v *Vim) act(b *buffer, op string, from, to int, r reach) {
	if op == ">" || op == "<" {
		v.shift(b, op, from, to, 1)
		return
	}
	if r == fullLines {
		v.actLines(b, op, from, to)
		return
	}
	if taken := b.Text.Text[from:to]; taken != "" {
		v.take(b, taken, false)
	}
	if b.Cur = from; op == "y" {
		return
	}
	b.replace(from, to, "")
	v.changed()
	if op == "c" {
		v.enter(b, 1)
	}
}

// actLines does it with all lines between two places.
func (v *Vim) actLines(b *buffer, op string, from, to int) {
	at := from
	from, to = b.lineStart(from), b.lineEnd(to)
	v.take(b, b.Text.Text[from:to]+"\n", true)
	if op == "y" {
		b.Cur = min(b.Cur, at)
		return
	}
	v.changed()
	if op == "c" {
		b.replace(from, to, "")
		b.Cur = from
		v.enter(b, 1)
		return
	}
	switch {
	case to < b.len():
		to++
	case from > 0:
		from--
	}
	b.replace(from, to, "")
	b.Cur = b.indented(min(from, b.len()))
	if from < b.len() && b.Text.Text[from] == '\n' && to > from && b.lineStart(from) != from { // the last lines went
		b.Cur = b.indented(b.lineStart(from))
	}
}

// shiftWidth is how far lines go in or out, in blanks: an item of a list in an item.
const shiftWidth = 2

// shift moves the lines between two places in, or out.
func (v *Vim) shift(b *buffer, op string, from, to, n int) {
	from, to = b.lineStart(from), b.lineEnd(max(from, b.prev(to)))
	rows := strings.Split(b.Text.Text[from:to], "\n")
	for i, row := range rows {
		switch {
		case op == ">" && row != "":
			rows[i] = strings.Repeat(" ", n*shiftWidth) + row
		case op == "<":
			width := 0
			for width < n*shiftWidth && row != "" && (row[0] == ' ' || row[0] == '\t') {
				if width++; row[0] == '\t' {
					width = n * shiftWidth
				}
				row = row[1:]
			}
			rows[i] = row
		}
	}
	b.replace(from, to, strings.Join(rows, "\n"))
	v.changed()
	b.Cur = b.indented(from)
}

// take puts text into the register.
func (v *Vim) take(b *buffer, s string, lines bool) { v.reg, v.lines, b.cut = s, lines, s }
