//go:build unix

package screentest

import (
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// Sight is what a person sees of a screen at one moment.
type Sight struct {
	Rows   []string // without the blanks at their ends
	Marked []string // what stands on a ground of its own or reversed, run by run
	Row    string   // the one with the caret, which is shown as ‸; empty: there is none
	Copied []string // what has been put on the terminal's clipboard (OSC 52) so far
}

// Look takes in the screen.
func (s *Terminal) Look() (v Sight) {
	s.Emulator(func(em *vt.Emulator) {
		v.Copied = slices.Clone(s.clip)
		caret := em.CursorPosition()
		for y := range em.Height() {
			var row, run strings.Builder
			for x := 0; x < em.Width(); x++ {
				if caret.X == x && caret.Y == y && !em.CursorHidden() {
					v.Row = strings.TrimLeft(row.String(), " ") + "‸"
				}
				c := em.CellAt(x, y)
				if c == nil {
					c = &uv.EmptyCell
				}
				row.WriteString(c.Content)
				if v.Row != "" && caret.Y == y {
					v.Row += c.Content
				}
				if c.Style.Bg != nil || c.Style.Attrs&uv.AttrReverse != 0 {
					run.WriteString(c.Content)
				} else if run.Len() > 0 {
					v.Marked = append(v.Marked, run.String())
					run.Reset()
				}
				if c.Width > 1 {
					x += c.Width - 1
				}
			}
			if run.Len() > 0 {
				v.Marked = append(v.Marked, run.String())
			}
			v.Rows = append(v.Rows, strings.TrimRight(row.String(), " "))
		}
	})
	v.Row = strings.TrimRight(v.Row, " ")
	return v
}

// Text is the rows as one text.
func (v Sight) Text() string { return strings.Join(v.Rows, "\n") }

// Shows reports whether every one of some words is on the screen.
func (v Sight) Shows(words ...string) bool {
	text := v.Text()
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
