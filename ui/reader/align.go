package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"forge/ui/safe"
)

// How far ahead in the source something that a row shows is looked for, in bytes.
const (
	nearRow  = 600 // a whole row: what lies between is markup, a fence, a link's address
	nearWord = 400
	nearRune = 8
	tiny     = 2 // a word of so few bytes stands everywhere: it is looked for close by
	nearTiny = 16
)

// Map tells which part of a source the rows of a pane show. Rows are wrapped, padded
// and without markup; nothing else is known of how they came about, so the map is
// found by reading both side by side.
type Map struct {
	source string
	rows   [][]seg
	plain  []string
}

// seg is a run of cells of a row that stands in the source as it is.
type seg struct {
	col, end int // cells
	from, to int // bytes of the source
}

// Align makes the map of rows that may have looks.
func Align(source string, rows []string) *Map {
	m := &Map{source: source, rows: make([][]seg, len(rows)), plain: make([]string, len(rows))}
	pos := 0
	for i, r := range rows {
		m.plain[i] = strings.TrimRight(ansi.Strip(r), " ")
		m.rows[i], pos = m.align(m.plain[i], pos)
	}
	return m
}

// align finds one row from pos on, and returns where the next may begin.
func (m *Map) align(plain string, pos int) ([]seg, int) {
	text := strings.TrimLeft(plain, " ")
	if text == "" {
		return nil, pos
	}
	col := len(plain) - len(text)
	if s, ok := m.whole(text, col, pos, nearRow); ok {
		return []seg{s}, s.to
	}
	segs, next, hit := m.words(text, col, pos)
	if len(segs) > 0 && 2*hit >= readable(text) { // marks and borders are no text
		return segs, next
	}
	// The rows between may have been left out: folded output shows its end only.
	if s, ok := m.whole(text, col, pos, len(m.source)); ok && len(text) > tiny {
		return []seg{s}, s.to
	}
	return nil, pos
}

// whole finds a row that stands in the source as it is; one that was cut, up to
// where it was cut. Tabs became blanks on the way to the screen.
func (m *Map) whole(text string, col, pos, near int) (seg, bool) {
	ahead := m.source[pos:min(len(m.source), pos+near+len(text))]
	if i := strings.Index(ahead, text); i >= 0 {
		return seg{col, col + safe.Width(text), pos + i, pos + i + len(text)}, true
	}
	for _, cut := range []string{"…", "~"} {
		short, ok := strings.CutSuffix(text, cut)
		if !ok || len(short) < 8 {
			continue
		}
		if i := strings.Index(ahead, short); i >= 0 {
			end := pos + i + len(short)
			if n := strings.IndexByte(m.source[end:], '\n'); n >= 0 { // the line, to its end
				end += n
			} else {
				end = len(m.source)
			}
			return seg{col, col + safe.Width(text), pos + i, end}, true
		}
	}
	return seg{}, false
}

// words finds a row word by word, and where a word has markup inside, letter by
// letter. hit counts the letters and digits that were found.
func (m *Map) words(text string, col, pos int) (segs []seg, next, hit int) {
	for text != "" {
		n := len(text) - len(strings.TrimLeft(text, " "))
		text, col = text[n:], col+n
		word, _, _ := strings.Cut(text, " ")
		text = text[len(word):]
		near := nearWord
		if len(word) <= tiny {
			near = nearTiny
		}
		w := safe.Width(word)
		from := pos
		if len(segs) == 0 { // before the first text of a row may stand rules, fences, ends of a table's row
			from = m.past(pos)
		}
		ahead := m.source[pos:min(len(m.source), from+near+len(word))]
		if i := strings.Index(ahead, word); i >= 0 {
			segs = append(segs, seg{col, col + w, pos + i, pos + i + len(word)})
			pos += i + len(word)
			hit += readable(word)
			col += w
			continue
		}
		had, was, got := len(segs), pos, 0
		g := safe.Graphemes(word)
		for c := col; g.Next(); c += g.Width() {
			v := g.Value()
			ahead := m.source[pos:min(len(m.source), pos+nearRune+len(v))]
			if i := strings.Index(ahead, v); i >= 0 {
				segs = append(segs, seg{c, c + g.Width(), pos + i, pos + i + len(v)})
				pos += i + len(v)
				got += readable(v)
			}
		}
		if 3*got < 2*readable(word) { // another word that shares some letters
			segs, pos, got = segs[:had], was, 0
		}
		hit += got
		col += w
	}
	return segs, pos, hit
}

// past is where something begins that can be read, from pos on.
func (m *Map) past(pos int) int {
	i := strings.IndexFunc(m.source[pos:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if i < 0 {
		return len(m.source)
	}
	return pos + i
}

// readable counts the letters and digits of a text.
func readable(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// Text returns the source behind the cells from column c0 of row r0 to column c1 of
// row r1, c1 not included. Rows that are not in the source, borders and titles, are
// left out, or with all told as they look. Where the part begins at the first text of
// a line, what stands before it in the source belongs to it: indentation, a bullet; but
// not to a few letters of one row.
func (m *Map) Text(r0, c0, r1, c1 int, all bool) string {
	var out []string
	from, to, shown := -1, -1, 0 // shown: backticks that the rows have
	flush := func() {
		if from >= 0 {
			out = append(out, strings.TrimRight(m.paired(from, to, shown), " \t\n"))
			from, shown = -1, 0
		}
	}
	for r := max(0, r0); r <= min(r1, len(m.rows)-1); r++ {
		lo, hi := 0, 1<<30
		if r == r0 {
			lo = c0
		}
		if r == r1 {
			hi = c1
		}
		a, b, ok := m.part(r, lo, hi, r0 == r1)
		if ok && from >= 0 && a < to {
			flush()
		}
		if ok {
			shown += strings.Count(safe.Cut(m.plain[r], lo, min(hi, safe.Width(m.plain[r]))), "`")
		}
		switch {
		case ok && from < 0:
			from, to = a, b
		case ok:
			to = b
		case all && len(m.rows[r]) == 0:
			if s := strings.TrimSpace(safe.Cut(m.plain[r], lo, min(hi, safe.Width(m.plain[r])))); s != "" {
				flush()
				out = append(out, s)
			}
		}
	}
	flush()
	return strings.Join(out, "\n")
}

// paired is a part of the source in which no mark of code stands without the other: a
// part that begins or ends with the code takes its marks along, one that begins or ends
// inside of it leaves them there. Backticks that the rows show are no marks.
func (m *Map) paired(from, to, shown int) string {
	text := m.source[from:to]
	if (strings.Count(text, "`")-shown)%2 == 0 || strings.Contains(text, "```") { // fences stand by themselves
		return text
	}
	line := strings.LastIndexByte(m.source[:from], '\n') + 1
	inside := strings.Count(m.source[line:from], "`")%2 == 1
	switch {
	case inside && m.source[from-1] == '`':
		return m.source[from-1 : to]
	case !inside && to < len(m.source) && m.source[to] == '`':
		return m.source[from : to+1]
	}
	at := strings.IndexByte(text, '`')
	if !inside {
		at = strings.LastIndexByte(text, '`')
	}
	if at < 0 {
		return text
	}
	return text[:at] + text[at+1:]
}

// part is the bytes of the source that cells lo to hi of a row show. Letters of one
// row alone take nothing with them that is not shown, where no mark is among them.
func (m *Map) part(r, lo, hi int, alone bool) (from, to int, ok bool) {
	segs := m.rows[r]
	from = -1
	within := func(s seg) bool { return alone && lo >= s.col && hi <= s.end }
	for i, s := range segs {
		if s.end <= lo || s.col >= hi {
			continue
		}
		a, b := s.from, s.to
		if lo > s.col {
			a = m.cell(s, lo)
		} else if i == 0 && !within(s) {
			a = m.before(r, s.from)
		}
		if hi < s.end {
			b = m.cell(s, hi)
		} else if i == len(segs)-1 && !within(s) {
			b = m.after(r, s.to)
		}
		if from < 0 {
			from = a
		}
		to = b
	}
	return from, to, from >= 0
}

// cell is the byte where the grapheme at a column of a seg begins.
func (m *Map) cell(s seg, col int) int {
	at, c := s.from, s.col
	g := safe.Graphemes(m.source[s.from:s.to])
	for g.Next() {
		if c >= col {
			return at
		}
		c += g.Width()
		at += len(g.Value())
	}
	return s.to
}

// before goes back from the first text of a row over what no row shows: to the begin
// of the line, or to the text before.
func (m *Map) before(r, at int) int {
	low := 0
	for i := r - 1; i >= 0; i-- {
		if n := len(m.rows[i]); n > 0 {
			low = m.after(i, m.rows[i][n-1].to) // the marks that close it are its own
			break
		}
	}
	if low > at {
		return at
	}
	gap := m.source[low:at]
	if n := strings.LastIndexByte(gap, '\n'); n >= 0 {
		return low + n + 1
	}
	if low > 0 { // a line that was wrapped: the end of the row before has its markup
		return at - len(strings.TrimLeftFunc(gap, func(r rune) bool { return !strings.ContainsRune("*_`[~", r) }))
	}
	return low
}

// after goes on from the last text of a row over the marks that close it: not over
// anything that could be read, and not into the next line.
func (m *Map) after(r, at int) int {
	end := len(m.source)
	for i := r + 1; i < len(m.rows); i++ {
		if len(m.rows[i]) > 0 {
			end = m.rows[i][0].from
			break
		}
	}
	if end < at {
		return at
	}
	gap := m.source[at:end]
	if n := strings.IndexByte(gap, '\n'); n >= 0 {
		return at + n
	}
	if end == len(m.source) {
		return end
	}
	n := strings.IndexFunc(gap, unicode.IsSpace)
	if n < 0 {
		if strings.ContainsFunc(gap, unicode.IsLetter) {
			return at
		}
		n = len(strings.TrimRight(gap, "[*_`~")) // the marks that open what follows
	}
	for n > 0 && n < len(gap) && !utf8.RuneStart(gap[n]) {
		n--
	}
	return at + n
}
