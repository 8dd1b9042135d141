package markdown

import (
	"strings"

	"forge/ui/safe"
)

// gap draws the blank row that stood in the source before a block.
func (m *machine) gap() {
	if m.blank && len(m.rows) > 0 {
		// Marks not drawn yet belong to the row after the gap.
		m.rows = append(m.rows, strings.TrimRight(m.prefix(false), " "))
	}
	m.blank = false
}

// room is how many cells a row has behind its prefix.
func (m *machine) room() int {
	w := m.w
	for _, f := range m.frames[m.shown():] {
		w -= f.width
	}
	return max(w, 1)
}

// Measure is the widest row of prose, in cells: on a wide screen the eye loses
// its line on the way back. Tables and code take the room there is.
const Measure = 100

// measure is the room of a row of prose.
func (m *machine) measure() int { return min(m.room(), Measure) }

// shown is the first container whose prefix is drawn: in a narrow window the
// outer ones give way, so that text keeps half of it.
func (m *machine) shown() int {
	k, sum := len(m.frames), 0
	for k > 0 && sum+m.frames[k-1].width <= m.w/2 {
		k--
		sum += m.frames[k].width
	}
	return k
}

// prefix draws what stands before a row: bars of quotes, marks of items.
func (m *machine) prefix(marks bool) string {
	if len(m.frames) == 0 {
		return ""
	}
	var b strings.Builder
	for i, k := m.shown(), 0; i < len(m.frames); i, k = i+1, k+1 {
		f := &m.frames[i]
		switch {
		case f.quote:
			b.WriteString(m.th.QuoteBar.Apply(m.th.Glyphs.Quote))
			b.WriteByte(' ')
		case marks && !f.used:
			f.used = true
			b.WriteString(f.mark.Open + f.mark.Text + f.mark.Close)
			b.WriteByte(' ')
		default:
			b.WriteString(safe.Blanks(f.width))
		}
	}
	return b.String()
}

// emit draws one row.
func (m *machine) emit(body string) {
	if len(m.frames) > 0 {
		body = m.prefix(true) + body
	}
	m.rows = append(m.rows, body)
}

func (m *machine) emitRuns(b []byte, runs []safe.Run) []byte {
	b = append(b[:0], m.prefix(true)...)
	b = safe.AppendRuns(b, runs)
	m.rows = append(m.rows, string(b))
	return b
}

// quoted reports whether the innermost text stands in a block quote.
func (m *machine) quoted() bool {
	for _, f := range m.frames {
		if f.quote {
			return true
		}
	}
	return false
}
