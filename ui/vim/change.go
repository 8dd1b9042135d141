package vim

import (
	"strings"
	"unicode"
)

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
