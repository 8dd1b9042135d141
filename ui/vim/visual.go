package vim

import "strings"

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
	case ">", "<":
		v.mode = Normal
		v.shift(b, key, from, to, n)
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
