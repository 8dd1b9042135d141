package markdown

import (
	"slices"
	"strings"

	"forge/ui/safe"
	"forge/ui/theme"
)

const (
	tableGap  = 3   // cells between columns: a bar and its blanks
	minCell   = 3   // narrowest column
	tableOpen = 100 // rows by which a table is laid out
	tableHeld = 400 // bytes of a row that are not drawn before it is whole
)

// tableState is a table being read. Its columns are as wide as its rows ask for: while
// it grows it is the open block, and laid out by all that is there. A long one is drawn
// for good once it has tableOpen rows, and those that follow wrap inside its columns.
type tableState struct {
	aligns []alignment
	head   []string
	rows   [][]string
	need   []int    // cells of the widest cell of each column
	widths []int    // of the columns; nil: too narrow for columns
	drawn  []string // head and rows as they are laid out now
	fixed  bool     // they are drawn for good
}

// startTable makes a table of the paragraph's last line, if that has as many
// cells as the delimiter row.
func (m *machine) startTable(as []alignment) bool {
	if m.frozen && m.last == 0 {
		return false
	}
	head := cellsOf(string(m.text[m.last:]))
	if len(head) != len(as) {
		return false
	}
	if m.last > 0 {
		m.text = m.text[:m.last]
		m.endText()
		m.blank = true
	}
	m.text = m.text[:0]
	m.gap()
	m.leaf = table
	m.tab = tableState{aligns: as, head: head, need: make([]int, len(as))}
	m.widen(head)
	m.layTable()
	return true
}

// widen makes room for the cells of a row, and reports whether it took any.
func (m *machine) widen(row []string) bool {
	wider := false
	for i, c := range row {
		m.markup = m.markup || marked(c)
		if w := m.cellWidth(c); w > m.tab.need[i] {
			m.tab.need[i], wider = w, true
		}
	}
	return wider
}

// layTable draws the head and the rows with columns as wide as they need.
func (m *machine) layTable() {
	t := &m.tab
	t.widths = m.columns()
	t.drawn = m.cells(nil, t.head, m.th.TableHead)
	if t.widths != nil {
		g, b := m.th.Glyphs, strings.Builder{}
		for i, w := range t.widths {
			if i > 0 {
				b.WriteString(g.Rule + g.Cross + g.Rule)
			}
			b.WriteString(strings.Repeat(g.Rule, w))
		}
		t.drawn = append(t.drawn, m.th.TableFrame.Apply(b.String()))
	}
	for _, row := range t.rows {
		t.drawn = m.cells(t.drawn, row, m.th.Text)
	}
}

func (m *machine) tableRow(s string) {
	if m.dry && !m.final && len(s) < tableHeld {
		return // it would move the columns with each of its letters
	}
	t := &m.tab
	row := cellsOf(s)
	for len(row) < len(t.aligns) {
		row = append(row, "")
	}
	row = row[:len(t.aligns)]
	if t.fixed {
		for _, r := range m.cells(nil, row, m.th.Text) {
			m.emit(r)
		}
		m.markup = m.markup || marked(s)
		return
	}
	if m.dry {
		t.need = slices.Clone(t.need)
	}
	t.rows = append(slices.Clip(t.rows), row)
	if m.widen(row) {
		m.layTable()
	} else {
		t.drawn = m.cells(slices.Clip(t.drawn), row, m.th.Text)
	}
	if len(t.rows) == tableOpen {
		m.fixTable()
	}
}

// fixTable draws what is laid out for good.
func (m *machine) fixTable() {
	for _, r := range m.tab.drawn {
		m.emit(r)
	}
	m.tab.rows, m.tab.drawn, m.tab.fixed = nil, nil, true
}

func (m *machine) endTable() {
	if !m.tab.fixed {
		m.fixTable()
	}
	m.tab = tableState{}
}

// columns shares the room among the columns, or returns nil if it is too
// narrow for them.
func (m *machine) columns() []int {
	n := len(m.tab.aligns)
	room := m.room() - tableGap*(n-1)
	if room < n*minCell {
		return nil
	}
	ws, sum := make([]int, n), 0
	for i, need := range m.tab.need {
		ws[i] = max(1, need)
		sum += ws[i]
	}
	if sum <= room {
		return ws
	}
	// The widest give way: all above a common limit are cut to it.
	lo, hi := minCell, room
	for lo < hi {
		mid, s := (lo+hi+1)/2, 0
		for _, w := range ws {
			s += min(w, mid)
		}
		if s <= room {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	left := room
	for i := range ws {
		ws[i] = min(ws[i], lo)
		left -= ws[i]
	}
	for i := 0; i < n && left > 0; i++ {
		if ws[i] == lo {
			ws[i]++
			left--
		}
	}
	return ws
}

func (m *machine) cellWidth(cell string) int {
	w := 0
	for _, p := range m.read(cell, false, m.refs) {
		w += safe.Width(p.text)
	}
	return w
}

// cells appends one table row as it is drawn; its cells wrap inside their columns.
func (m *machine) cells(out []string, cells []string, base theme.Style) []string {
	bar := m.th.TableFrame.Apply(m.th.Glyphs.Bar)
	if m.tab.widths == nil {
		var runs []safe.Run
		for i, c := range cells {
			if i > 0 {
				runs = append(runs, safe.Run{Text: " "}, safe.Run{Text: m.th.Glyphs.Bar, Open: m.th.TableFrame.Open, Close: m.th.TableFrame.Close}, safe.Run{Text: " "})
			}
			runs = appendLooks(runs, m.read(c, false, m.refs), m.th, base)
		}
		for _, r := range safe.WrapRuns(runs, m.room(), m.room()) {
			out = append(out, string(safe.AppendRuns(nil, r)))
		}
		return out
	}
	cols := make([][][]safe.Run, len(cells))
	height := 1
	for i, c := range cells {
		cols[i] = safe.WrapRuns(appendLooks(nil, m.read(c, false, m.refs), m.th, base), m.tab.widths[i], m.tab.widths[i])
		height = max(height, len(cols[i]))
	}
	var b []byte
	for y := range height {
		b = b[:0]
		for i, w := range m.tab.widths {
			if i > 0 {
				b = append(b, ' ')
				b = append(b, bar...)
				b = append(b, ' ')
			}
			var row []safe.Run
			if y < len(cols[i]) {
				row = cols[i][y]
			}
			used := 0
			for _, r := range row {
				used += safe.Width(r.Text)
			}
			fill := max(w-used, 0)
			left := 0
			switch m.tab.aligns[i] {
			case alignRight:
				left = fill
			case alignCenter:
				left = fill / 2
			}
			if len(row) == 0 {
				left = 0
			}
			b = append(b, safe.Blanks(left)...)
			b = safe.AppendRuns(b, row)
			if i < len(m.tab.widths)-1 {
				b = append(b, safe.Blanks(fill-left)...)
			}
		}
		out = append(out, string(b))
	}
	return out
}
