package composer

import (
	"strings"

	"forge/ui/safe"
)

// layout is the text broken into rows of at most width cells.
type layout struct {
	text string
	rows []row
}

// row is text[from:to], drawn in cells cells. A row that ends a line does not
// include its newline.
type row struct{ from, to int }

const tabCells = 4

// wrap breaks text into rows. It prefers blanks; a word or a run of wide
// characters longer than a row is broken between clusters, never inside one.
func wrap(e *editor, width int) layout {
	width = max(width, 2)
	l := layout{text: e.text}
	for start := 0; ; {
		end := len(e.text)
		if i := strings.IndexByte(e.text[start:], '\n'); i >= 0 {
			end = start + i
		}
		from, blank, used := start, -1, 0
		for i := start; i < end; {
			n := e.next(i)
			w := cells(e.text[i:n])
			for used+w > width && i > from {
				cut := i
				if blank > from && e.text[i] != ' ' {
					cut = blank
				}
				l.rows = append(l.rows, row{from, cut})
				from, blank = cut, -1
				used = cells(e.text[from:i])
			}
			used += w
			i = n
			if e.text[i-1] == ' ' {
				blank = i
			}
		}
		l.rows = append(l.rows, row{from, end})
		if end == len(e.text) {
			return l
		}
		start = end + 1
	}
}

func cells(s string) int {
	if s == "\t" {
		return tabCells
	}
	if strings.IndexByte(s, '\t') >= 0 {
		s = strings.ReplaceAll(s, "\t", strings.Repeat(" ", tabCells))
	}
	return safe.Width(s)
}

// locate returns the row and cell column of an offset.
func (l layout) locate(cur int) (rowIndex, col int) {
	for i := len(l.rows) - 1; i >= 0; i-- {
		if r := l.rows[i]; cur >= r.from {
			return i, cells(l.text[r.from:min(cur, r.to)])
		}
	}
	return 0, 0
}

// offset returns the cluster border nearest to a cell column of a row.
func (l layout) offset(e *editor, rowIndex, col int) int {
	r := l.rows[rowIndex]
	at := r.from
	for at < r.to {
		n := e.next(at)
		if cells(l.text[r.from:n]) > col {
			break
		}
		at = n
	}
	// The end of a wrapped row is the start of the next: stay on this one.
	if at == r.to && rowIndex+1 < len(l.rows) && l.rows[rowIndex+1].from == at && at > r.from {
		at = e.prev(at)
	}
	return at
}

// layout breaks the text so that behind the last cell of every row there is one for
// the cursor: behind a wide character it would else stand on it.
func (c *Composer) layout() layout { return wrap(&c.ed, c.width-gutter-1) }
