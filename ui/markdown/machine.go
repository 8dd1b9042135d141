package markdown

import (
	"strings"

	"forge/ui/highlight"
	"forge/ui/safe"
	"forge/ui/theme"
)

// leaf is what the innermost container is being filled with.
type leaf uint8

const (
	none leaf = iota
	para
	fenced
	indented
	table
	defined // definitions of links
)

// frame is an open container: a block quote or a list item.
type frame struct {
	quote  bool
	indent int // column an item's content begins in
	mark   safe.Run
	width  int  // cells its prefix takes
	used   bool // the item's mark was drawn
}

// prose turns the text of a paragraph into pieces. open says that more of it
// will come.
type prose func(src string, open bool, rs refs) []piece

// machine reads one top-level block line by line and draws rows as soon as
// nothing can change them any more. It is a value: copied, it can be fed what
// is not finished yet and be thrown away.
type machine struct {
	th   *theme.Theme
	w    int
	read prose
	refs refs // its table is shared; definitions are added as they are read
	dry  bool // but not by a fork

	rows   []string // drawn for good
	skip   int      // of them, those a fork began with
	markup bool     // something here is worth the engine's reading
	open   bool     // what is drawn now is provisional: more text will come
	final  bool     // the block is read once more: all it defines is in the table
	frames []frame
	leaf   leaf
	blank  bool // a blank line stands before what comes next
	done   bool // the block is complete

	text    []byte // of the paragraph, from its last freeze on; soft breaks are blanks
	last    int    // where its last line begins in text
	lines   int    // its lines, counted to two
	heading int    // level, while its text is drawn
	carry   []safe.Run
	frozen  bool // rows of the paragraph were drawn already

	fence struct {
		ch        byte
		n, indent int
	}
	lex   highlight.Lexer
	blind int // blank lines of indented code not drawn yet
	part  bool
	lead  int // indentation of the code line being read in parts

	tab tableState
}

// line reads one line, without its line feed. It returns false, having read
// nothing, if the line begins another top-level block.
func (m *machine) line(s string) bool {
	s = safe.ExpandTabs(s, 0)
	rest, matched := s, 0
	for matched < len(m.frames) {
		f := &m.frames[matched]
		if f.quote {
			r, ok := quoteOf(rest)
			if !ok {
				break
			}
			rest = r
		} else if isBlank(rest) {
			rest = ""
		} else if indentOf(rest) >= f.indent {
			rest = rest[f.indent:]
		} else {
			break
		}
		matched++
	}
	all := matched == len(m.frames)
	if m.leaf == fenced && all {
		if closesFence(rest, m.fence.ch, m.fence.n) {
			m.leaf = none
			m.done = len(m.frames) == 0
			return true
		}
		m.codeLine(stripIndent(rest, m.fence.indent))
		return true
	}
	if isBlank(rest) {
		m.blankLine(matched)
		return true
	}
	if !all {
		if m.leaf == para && indentOf(rest) < 4 && !startsBlock(rest) {
			m.addText(rest) // a lazy continuation
			return true
		}
		if matched == 0 {
			if _, _, _, ok := itemOf(rest); !ok || m.frames[0].quote || isRule(rest) {
				return false
			}
		}
		m.endLeaf()
		m.pop(matched)
	}
	return m.place(rest)
}

// place opens the containers a line begins and gives the rest to a leaf.
func (m *machine) place(rest string) bool {
	opened := false
	for {
		if indentOf(rest) >= 4 && (m.leaf != para || opened) {
			return m.indentedLine(rest)
		}
		if r, ok := quoteOf(rest); ok {
			if !m.begin(opened) {
				return false
			}
			m.frames = append(m.frames, frame{quote: true, width: 2})
			rest, opened = r, true
			if isBlank(rest) {
				return true
			}
			continue
		}
		if isRule(rest) {
			break
		}
		mark, content, r, ok := itemOf(rest)
		if !ok || m.leaf == para && !opened && !interrupts(mark, r) {
			break
		}
		if !m.begin(opened) {
			return false
		}
		r = m.pushItem(mark, content, r)
		rest, opened = r, true
		if rest == "" {
			return true
		}
	}
	return m.leafLine(rest, opened)
}

// begin makes room for a new block. It returns false if that one is to be a
// top-level block of its own.
func (m *machine) begin(nested bool) bool {
	if nested {
		return true
	}
	if len(m.frames) == 0 && m.leaf != none {
		return false
	}
	m.endLeaf()
	return true
}

func (m *machine) pushItem(mark string, content int, rest string) string {
	text := m.th.Glyphs.Bullet
	if len(mark) > 1 {
		text = mark
	}
	style := m.th.ListMark
	if len(rest) >= 3 && rest[0] == '[' && rest[2] == ']' && (len(rest) == 3 || rest[3] == ' ') {
		switch rest[1] {
		case ' ':
			text, style, rest = m.th.Glyphs.Unticked, m.th.Muted, strings.TrimLeft(rest[3:], " ")
		case 'x', 'X':
			text, style, rest = m.th.Glyphs.Ticked, m.th.Ok, strings.TrimLeft(rest[3:], " ")
		}
	}
	m.frames = append(m.frames, frame{
		indent: content, width: safe.Width(text) + 1,
		mark: safe.Run{Text: text, Open: style.Open, Close: style.Close},
	})
	return rest
}

// leafLine gives a line without container marks to a leaf.
func (m *machine) leafLine(s string, opened bool) bool {
	top := len(m.frames) == 0
	if ch, n, indent, info, ok := fenceOf(s); ok {
		if !m.begin(opened) {
			return false
		}
		m.startCode(fenced, info)
		m.fence.ch, m.fence.n, m.fence.indent = ch, n, indent
		return true
	}
	if level, text, ok := headingOf(s); ok {
		if !m.begin(opened) {
			return false
		}
		m.drawHeading(level, text)
		m.done = top
		return true
	}
	if m.leaf == para && !opened {
		if level, ok := setextOf(s); ok && !m.frozen {
			text := strings.TrimRight(string(m.text), "\n ")
			m.leaf, m.text = none, m.text[:0]
			m.drawHeading(level, text)
			m.done = top
			return true
		}
		if as, ok := delimiterOf(s); ok && m.startTable(as) {
			return true
		}
	}
	if isRule(s) {
		if !m.begin(opened) {
			return false
		}
		m.gap()
		m.emit(m.th.Rule.Apply(strings.Repeat(m.th.Glyphs.Rule, m.measure())))
		m.done = top
		return true
	}
	if m.leaf == table && !opened {
		m.tableRow(s)
		return true
	}
	if m.leaf == none || m.leaf == defined || opened {
		if label, dest, ok := refOf(s); ok {
			m.define(label, dest)
			return true
		}
	}
	if m.leaf != para {
		if (m.leaf == indented || m.leaf == defined) && top {
			return false
		}
		m.endLeaf()
		m.leaf = para
		m.gap()
		m.lines, m.last, m.text = 0, 0, m.text[:0]
		m.carry, m.frozen = nil, false
	}
	m.addText(s)
	return true
}

// define reads the definition of a link, and shows it: text before it may ask for it.
func (m *machine) define(label, dest string) {
	folded := foldLabel(label)
	d, had := m.refs.table[folded]
	switch {
	case m.final:
		m.refs.most = max(m.refs.most, d.n)
	case !had && !m.dry:
		m.refs.table[folded] = definition{dest, len(m.refs.table) + 1}
	}
	m.gap()
	m.leaf = defined
	var b []byte
	for _, r := range m.wrap(appendLooks(nil, []piece{{text: "[" + label + "]: "}, {text: dest, attr: target}}, m.th, m.th.Text)) {
		b = m.emitRuns(b, r)
	}
}

func (m *machine) blankLine(matched int) {
	if m.leaf == indented {
		m.blind++
		return
	}
	for i := matched; i < len(m.frames); i++ {
		if m.frames[i].quote { // a quote ends where its mark is missing
			m.endLeaf()
			m.pop(i)
			break
		}
	}
	m.endLeaf()
	m.blank = true
	if len(m.frames) == 0 {
		m.done = true
	}
}

// indentedLine reads a line of code that is marked by its indentation.
func (m *machine) indentedLine(s string) bool {
	if m.leaf != indented {
		if len(m.frames) == 0 && m.leaf != none {
			return false
		}
		m.endLeaf()
		m.startCode(indented, "")
	}
	for ; m.blind > 0; m.blind-- {
		m.codeLine("")
	}
	m.codeLine(s[4:])
	return true
}

// endLeaf draws what is left of the open leaf.
func (m *machine) endLeaf() {
	switch m.leaf {
	case para:
		m.endText()
	case table:
		m.endTable()
	}
	if m.leaf == indented && m.blind > 0 {
		m.blank = true
	}
	m.leaf, m.blind = none, 0
}

// pop closes the containers from n on. An item without text still shows its
// mark.
func (m *machine) pop(n int) {
	if len(m.frames) > n && !m.frames[len(m.frames)-1].used && !m.frames[len(m.frames)-1].quote {
		m.gap()
		m.emit("")
	}
	m.frames = m.frames[:n]
}

// end draws everything that is left.
func (m *machine) end() {
	m.endLeaf()
	m.pop(0)
	m.done = true
}
