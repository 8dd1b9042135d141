// Package diffview renders a diff.
//
// It owns how hunks look: unified or side by side, line numbers, the sign beside
// every changed line (state is never told by colour alone), the changed words.
// It draws only the rows it is asked for, so that a diff of a hundred thousand
// lines costs a frame no more than one of ten. The screen and its dialogs call
// it on the Bubble Tea loop; finding the hunks is tools/diff's work and happens
// elsewhere.
package diffview

import (
	"fmt"
	"strings"

	"forge/tools/diff"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// SplitWidth is the least width at which two columns of code are readable.
const SplitWidth = 120

// Options says how to draw.
type Options struct {
	Theme *theme.Theme
	Width int
	Split bool // side by side; ignored below SplitWidth
	// Approve draws every hidden character as a marker: the view of a diff that is
	// to be allowed. Without it hidden characters are left out.
	Approve bool
	// Review marks the hunk at Selected and shows the States of all.
	Review   bool
	Selected int
	States   []State
	Syntax   *Syntax // nil: source has no colours
	// MaxRows ends the view after so many rows with a note of the rest; 0: no end.
	MaxRows int
}

// View is a diff laid out for one width. It is cheap to make for a few thousand
// lines; keep it while hunks and options stay.
type View struct {
	o      Options
	hunks  []diff.Hunk
	items  []item
	starts []int // the first row of each item; one more at the end: the total
	heads  []int // the row of each hunk's header
	digits int
	crlf   bool
}

// item is what is drawn together: a header, a line, or a pair of lines.
type item struct {
	hunk        int
	head        bool
	left, right *diff.Line // unified: only left
	old, new    *diff.Line // the lines to compare words of, nil: none
}

// New lays hunks out.
func New(hunks []diff.Hunk, o Options) *View {
	v := &View{o: o, hunks: hunks}
	v.o.Split = o.Split && o.Width >= SplitWidth
	top := 1
	for _, h := range hunks {
		top = max(top, h.OldStart+h.OldCount, h.NewStart+h.NewCount)
	}
	v.digits = len(fmt.Sprint(top))
	v.crlf = allCRLF(hunks)
	for i := range hunks {
		v.items = append(v.items, item{hunk: i, head: true})
		v.add(i)
	}
	row := 0
	for _, it := range v.items {
		v.starts = append(v.starts, row)
		if it.head {
			v.heads = append(v.heads, row)
			row++
			continue
		}
		row += v.height(it)
	}
	v.starts = append(v.starts, row)
	return v
}

// allCRLF reports whether every line of the diff ends in CRLF: then the line ends
// are the file's habit and no news.
func allCRLF(hunks []diff.Hunk) bool {
	for _, h := range hunks {
		for _, l := range h.Lines {
			if strings.HasSuffix(l.Text, "\n") && !strings.HasSuffix(l.Text, "\r\n") {
				return false
			}
		}
	}
	return true
}

// add lays the lines of a hunk out. A run of deletions is paired with the run of
// insertions behind it, for the changed words and for the two columns.
func (v *View) add(hunk int) {
	lines := v.hunks[hunk].Lines
	for i := 0; i < len(lines); {
		if lines[i].Op == diff.Equal {
			it := item{hunk: hunk, left: &lines[i]}
			if v.o.Split {
				it.right = &lines[i]
			}
			v.items = append(v.items, it)
			i++
			continue
		}
		d := i
		for i < len(lines) && lines[i].Op == diff.Delete {
			i++
		}
		n := i
		for i < len(lines) && lines[i].Op == diff.Insert {
			i++
		}
		if v.o.Split {
			v.addPairs(hunk, lines[d:n], lines[n:i])
			continue
		}
		pairs := min(n-d, i-n)
		for k := d; k < n; k++ {
			it := item{hunk: hunk, left: &lines[k]}
			if k-d < pairs {
				it.old, it.new = &lines[k], &lines[n+k-d]
			}
			v.items = append(v.items, it)
		}
		for k := n; k < i; k++ {
			it := item{hunk: hunk, left: &lines[k]}
			if k-n < pairs {
				it.old, it.new = &lines[d+k-n], &lines[k]
			}
			v.items = append(v.items, it)
		}
	}
}

func (v *View) addPairs(hunk int, gone, came []diff.Line) {
	for k := range max(len(gone), len(came)) {
		it := item{hunk: hunk}
		if k < len(gone) {
			it.left = &gone[k]
		}
		if k < len(came) {
			it.right = &came[k]
		}
		if it.left != nil && it.right != nil {
			it.old, it.new = it.left, it.right
		}
		v.items = append(v.items, it)
	}
}

// Len is how many rows there are, the note of a capped view included.
func (v *View) Len() int {
	n := v.starts[len(v.starts)-1]
	if v.o.MaxRows > 0 && n > v.o.MaxRows {
		return v.o.MaxRows
	}
	return n
}

// HunkRow is the row of a hunk's header.
func (v *View) HunkRow(hunk int) int {
	if hunk < 0 || hunk >= len(v.heads) {
		return 0
	}
	return v.heads[hunk]
}

// SetReview changes the marks without laying out anew.
func (v *View) SetReview(selected int, states []State) { v.o.Selected, v.o.States = selected, states }

// Rows draws rows from (included) to (excluded), each at most Width cells.
func (v *View) Rows(from, to int) []string {
	total := v.starts[len(v.starts)-1]
	end := v.Len()
	from, to = max(0, from), min(to, end)
	if from >= to {
		return nil
	}
	capped := total > end
	var rows []string
	for i := v.itemAt(from); i < len(v.items) && v.starts[i] < to; i++ {
		for k, row := range v.draw(v.items[i]) {
			if at := v.starts[i] + k; at >= from && at < to {
				rows = append(rows, row)
			}
		}
	}
	if capped && to == end {
		note := "  " + v.o.Theme.Glyphs.Ellipsis + " " + lang.Count(total-end+1, "1 more row", "%d more rows")
		rows[len(rows)-1] = v.o.Theme.Faint.Apply(safe.Truncate(note, v.o.Width, ""))
	}
	return rows
}

// itemAt finds the item a row belongs to.
func (v *View) itemAt(row int) int {
	lo, hi := 0, len(v.items)
	for lo < hi {
		if mid := (lo + hi) / 2; v.starts[mid+1] <= row {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
