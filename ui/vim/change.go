package vim

import (
	"strings"
	"unicode"
)

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

// take puts text into the register.
func (v *Vim) take(b *buffer, s string, lines bool) { v.reg, v.lines, b.cut = s, lines, s }

// command does what a key alone does in normal mode, and reports whether it does
// something.
func (v *Vim) command(b *buffer, key string, n int) bool {
	_, said := v.times()
	switch key {
	case "i", "a", "I", "A", "o", "O":
		v.write(b, key, n)
	case "x", "delete":
		v.short(b, "d", "l", n)
	case "X":
		v.short(b, "d", "h", n)
	case "s":
		v.short(b, "c", "l", n)
	case "D":
		v.short(b, "d", "$", n)
	case "C":
		v.short(b, "c", "$", n)
	case "S", "Y":
		v.op = map[string]string{"S": "c", "Y": "y"}[key]
		v.lined(b, n)
	case "p", "P":
		v.place(b, n, key == "p")
	case "u":
		b.undo = n
	case "ctrl+r":
		b.undo = -n
	case "~":
		v.toggle(b, b.Cur, b.ahead(n))
		b.Cur = min(b.ahead(n), b.lineEnd(b.Cur))
	case "J":
		v.join(b, max(n, 2)-1)
	case "v":
		v.mode, v.anchor = Visual, b.Cur
	case "V":
		v.mode, v.anchor = Lines, b.Cur
	case ".":
		v.dot(b, n, said)
	case "/", "!", "@", "?":
		if b.len() > 0 {
			return false
		}
		b.put(key) // in an empty text they begin a prompt of their own kind
		v.mode = Insert
	default:
		return false
	}
	return true
}

// ahead is n characters on, within the line.
func (b *buffer) ahead(n int) int {
	to := b.Cur
	for ; n > 0 && to < b.lineEnd(b.Cur); n-- {
		to = b.next(to)
	}
	return to
}

// short is an operator with the motion that a key stands for.
func (v *Vim) short(b *buffer, op, motion string, n int) {
	v.op = op
	to, r, ok := v.motion(b, motion, n, true)
	switch {
	case !ok || to == b.Cur && r == upTo && op == "d":
	default:
		v.apply(b, op, to, r)
	}
}

// write begins to write where a key says.
func (v *Vim) write(b *buffer, key string, n int) {
	v.changed()
	line := false
	switch key {
	case "a":
		if b.Cur < b.lineEnd(b.Cur) {
			b.Cur = b.next(b.Cur)
		}
	case "I":
		at := b.lineStart(b.Cur)
		for b.kind(at) == blank {
			at = b.next(at)
		}
		b.Cur = at
	case "A":
		b.Cur = b.lineEnd(b.Cur)
	case "o":
		b.Cur = b.lineEnd(b.Cur)
		b.put("\n")
		line = true
	case "O":
		at := b.lineStart(b.Cur)
		b.replace(at, at, "\n")
		b.Cur = at
		line = true
	}
	v.enter(b, n)
	v.entry.line = line
}

// place puts the register in, behind the cursor or before it.
func (v *Vim) place(b *buffer, n int, behind bool) {
	text, lines := v.reg, v.lines
	if b.Kept != v.reg { // somebody else cut since
		text, lines = b.Kept, false
	}
	if text == "" {
		return
	}
	v.changed()
	if lines {
		body := strings.Repeat(text, n)
		at := b.lineStart(b.Cur)
		if behind {
			at = b.lineEnd(b.Cur)
			body = "\n" + strings.TrimSuffix(body, "\n")
		}
		b.replace(at, at, body)
		if behind {
			at++
		}
		b.Cur = b.indented(at)
		return
	}
	if behind && b.Cur < b.lineEnd(b.Cur) {
		b.Cur = b.next(b.Cur)
	}
	at := b.Cur
	b.put(strings.Repeat(text, n))
	switch {
	case strings.Contains(text, "\n"):
		b.Cur = at
	case b.Cur > at:
		b.Cur = b.prev(b.Cur)
	}
}

// overwrite puts one character in the place of n.
func (v *Vim) overwrite(b *buffer, key string, n int) {
	c := char(key)
	if key == "enter" {
		c = "\n"
	}
	if c == "" {
		return
	}
	if v.mode != Normal {
		from, to := b.span(v.anchor, v.mode)
		var out strings.Builder
		for i := from; i < to; i = b.next(i) {
			if b.kind(i) == lineBreak {
				out.WriteString("\n")
			} else {
				out.WriteString(c)
			}
		}
		b.replace(from, to, out.String())
		v.mode, b.Cur = Normal, from
		return
	}
	to := b.Cur
	for range n {
		if to >= b.lineEnd(b.Cur) {
			return // there are not so many
		}
		to = b.next(to)
	}
	v.changed()
	if c == "\n" {
		n = 1
	}
	b.replace(b.Cur, to, strings.Repeat(c, n))
	if b.Cur += len(c) * n; c != "\n" {
		b.Cur -= len(c)
	}
}

// toggle makes small letters capitals and capitals small.
func (v *Vim) toggle(b *buffer, from, to int) {
	if from == to {
		return
	}
	v.changed()
	b.replace(from, to, strings.Map(func(r rune) rune {
		if up := unicode.ToUpper(r); up != r && len(string(up)) == len(string(r)) {
			return up
		} else if low := unicode.ToLower(r); low != r && len(string(low)) == len(string(r)) {
			return low
		}
		return r
	}, b.Text.Text[from:to]))
}

// join makes one line of this and the n next.
func (v *Vim) join(b *buffer, n int) {
	for ; n > 0; n-- {
		end := b.lineEnd(b.Cur)
		if end == b.len() {
			return
		}
		v.changed()
		to := end + 1
		for to < b.len() && (b.Text.Text[to] == ' ' || b.Text.Text[to] == '\t') {
			to++
		}
		between := " "
		if end == b.lineStart(b.Cur) || strings.ContainsAny(b.Text.Text[end-1:end], " \t") || to == b.lineEnd(to) || b.Text.Text[to] == ')' {
			between = ""
		}
		b.replace(end, to, between)
		b.Cur = end
	}
}

// visual does what a key does with what is selected, and reports whether it does
// something.
func (v *Vim) visual(b *buffer, key string, n int) bool {
	from, to := b.span(v.anchor, v.mode)
	r := upTo
	if v.mode == Lines {
		r = fullLines
		to = max(from, to-1)
		if to+1 == b.len() && b.Text.Text[to] != '\n' {
			to = b.len()
		}
	}
	do := func(op string, r reach) {
		v.mode, v.op = Normal, op
		if r == fullLines {
			b.Cur = b.lineStart(from)
		}
		v.act(b, op, from, to, r)
	}
	switch key {
	case "d", "x", "delete":
		do("d", r)
	case "X", "D":
		do("d", fullLines)
	case "c", "s":
		do("c", r)
	case "C", "S", "R":
		do("c", fullLines)
	case "y":
		do("y", r)
	case "Y":
		do("y", fullLines)
	case "p", "P":
		v.substitute(b, n, from, to, r)
	case "~":
		v.toggle(b, from, to)
		v.mode, b.Cur = Normal, from
	case "u", "U":
		small := strings.ToLower(b.Text.Text[from:to])
		if key == "U" {
			small = strings.ToUpper(b.Text.Text[from:to])
		}
		b.replace(from, to, small)
		v.mode, b.Cur = Normal, from
	case "J":
		lines := strings.Count(b.Text.Text[from:to], "\n")
		v.mode, b.Cur = Normal, from
		v.join(b, max(1, lines))
	case "o":
		v.anchor, b.Cur = b.Cur, v.anchor
	case "v", "V":
		mode := Visual
		if key == "V" {
			mode = Lines
		}
		if v.mode == mode {
			mode = Normal
		}
		v.mode = mode
	default:
		return false
	}
	return true
}

// substitute puts the register in the place of what is selected, which goes into it.
func (v *Vim) substitute(b *buffer, n int, from, to int, r reach) {
	text, lines := v.reg, v.lines
	if b.Kept != v.reg {
		text, lines = b.Kept, false
	}
	v.mode = Normal
	text = strings.Repeat(text, n)
	v.take(b, b.Text.Text[from:to], r == fullLines)
	switch {
	case r == fullLines:
		v.take(b, b.cut+"\n", true)
		text = strings.TrimSuffix(text, "\n")
	case lines:
		text = "\n" + text
	}
	b.replace(from, to, text)
	switch b.Cur = from; {
	case r == fullLines:
		b.Cur = b.indented(from)
	case lines:
		b.Cur = b.indented(from + 1)
	case text != "" && !strings.Contains(text, "\n"):
		b.Cur = b.prev(from + len(text))
	}
}
