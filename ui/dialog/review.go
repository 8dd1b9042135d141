package dialog

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/diff"
	"forge/ui/diffview"
	"forge/ui/theme"
)

// review is the diff of a call's changes, file by file and hunk by hunk, and
// which hunks the person keeps.
type review struct {
	theme   *theme.Theme
	changes []tools.Change
	files   []reviewFile // nil until the diff was worked out, off the loop
	at      int          // the hunk under the mark, counted over all files
	split   bool         // side by side, where the width allows it
	moved   bool         // the mark moved: bring its hunk into the window
	width   int          // the views are laid out for
	laid    bool         // … and split as this says
}

type reviewFile struct {
	change tools.Change
	hunks  []diff.Hunk
	kept   []bool
	syntax *diffview.Syntax
	view   *diffview.View // for the last width
}

func (f *reviewFile) states() []diffview.State {
	out := make([]diffview.State, len(f.kept))
	for i, k := range f.kept {
		if !k {
			out[i] = diffview.Drop
		}
	}
	return out
}

// reviewed carries a finished diff to the dialog it is for.
type reviewed struct {
	to    *review
	files []reviewFile
}

func newReview(t *theme.Theme, changes []tools.Change) *review {
	return &review{theme: t, changes: changes}
}

// start works the hunks out; a diff of a large file takes too long for the loop.
func (r *review) start() tea.Cmd {
	return func() tea.Msg {
		files := make([]reviewFile, len(r.changes))
		for i, c := range r.changes {
			hunks := diff.Hunks(c.Before, c.After)
			kept := make([]bool, max(1, len(hunks))) // an empty file has no hunk, and can be turned down all the same
			for j := range kept {
				kept[j] = true
			}
			files[i] = reviewFile{change: c, hunks: hunks, kept: kept, syntax: diffview.NewSyntax(c.Path, c.Before, c.After, hunks)}
		}
		return reviewed{r, files}
	}
}

// take accepts the diff that start worked out.
func (r *review) take(m reviewed) bool {
	if m.to != r {
		return false
	}
	r.files, r.moved = m.files, true
	return true
}

func (r *review) ready() bool { return r.files != nil }

// locate returns the file and hunk of a mark.
func (r *review) locate(at int) (file, hunk int) {
	for i, f := range r.files {
		if at < len(f.kept) {
			return i, at
		}
		at -= len(f.kept)
	}
	return len(r.files) - 1, 0
}

func (r *review) total() (hunks, kept int) {
	for _, f := range r.files {
		hunks += len(f.kept)
		for _, k := range f.kept {
			if k {
				kept++
			}
		}
	}
	return hunks, kept
}

func (r *review) toggle() {
	if r.ready() {
		f, h := r.locate(r.at)
		r.files[f].kept[h] = !r.files[f].kept[h]
	}
}

func (r *review) step(by int) {
	if n, _ := r.total(); n > 0 {
		r.at = (r.at + by + n) % n
		r.moved = true
	}
}

// key takes the keys only a review has.
func (r *review) key(k string, _ *Ask) bool {
	switch k {
	case "right", "]", "l":
		r.step(1)
	case "left", "[", "h":
		r.step(-1)
	case "x":
		r.toggle()
	case "v":
		r.split = !r.split
	case "a":
		n, kept := r.total()
		for i := range r.files {
			for j := range r.files[i].kept {
				r.files[i].kept[j] = kept < n
			}
		}
	default:
		return false
	}
	return true
}

// label says what y does now.
func (r *review) label() string {
	n, kept := r.total()
	switch {
	case kept == 0:
		return "turn all changes down"
	case kept < n:
		return fmt.Sprintf("write %d of %d hunks", kept, n)
	case len(r.changes) > 1:
		return fmt.Sprintf("write these %d files", len(r.changes))
	}
	return "write this change"
}

// result is the reviewer's version of the changes: each file with its kept
// hunks. A creation or a deletion is kept whole or not at all, because half a
// deletion is another change than the one that was asked for.
func (r *review) result() (changes []tools.Change, whole bool) {
	n, kept := r.total()
	if kept == n {
		return r.changes, true
	}
	for _, f := range r.files {
		c := f.change
		if !slices.Contains(f.kept, true) {
			continue
		}
		if slices.Contains(f.kept, false) {
			if c.Op == tools.Delete {
				continue
			}
			var hunks []diff.Hunk
			for i, h := range f.hunks {
				if f.kept[i] {
					hunks = append(hunks, h)
				}
			}
			c.After = diff.Apply(c.Before, hunks)
		}
		changes = append(changes, c)
	}
	return changes, false
}

// lay makes the views for a width. It returns the rows of all files, titles
// included, and the first row of the marked hunk.
func (r *review) lay(width int) (rows, marked int) {
	if fresh := r.width != width || r.laid != r.split; fresh {
		r.width, r.laid = width, r.split
		for i := range r.files {
			r.files[i].view = diffview.New(r.files[i].hunks, diffview.Options{
				Theme: r.theme, Width: width, Split: r.split, Approve: true, Review: true, Syntax: r.files[i].syntax})
		}
	}
	file, hunk := r.locate(r.at)
	for i := range r.files {
		f := &r.files[i]
		selected := -1
		if i == file {
			selected = hunk
			marked = rows
			if hunk > 0 {
				marked = rows + r.titles() + f.view.HunkRow(hunk)
			}
		}
		f.view.SetReview(selected, f.states())
		rows += r.titles() + f.view.Len()
	}
	return rows, marked
}

// view is the window on the diff that the dialog's page and scroll leave.
func (r *review) view(d *Ask, width int) []string {
	if !r.ready() {
		return []string{r.theme.Muted.Apply("  working out the changes")}
	}
	total, marked := r.lay(width)
	d.rows = total
	page := d.page
	if total > page {
		page = max(1, page-1) // the last row says where one is
	}
	if r.moved {
		r.moved = false
		if marked < d.top || marked >= d.top+page-2 {
			d.top = marked
		}
	}
	d.top = min(max(0, d.top), max(0, total-page))
	rows := r.rows(d.top, min(d.top+page, total), width)
	if total > page {
		rows = append(rows, d.position(total, width))
	}
	return rows
}

func (r *review) rows(from, to, width int) []string {
	var rows []string
	at := 0
	for i, f := range r.files {
		if r.titles() > 0 && at >= from && at < to {
			rows = append(rows, r.title(i, width))
		}
		at += r.titles()
		rows = append(rows, f.view.Rows(from-at, to-at)...)
		at += f.view.Len()
	}
	return rows
}

// titles is the rows a file's name takes: none where it is the only one and the
// question names it already.
func (r *review) titles() int {
	if len(r.files) == 1 && len(r.files[0].hunks) > 0 {
		return 0
	}
	return 1
}

// title names a file; a file without hunks (an empty one) carries its mark here.
func (r *review) title(i, width int) string {
	f := r.files[i]
	title := diffview.Title(r.theme, string(f.change.Op), f.change.Path, f.hunks, max(4, width-10))
	if len(f.hunks) > 0 {
		return title
	}
	if f.kept[0] {
		return title + " " + r.theme.Ok.Apply(r.theme.Glyphs.Ok+" keep")
	}
	return title + " " + r.theme.Error.Apply(r.theme.Glyphs.Fail+" drop")
}
