package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
)

// Point is a click, in cells of the last View. What would be sent at once takes two.
func (d *Inquiry) Point(x, y int) (cmd tea.Cmd, done bool) {
	if at := d.drawn.tab(x, y); at >= 0 {
		d.show(at)
		return nil, false
	}
	row := d.drawn.row(y)
	if row < 0 {
		return nil, false
	}
	p := d.page()
	again := d.clicked && p.cursor == row
	d.writing, d.note = false, ""
	d.moveTo(row)
	switch {
	case p.isOwn(row):
		d.writing = true
	case p.t != nil && p.t.Many:
		d.mark(row)
	case p.t == nil && row < len(d.q.Topics), again:
		d.clicked = false
		return nil, d.take()
	default:
		d.note = lang.T("click again takes it")
	}
	d.clicked = true
	return nil, false
}

// inquiryDrawn is where things stood in the last View.
type inquiryDrawn struct {
	page int   // rows of the window
	at   []int // of each row of the frame: the row of the page in it, -1: none
	read []int // the rows of the page whose beginning is in view
	tabs int   // the row of the frame with the names of the topics, -1: none
	ends []int // where each of those ends, in cells
}

func (v inquiryDrawn) sees(row int) bool { return slices.Contains(v.read, row) }

func (v inquiryDrawn) row(y int) int {
	if y < 0 || y >= len(v.at) {
		return -1
	}
	return v.at[y]
}

func (v inquiryDrawn) tab(x, y int) int {
	if y != v.tabs || v.tabs < 0 {
		return -1
	}
	return slices.IndexFunc(v.ends, func(end int) bool { return x < end })
}
