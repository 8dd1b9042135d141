package reader

import (
	"forge/ui/safe"
)

// At returns the byte of the source where the grapheme in a cell begins. Where the cell
// shows nothing of the source, on is false and at the end of what stands before it, or
// the begin of what is first; -1: no row shows anything.
func (m *Map) At(r, col int) (at int, on bool) {
	at = -1
	if r >= 0 && r < len(m.rows) {
		for _, s := range m.rows[r] {
			if col >= s.col && col < s.end {
				return m.under(s, col), true
			}
			if s.end <= col {
				at = s.to
			}
		}
	}
	for i := min(r, len(m.rows)) - 1; i >= 0 && at < 0; i-- {
		if n := len(m.rows[i]); n > 0 {
			at = m.rows[i][n-1].to
		}
	}
	for i := max(r, 0); i < len(m.rows) && at < 0; i++ {
		if len(m.rows[i]) > 0 {
			at = m.rows[i][0].from
		}
	}
	return at, false
}

// under is the byte where the grapheme that covers a column of a seg begins.
func (m *Map) under(s seg, col int) int {
	at, c := s.from, s.col
	g := safe.Graphemes(m.source[s.from:s.to])
	for g.Next() {
		if c += g.Width(); c > col {
			break
		}
		at += len(g.Value())
	}
	return at
}

// Cells returns the cells that show a part of the source: from column c0 of row r0 to
// column c1 of row r1, c1 not included. What no row shows is nowhere: all are 0.
func (m *Map) Cells(from, to int) (r0, c0, r1, c1 int) {
	found := false
	for r, segs := range m.rows {
		for _, s := range segs {
			lo, hi := max(from, s.from), min(to, s.to)
			if lo >= hi {
				continue
			}
			if !found {
				r0, c0, found = r, min(s.end-1, s.col+safe.Width(m.source[s.from:lo])), true
			}
			r1, c1 = r, min(s.end, s.col+safe.Width(m.source[s.from:hi]))
		}
	}
	return r0, c0, r1, c1
}

// Source is a part of the source; to below 0 is its end.
func (m *Map) Source(from, to int) string {
	if to < 0 {
		to = len(m.source)
	}
	return m.source[from:to]
}

// Shows reports whether a row shows anything of the source.
func (m *Map) Shows(r int) bool { return r >= 0 && r < len(m.rows) && len(m.rows[r]) > 0 }

// Row is a row without looks.
func (m *Map) Row(r int) string {
	if r < 0 || r >= len(m.plain) {
		return ""
	}
	return m.plain[r]
}
