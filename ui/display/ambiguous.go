package display

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// Characters of ambiguous width take one cell or two, as the terminal pleases, and an
// emoji of several parts is one sign or a row of them. Which, it is asked by drawing one
// of each and having it tell where the cursor is then.

// Ambiguous tells a model how many cells a character of ambiguous width takes in the
// terminal. It comes once, after Measure, if the terminal answers.
type Ambiguous struct{ Cells int }

type (
	measureMsg struct{}
	wideMsg    bool
)

// Measure is a command that asks the terminal how wide it draws characters of ambiguous
// width, and whether it joins the parts of an emoji. They are drawn with the next frame
// and under it, so that nobody sees them.
func Measure() tea.Msg { return measureMsg{} }

// DrawWide is a command that has characters of ambiguous width drawn in two cells, or in
// one. The model lays its view out likewise.
func DrawWide(on bool) tea.Cmd { return func() tea.Msg { return wideMsg(on) } }

// several is an emoji of three parts, joined and of a colour: two cells where they make
// one sign, up to six where they do not.
const several = "👩🏽\u200d🚀"

// probe draws one of each at the begin of a row, asks for the cursor each time, and wipes
// the row; asked is how many answers will come. On the first row of a screen an answer
// could be taken for a key.
func probe(alt bool, w, h int) (seq string, asked int) {
	at := "\r"
	if alt && h > 1 {
		at = ansi.CursorPosition(1, 2)
	}
	wipe := "\r" + ansi.EraseLineRight
	seq, asked = at+"●"+ansi.RequestCursorPositionReport+wipe, 1
	if w > 6 { // where it stands in a row in any case
		seq, asked = seq+several+ansi.RequestCursorPositionReport+wipe, 2
	}
	return seq, asked
}

// ask has the next frame carry the question; all of it is drawn anew then.
func (s *screen) ask() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = true
	s.repaint()
	s.due()
}

// wider counts cells as the model does from now on.
func (s *screen) wider(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wide != on {
		s.wide = on
		s.repaint()
		s.due()
	}
}

// located takes the positions the terminal tells after it was asked, in their order. What
// the first means the model gets; what the second does is the screen's own.
func (s *screen) located(m tea.CursorPositionMsg) tea.Msg {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == 0 {
		return m
	}
	s.asked--
	if s.second = !s.second; s.second {
		return Ambiguous{Cells: m.X}
	}
	s.joins = m.X == 2
	for _, c := range []*canvas{s.main, s.alt} {
		if c != nil && c.odd && c.joins != s.joins { // such text is on the screen
			s.repaint()
			s.due()
		}
	}
	return nil
}

// isAmbiguous reports whether a character is of ambiguous width. Placeholders of pictures
// are private characters, which count as such, and take one cell all the same.
func isAmbiguous(r rune) bool {
	return r >= 0xa1 && r < 0xe000 && displaywidth.Rune(r) == 1 && (displaywidth.Options{EastAsianWidth: true}).Rune(r) == 2
}

// draw puts a row into the cells. No row hands its style on.
func (c *canvas) draw(row string, y, w int) {
	if !c.wide && (!c.odd || c.graphemes) {
		uv.NewStyledString(row).Draw(c.cells, uv.Rect(0, y, w, 1))
		return
	}
	c.adapt(row, y, w)
	c.moor(y, w)
}

// adapt draws a row as the renderer counts it, and then gives each character the cells it
// has in the layout and in the terminal, and moves on what follows it.
func (c *canvas) adapt(row string, y, w int) {
	counted := uv.NewScreenBuffer(max(w, c.cells.Method.StringWidth(row)), 1)
	counted.Method = c.cells.Method
	uv.NewStyledString(row).Draw(counted, counted.Bounds())
	x := 0
	for _, cell := range counted.Line(0) {
		if cell.Width == 0 { // the rest of a wide one
			continue
		}
		c.fit(&cell)
		if x+cell.Width > w {
			break
		}
		c.cells.SetCell(x, y, &cell)
		x += cell.Width
	}
	for ; x < w; x++ {
		c.cells.SetCell(x, y, nil)
	}
}

// fit gives a cell its width. An emoji of several parts is shown by its first where the
// terminal may not join them: it would write over what follows, or what follows over it.
func (c *canvas) fit(cell *uv.Cell) {
	if len(cell.Content) < 2 {
		return
	}
	first, _ := utf8.DecodeRuneInString(cell.Content)
	switch {
	case !c.graphemes && isKeycap(cell.Content):
		cell.Width = ansi.StringWidth(cell.Content)
	case c.wide && cell.Width == 1 && isAmbiguous(first):
		cell.Width = 2
	case !c.graphemes && isEmoji(first):
		if !c.joins || c.relayed {
			cell.Content = single(cell.Content)
		}
		cell.Width = ansi.StringWidth(cell.Content)
		if c.relayed {
			cell.Content = strings.ReplaceAll(cell.Content, "\ufe0f", "")
		}
	}
}

// isKeycap reports whether a character is a digit on a key: an emoji that begins with no
// sign of one, and takes two cells.
func isKeycap(content string) bool { return strings.HasSuffix(content, "\ufe0f\u20e3") }

// isEmoji reports whether a character may be the first of an emoji.
func isEmoji(r rune) bool { return r >= 0x2190 && r < 0x2c00 || r >= 0x1f000 && r < 0x20000 }

// moor goes over the cells of a row that was drawn. Where a terminal may take another
// number of cells for a character than is counted, it is told where the next one stands:
// then such a character costs nobody else their place.
func (c *canvas) moor(y, w int) {
	line := c.cells.Line(y)
	for x := range line {
		cell := line.At(x)
		if cell.Width == 0 || len(cell.Content) < 2 || x+cell.Width >= w || !c.doubtful(cell) {
			continue
		}
		cell.Content += ansi.CursorHorizontalAbsolute(x + cell.Width + 1)
	}
}

// relayed reports whether a multiplexer draws what it is told on a terminal that it takes
// to count cells as it does.
func relayed(env []string) bool {
	e := uv.Environ(env)
	term := e.Getenv("TERM")
	return e.Getenv("TMUX") != "" || e.Getenv("STY") != "" || strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen")
}

// single is an emoji without what is joined to it and its colour of skin, which terminals
// count in different ways.
func single(content string) string {
	content, _, _ = strings.Cut(content, "\u200d")
	_, n := utf8.DecodeRuneInString(content)
	return content[:n] + strings.Map(func(r rune) rune {
		if r >= 0x1f3fb && r <= 0x1f3ff {
			return -1
		}
		return r
	}, content[n:])
}

// doubtful reports whether terminals differ in how wide they draw a cell's content: where
// it is more than a letter and its accents, or an emoji, of which each year brings new
// ones.
func (c *canvas) doubtful(cell *uv.Cell) bool {
	first, n := utf8.DecodeRuneInString(cell.Content)
	if c.wide && isAmbiguous(first) {
		return true
	}
	if !c.odd || c.graphemes || first >= 0xf0000 { // a private one, of a picture
		return false
	}
	for _, r := range cell.Content[n:] {
		if r < 0x300 || r > 0x36f {
			return true
		}
	}
	return isEmoji(first) && cell.Width > 1
}
