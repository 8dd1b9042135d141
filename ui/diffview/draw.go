package diffview

import (
	"fmt"
	"strconv"
	"strings"

	"forge/tools/diff"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// oneNumber is the width below which a unified row shows one line number only.
const oneNumber = 60

// gutter is the cells before the text of a unified row: the mark of the chosen
// hunk, the numbers, the sign.
func (v *View) gutter() int {
	n := v.digits + 4
	if v.o.Width >= oneNumber {
		n += v.digits + 1
	}
	return n
}

// column is the cells of text in one of two columns.
func (v *View) column() int { return max(1, (v.o.Width-3)/2-v.digits-3) }

// text is a line as it is shown, without its line end.
func (v *View) text(l *diff.Line) string {
	s, ended := strings.CutSuffix(l.Text, "\n")
	if v.crlf {
		s = strings.TrimSuffix(s, "\r")
	}
	// Indentation is no place to hide in: rows are chopped, never cut, and every
	// line of code would else begin with markers.
	rest := strings.TrimLeft(s, " \t")
	indent := safe.ExpandTabs(s[:len(s)-len(rest)], 0)
	if v.o.Approve {
		s = indent + safe.Prompt(rest)
	} else {
		s = indent + safe.ExpandTabs(safe.Output(rest), len(indent))
	}
	if !ended && l.Op != diff.Equal {
		s += " " + lang.T("(no newline at the end)")
	}
	return s
}

func (v *View) height(it item) int {
	if !v.o.Split {
		return rowsFor(v.text(it.left), max(1, v.o.Width-v.gutter()))
	}
	n := 1
	for _, l := range []*diff.Line{it.left, it.right} {
		if l != nil {
			n = max(n, rowsFor(v.text(l), v.column()))
		}
	}
	return n
}

func rowsFor(s string, width int) int {
	if len(s) <= width && strings.IndexFunc(s, func(r rune) bool { return r >= 0x7f }) < 0 {
		return 1
	}
	return len(safe.Chop(s, width))
}

func (v *View) draw(it item) []string {
	switch {
	case it.head:
		return []string{v.header(it.hunk)}
	case v.o.Split:
		return v.drawSplit(it)
	}
	return v.drawUnified(it)
}

func (v *View) header(hunk int) string {
	t := v.o.Theme
	text := v.hunks[hunk].Header()
	if v.o.Review && hunk < len(v.o.States) {
		return safe.Truncate(v.mark(hunk)+v.o.States[hunk].Text(t)+" "+t.Hunk.Apply(text), v.o.Width, "")
	}
	return v.mark(hunk) + t.Hunk.Apply(safe.Truncate(text, v.o.Width-1, ""))
}

// State is what a reviewer does with a hunk.
type State byte

// The states.
const (
	Keep   State = iota
	Drop         // it is not written
	Edited       // kept, in the reviewer's own words
	Clash        // two versions stand in it between marks: it cannot be written yet
)

// Text is a state as it is shown, glyph and word.
func (s State) Text(t *theme.Theme) string {
	switch s {
	case Drop:
		return t.Error.Apply(t.Glyphs.Fail + " " + lang.T("drop"))
	case Edited:
		return t.Accent.Apply(t.Glyphs.Ok + " " + lang.T("keep, edited by you"))
	case Clash:
		return t.Warn.Apply(t.Glyphs.Warn + " " + lang.T("conflict"))
	}
	return t.Ok.Apply(t.Glyphs.Ok + " " + lang.T("keep"))
}

// mark is the first cell of a row: a bar beside the chosen hunk.
func (v *View) mark(hunk int) string {
	if v.o.Review && hunk == v.o.Selected {
		return v.o.Theme.Accent.Apply(v.o.Theme.Glyphs.Bar)
	}
	return " "
}

func (v *View) drawUnified(it item) []string {
	t, l := v.o.Theme, it.left
	width := max(1, v.o.Width-v.gutter())
	numbers := number(l.New, v.digits)
	if l.Op == diff.Delete {
		numbers = number(l.Old, v.digits)
	}
	if v.o.Width >= oneNumber {
		numbers = number(l.Old, v.digits) + " " + number(l.New, v.digits)
	}
	var rows []string
	for i, text := range v.styled(l, it, width) {
		sign := string(l.Op)
		if i > 0 {
			numbers, sign = safe.Blanks(len(numbers)), " "
		}
		rows = append(rows, v.mark(it.hunk)+t.LineNo.Apply(numbers)+" "+v.sign(l.Op).Apply(sign)+" "+text)
	}
	return rows
}

func (v *View) drawSplit(it item) []string {
	t, w := v.o.Theme, v.column()
	left, right := v.side(it.left, it, w, true), v.side(it.right, it, w, false)
	var rows []string
	for i := range max(len(left), len(right)) {
		rows = append(rows, v.mark(it.hunk)+cell(left, i, w+v.digits+3)+t.Border.Apply(t.Glyphs.Bar)+cell(right, i, w+v.digits+3))
	}
	return rows
}

func cell(rows []string, i, width int) string {
	if i < len(rows) {
		return rows[i]
	}
	return safe.Blanks(width)
}

// side draws one column of a pair.
func (v *View) side(l *diff.Line, it item, width int, old bool) []string {
	if l == nil {
		return nil
	}
	n := l.New
	if old {
		n = l.Old
	}
	num := number(n, v.digits)
	var rows []string
	for i, text := range v.styled(l, it, width) {
		sign := string(l.Op)
		if i > 0 {
			num, sign = safe.Blanks(len(num)), " "
		}
		rows = append(rows, v.o.Theme.LineNo.Apply(num)+" "+v.sign(l.Op).Apply(sign)+" "+text)
	}
	return rows
}

func (v *View) sign(op diff.Op) theme.Style {
	switch op {
	case diff.Insert:
		return v.o.Theme.AddSign
	case diff.Delete:
		return v.o.Theme.DelSign
	}
	return v.o.Theme.Text
}

// styled breaks a line into rows of exactly width cells, in the colours of its
// kind, of its source and of its changed words.
func (v *View) styled(l *diff.Line, it item, width int) []string {
	t := v.o.Theme
	var line, word theme.Style
	code := &t.Code
	switch l.Op {
	case diff.Insert:
		line, word, code = t.Add, t.AddWord, &t.AddCode
	case diff.Delete:
		line, word, code = t.Del, t.DelWord, &t.DelCode
	}
	text := v.text(l)
	var spans []diff.Span
	if it.old != nil && l.Op != diff.Equal {
		gone, came := diff.Words(v.text(it.old), v.text(it.new))
		spans = came
		if l.Op == diff.Delete {
			spans = gone
		}
	}
	runs := over(v.o.Syntax.runs(l, text, code), spans, line, word)
	var rows []string
	for _, parts := range safe.ChopRuns(runs, width, width) {
		rows = append(rows, string(safe.AppendRuns(nil, parts)))
	}
	if len(rows) == 0 {
		rows = []string{""}
	}
	for i, r := range rows {
		if pad := width - safe.Width(r); pad > 0 && (line.Background() != nil || v.o.Split) {
			rows[i] += line.Apply(safe.Blanks(pad))
		}
	}
	return rows
}

func number(n, digits int) string {
	if n == 0 {
		return safe.Blanks(digits)
	}
	s := strconv.Itoa(n)
	return safe.Blanks(digits-len(s)) + s
}

// Title is the line above a file's diff: what happens to it, and how much.
func Title(t *theme.Theme, op, path string, hunks []diff.Hunk, width int) string {
	added, removed := diff.Stats(hunks)
	stats := ""
	if added > 0 {
		stats += " " + t.AddSign.Apply(fmt.Sprintf("+%d", added))
	}
	if removed > 0 {
		stats += " " + t.DelSign.Apply(fmt.Sprintf("-%d", removed))
	}
	room := max(4, width-safe.Width(stats)-len(op)-1)
	return t.Muted.Apply(op+" ") + t.Strong.Apply(safe.TruncateLeft(safe.Line(path), room, t.Glyphs.Ellipsis)) + stats
}
