package markdown

import (
	"strings"

	"forge/ui/highlight"
	"forge/ui/safe"
)

// codeIndent sets code apart from prose, in cells, where there is room for it.
const codeIndent = 2

func (m *machine) codeIndent() int {
	if m.room() < 4*codeIndent {
		return 0
	}
	return codeIndent
}

// maxHighlight is the longest line that is coloured, in bytes: longer ones are
// data, not source.
const maxHighlight = 2 << 10

// startCode begins a code block. The first word of info names its language.
func (m *machine) startCode(kind leaf, info string) {
	m.gap()
	m.leaf, m.part = kind, false
	name, _, _ := strings.Cut(strings.TrimLeft(info, "{. "), " ")
	name, _, _ = strings.Cut(name, ",")
	m.lex = highlight.Lexer{Lang: highlight.Of(strings.Trim(name, "{}"))}
}

// codeLine draws a line of code. A long one is wrapped, its rest indented like
// its beginning, so that nothing of it is lost.
func (m *machine) codeLine(s string) {
	if !m.part {
		m.drawCode(m.codeRows(s, -1), -1, m.codeHang(s))
		return
	}
	// The end of a line whose front was drawn already.
	m.part = false
	if s != "" {
		m.drawCode(m.codeRows(s, m.lead), m.lead, m.lead)
	}
}

// codePart draws the front of an unfinished line for good and returns how much
// of s it used.
func (m *machine) codePart(s string) int {
	lead := -1
	if m.part {
		lead = m.lead
	}
	if m.codeRoom() < 4 {
		return 0
	}
	rows := m.codeRows(s, lead)
	rows = rows[:len(rows)-1]
	n := 0
	for _, row := range rows {
		for _, r := range row {
			n += len(r.Text)
		}
	}
	if n == 0 {
		return 0
	}
	if !m.part {
		m.lead = m.codeHang(s)
	}
	m.drawCode(rows, lead, m.lead)
	m.part = true
	return n
}

func (m *machine) codeRoom() int { return max(m.room()-m.codeIndent(), 1) }

// codeHang is how far the rows of a code line after its first are indented.
func (m *machine) codeHang(s string) int { return min(indentOf(s), m.codeRoom()/2) }

// codeRows colours a line and breaks it into rows; lead is the indentation of
// one that goes on, or -1.
func (m *machine) codeRows(s string, lead int) [][]safe.Run {
	w := m.codeRoom()
	first, rest := w, max(w-m.codeHang(s), 1)
	if lead >= 0 {
		first, rest = max(w-lead, 1), max(w-lead, 1)
	}
	var runs []safe.Run
	if lead >= 0 || len(s) > maxHighlight {
		runs = []safe.Run{{Text: s, Open: m.th.Code.Text.Open, Close: m.th.Code.Text.Close}}
	} else {
		runs = m.lex.Line(nil, s, &m.th.Code)
	}
	return safe.ChopRuns(runs, first, rest)
}

// drawCode draws the rows of a line, the first one indented by lead if it goes
// on another, the others by hang.
func (m *machine) drawCode(rows [][]safe.Run, lead, hang int) {
	var b []byte
	for i, row := range rows {
		if len(row) == 0 {
			m.emit("")
			continue
		}
		indent := m.codeIndent()
		if i > 0 {
			indent += hang
		} else if lead > 0 {
			indent += lead
		}
		b = append(b[:0], m.prefix(true)...)
		b = append(b, safe.Blanks(indent)...)
		b = safe.AppendRuns(b, row)
		m.rows = append(m.rows, string(b))
	}
}
