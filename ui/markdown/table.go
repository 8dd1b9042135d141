package markdown

import (
	"strings"

	"forge/ui/safe"
	"forge/ui/theme"
)

const (
	tableGap = 3  // cells between columns: a bar and its blanks
	minCell  = 3  // narrowest column
	slackCap = 30 // widest a column is made before its cells are known
)

// tableState is a table being read. While it grows, its columns are as wide as
// the head and the first row ask for, so that a row once drawn stays; when all
// rows are known, final lays it out anew.
type tableState struct {
	aligns  []alignment
	head    []string
	rows    [][]string // kept only for the final layout
	widths  []int      // nil: too narrow for columns
	started bool
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
	m.markup = true
	m.tab = tableState{aligns: as, head: head}
	return true
}

func (m *machine) tableRow(s string) {
	row := cellsOf(s)
	for len(row) < len(m.tab.aligns) {
		row = append(row, "")
	}
	row = row[:len(m.tab.aligns)]
	if m.final {
		m.tab.rows = append(m.tab.rows, row)
		return
	}
	if !m.tab.started {
		m.startRows([][]string{row})
	}
	m.drawCells(row, m.th.Text)
}

// startRows fixes the widths and draws the head.
func (m *machine) startRows(rows [][]string) {
	m.tab.started = true
	m.tab.widths = m.columns(rows)
	m.drawCells(m.tab.head, m.th.TableHead)
	if m.tab.widths == nil {
		return
	}
	g, b := m.th.Glyphs, strings.Builder{}
	for i, w := range m.tab.widths {
		if i > 0 {
			b.WriteString(g.Rule + g.Cross + g.Rule)
		}
		b.WriteString(strings.Repeat(g.Rule, w))
	}
	m.emit(m.th.TableFrame.Apply(b.String()))
}

func (m *machine) endTable() {
	if !m.tab.started {
		m.startRows(m.tab.rows)
	}
	for _, row := range m.tab.rows {
		m.drawCells(row, m.th.Text)
	}
	m.tab = tableState{}
}

// columns shares the room among the columns, or returns nil if it is too
// narrow for them.
func (m *machine) columns(rows [][]string) []int {
	n := len(m.tab.aligns)
	room := m.room() - tableGap*(n-1)
	if room < n*minCell {
		return nil
	}
	ws, sum := make([]int, n), 0
	for i := range ws {
		ws[i] = max(1, m.cellWidth(m.tab.head[i]))
		for _, r := range rows {
			ws[i] = max(ws[i], m.cellWidth(r[i]))
		}
		sum += ws[i]
	}
	if sum <= room {
		if !m.final { // later rows may be wider
			for i, w := range ws {
				ws[i] = max(w, min(w+(room-sum)/n, slackCap))
			}
		}
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

// drawCells draws one table row; its cells wrap inside their columns.
func (m *machine) drawCells(cells []string, base theme.Style) {
	bar := m.th.TableFrame.Apply(m.th.Glyphs.Bar)
	if m.tab.widths == nil {
		var runs []safe.Run
		for i, c := range cells {
			if i > 0 {
				runs = append(runs, safe.Run{Text: " "}, safe.Run{Text: m.th.Glyphs.Bar, Open: m.th.TableFrame.Open, Close: m.th.TableFrame.Close}, safe.Run{Text: " "})
			}
			runs = appendLooks(runs, m.read(c, false, m.refs), m.th, base)
		}
		var b []byte
		for _, r := range safe.WrapRuns(runs, m.room(), m.room()) {
			b = m.emitRuns(b, r)
		}
		return
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
		m.emit(string(b))
	}
}
