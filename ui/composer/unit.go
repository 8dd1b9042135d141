package composer

import (
	"strings"

	"forge/lazy"
)

// Unit is what a click chooses when others came right before it.
type Unit int

const (
	Word Unit = iota // of one script; a path or an address is one
	Line             // of the text, however many rows it takes
)

// grip is what the mouse chose when the button went down; dragging goes on from it.
type grip struct {
	unit     Unit
	from, to int
	text     string // as it was
}

// Choose selects the word or the line at a cell of the last View; false: there is none.
func (c *Composer) Choose(row, col int, u Unit) bool {
	from, to := Around(c.ed.text, c.cell(row, col), u)
	if from == to {
		return false
	}
	if v := c.modal.machine; v != nil {
		if _, _, visual := v.Selected(c.vimText()); visual {
			v.Reset()
		}
	}
	c.menu.close()
	c.grip = grip{u, from, to, c.ed.text}
	c.choose(from, to)
	return true
}

// ChooseTo goes on with what Choose began, by whole words or lines, to another cell. Once
// the text is another one, by a key or by what is heard, there is nothing to go on with.
func (c *Composer) ChooseTo(row, col int) {
	if c.ed.text != c.grip.text {
		return
	}
	at := c.cell(row, col)
	from, to := Around(c.ed.text, at, c.grip.unit)
	if from == to {
		from, to = at, at
	}
	if from < c.grip.from {
		c.choose(c.grip.to, from)
	} else {
		c.choose(c.grip.from, max(to, c.grip.to))
	}
}

// choose selects from one offset to another, where the cursor is then.
func (c *Composer) choose(from, to int) {
	c.ed.move(from)
	c.ed.extend(to)
}

// Around returns the word or the line that stands at an offset of a text. At the end of a
// line there is no word, nor is one in blanks; from and to are the same then.
func Around(text string, at int, u Unit) (from, to int) {
	at = max(0, min(at, len(text)))
	from = strings.LastIndexByte(text[:at], '\n') + 1
	to = len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		to = at + i
	}
	if u == Line {
		if strings.TrimSpace(text[from:to]) == "" {
			return at, at
		}
		return from, from + len(strings.TrimRight(text[from:to], "\r"))
	}
	a, b := wordIn(text[from:to], at-from)
	return from + a, from + b
}

// wordIn is Around in one line.
func wordIn(line string, at int) (from, to int) {
	for _, p := range places.Get().FindAllStringIndex(line, -1) {
		a, b := p[0], p[0]+len(strings.TrimRight(line[p[0]:p[1]], ".:?&=-"))
		if at >= a && at < b && isPlace(line[a:b]) {
			return a, b
		}
	}
	e := editor{text: line}
	kind := -1
	for i := 0; i < len(line); {
		next, k := e.next(i), class(line[i:])
		if placeholderAt(line, i) > 0 {
			k = -2 - i // a word of its own
		}
		if k != kind {
			if to > at {
				break
			}
			from, kind = i, k
		}
		to, i = next, next
	}
	if at >= to || kind == blankKind {
		return at, at
	}
	return from, to
}

// places are what may be paths, addresses and names of files. Letters of scripts that are
// written without blanks belong to one only beside a slash: the words before and behind
// it may not be its own.
var places = lazy.Regexp{Expr: `(?:[` + unspaced + `]+/[` + unspaced + `]*)*(?:[` + placed + `]|/[` + unspaced + `]*)+`}

const (
	unspaced = `\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー`
	placed   = `a-zA-Z0-9\x{00C0}-\x{052F}_.~:%?&=#+@$\-`
)

// isPlace tells a path, an address or the name of a file from other words.
func isPlace(s string) bool {
	if !strings.ContainsFunc(s, func(r rune) bool { return class(string(r)) == letterKind }) {
		return false
	}
	if strings.Contains(s, "/") {
		return true
	}
	for i := 1; i+1 < len(s); i++ { // a dot between letters
		if s[i] == '.' && class(s[i-1:]) == letterKind && class(s[i+1:]) == letterKind {
			return true
		}
	}
	return false
}

// AroundCell is Around for a row of the screen and one of its cells: the text, and the
// cells it takes.
func AroundCell(row string, col int, u Unit) (text string, from, to int) {
	e, at := editor{text: row}, 0
	for at < len(row) {
		n := e.next(at)
		if cells(row[:n]) > col {
			break
		}
		at = n
	}
	a, b := Around(row, at, u)
	if u == Line {
		a = b - len(strings.TrimLeft(row[a:b], " "))
	}
	return row[a:b], cells(row[:a]), cells(row[:b])
}
