package display

import "bytes"

// unasked takes what a terminal says by itself out of what is typed: answers to questions,
// how the mouse moved, that the window has the focus. rest is the begin of one, which goes on
// with what comes next.
func unasked(b []byte) (typed, rest []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, escape)
		if i < 0 {
			return append(typed, b...), nil
		}
		typed, b = append(typed, b[:i]...), b[i:]
		n, whole := report(b)
		switch {
		case n == 0: // a key
			typed, b = append(typed, b[0]), b[1:]
		case !whole:
			return typed, bytes.Clone(b)
		default:
			b = b[n:]
		}
	}
	return typed, nil
}

// report is the length of what a terminal says at the begin of b; 0: it is a key. It may go
// on behind b.
func report(b []byte) (n int, whole bool) {
	if len(b) < 3 {
		return 0, false // Esc, or Alt and a key
	}
	switch b[1] {
	case ']', 'P', '_':
		if b[2] == escape { // two keys with Alt
			return 0, false
		}
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == 0x07:
				return i + 1, true
			case b[i] == escape && i+1 < len(b):
				return i + 2, true
			}
		}
		return len(b), len(b) > 1<<12
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] < 0x40 || b[i] > 0x7e {
				continue
			}
			switch c := b[i]; {
			case b[2] == '<' && (c == 'M' || c == 'm'), i == 2 && (c == 'I' || c == 'O'), c == 'c', c == 'n', c == 't', c == 'y':
				return i + 1, true
			case c == 'R' && !bytes.HasPrefix(b[2:i], []byte("1;")), c == 'u' && b[2] == '?': // else it is F3 with a modifier
				return i + 1, true
			}
			return 0, false
		}
	}
	return 0, false
}
