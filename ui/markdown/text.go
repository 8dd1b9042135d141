package markdown

import (
	"strings"

	"forge/ui/safe"
	"forge/ui/theme"
)

const (
	// chunk is how much of a paragraph is kept open: beyond it, rows are drawn
	// for good at the next place where no mark is open. It keeps the cost of a
	// delta flat inside a paragraph of any length.
	chunk = 1 << 10
	// maxChunk is where they are drawn for good whatever is open.
	maxChunk = 4 << 10
)

// addText adds a line to the paragraph. Two blanks or a backslash at its end
// are a hard break.
func (m *machine) addText(s string) {
	if len(m.text) > 0 && m.text[len(m.text)-1] != '\n' {
		m.text = append(m.text, ' ')
	}
	s = strings.TrimLeft(s, " ")
	t := strings.TrimRight(s, " ")
	hard := len(s)-len(t) >= 2
	if strings.HasSuffix(t, `\`) && !strings.HasSuffix(t, `\\`) {
		t, hard = t[:len(t)-1], true
	}
	m.last = len(m.text)
	m.text = append(m.text, t...)
	if hard {
		m.text = append(m.text, '\n')
	}
	m.lines = min(m.lines+1, 2)
	if len(m.text) > chunk {
		m.freeze()
	}
}

// addPart adds text of a line that is not finished.
func (m *machine) addPart(s string) {
	m.text = append(m.text, s...)
	m.freeze()
}

// freeze draws the front of a long paragraph for good, up to a blank where no
// mark is open.
func (m *machine) freeze() {
	for len(m.text) > chunk {
		cut := neutral(m.text, chunk/2)
		if cut < 0 {
			if len(m.text) < maxChunk {
				return
			}
			cut = maxChunk / 2
			for cut > 0 && m.text[cut] >= 0x80 && m.text[cut] < 0xc0 {
				cut--
			}
			for k := cut; k > cut-256; k-- {
				if m.text[k] == ' ' {
					cut = k
					break
				}
			}
		}
		rows := m.wrap(m.runs(string(m.text[:cut]), false))
		var b []byte
		for _, r := range rows[:len(rows)-1] {
			b = m.emitRuns(b, r)
		}
		m.carry = rows[len(rows)-1]
		m.frozen = true
		n := copy(m.text, m.text[cut:])
		m.text = m.text[:n]
		m.last = max(m.last-cut, 0)
	}
}

// neutral returns the first blank after from where nothing is open, or -1. It
// is careful rather than exact: a mark it cannot pair delays the cut.
func neutral(s []byte, from int) int {
	ticks, stars, brackets := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
		case '`':
			n := 1
			for i+n < len(s) && s[i+n] == '`' {
				n++
			}
			if ticks == 0 {
				ticks = n
			} else if ticks == n {
				ticks = 0
			}
			i += n - 1
		case '*', '~', '_':
			if ticks == 0 {
				stars++
			}
		case '[', '(', '<':
			if ticks == 0 {
				brackets++
			}
		case ']', ')', '>':
			if ticks == 0 && brackets > 0 {
				brackets--
			}
		case ' ':
			if i >= from && ticks == 0 && stars%2 == 0 && brackets == 0 {
				return i
			}
		}
	}
	return -1
}

// runs turns paragraph text into runs, after what was carried over from the
// last row drawn.
func (m *machine) runs(src string, open bool) []safe.Run {
	base := m.th.Text
	if m.quoted() {
		base = m.th.Quote
	}
	if m.heading > 0 {
		base = m.th.Headings[m.heading-1]
	}
	out := append([]safe.Run(nil), m.carry...)
	if len(m.carry) > 0 {
		src = strings.TrimPrefix(src, " ")
		out = append(out, safe.Run{Text: " "})
	}
	m.markup = m.markup || marked(src)
	return appendLooks(out, m.read(src, open, m.refs), m.th, base)
}

// marks are the characters that may mean something inside prose.
const marks = "\\`*_~[]<&!"

// marked reports whether prose is more than its letters.
func marked(src string) bool {
	return strings.ContainsAny(src, marks) || strings.Contains(src, "://")
}

// appendLooks gives pieces their looks.
func appendLooks(out []safe.Run, ps []piece, th *theme.Theme, base theme.Style) []safe.Run {
	for _, p := range ps {
		r := safe.Run{Text: p.text}
		if th.Links && p.to != "" {
			r.Open, r.Close = safe.Linked(safe.WebTarget(p.to))
		}
		add := func(s theme.Style) { r.Open, r.Close = r.Open+s.Open, s.Close+r.Close }
		switch {
		case p.attr&code != 0:
			add(th.CodeSpan)
		case p.attr&target != 0:
			add(th.Link)
		default:
			add(base)
			if p.attr&label != 0 {
				add(th.Accent)
			}
		}
		if p.attr&code != 0 {
			out = append(out, r)
			continue
		}
		if p.attr&bold != 0 {
			add(th.Strong)
		}
		if p.attr&italic != 0 {
			add(th.Emph)
		}
		if p.attr&strike != 0 {
			add(th.Struck)
		}
		out = append(out, r)
	}
	return out
}

// wrap breaks runs into rows; a line feed in a run is a hard break.
func (m *machine) wrap(runs []safe.Run) [][]safe.Run {
	w := m.measure()
	hard := false
	for _, r := range runs {
		hard = hard || strings.IndexByte(r.Text, '\n') >= 0
	}
	if !hard {
		return safe.WrapRuns(runs, w, w)
	}
	var rows [][]safe.Run
	var line []safe.Run
	for _, r := range runs {
		for {
			before, after, ok := strings.Cut(r.Text, "\n")
			line = append(line, safe.Run{Text: before, Open: r.Open, Close: r.Close})
			if !ok {
				break
			}
			rows = append(rows, safe.WrapRuns(line, w, w)...)
			line, r.Text = nil, strings.TrimLeft(after, " ")
		}
	}
	return append(rows, safe.WrapRuns(line, w, w)...)
}

// endText draws the rest of the paragraph.
func (m *machine) endText() {
	src := strings.TrimRight(string(m.text), "\n ")
	if src == "" && len(m.carry) == 0 {
		return
	}
	var b []byte
	for _, r := range m.wrap(m.runs(src, m.open)) {
		b = m.emitRuns(b, r)
	}
	m.text, m.carry = m.text[:0], nil
}

func (m *machine) drawHeading(level int, text string) {
	m.gap()
	m.heading = level
	m.carry = nil
	var b []byte
	for _, r := range m.wrap(m.runs(text, m.open)) {
		b = m.emitRuns(b, r)
	}
	m.heading = 0
	// A heading stands apart from what follows it, blank line or not.
	m.blank = len(m.frames) > 0
}
