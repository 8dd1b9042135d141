package dialog

import (
	"fmt"
	"slices"
	"strings"

	"forge/ui/diffview"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// lay makes the views for a width. It returns the rows of all files, titles
// included, and the first row of the marked hunk and the one behind its last.
func (r *review) lay(width int) (rows, marked, end int) {
	file, hunk := r.locate(r.at)
	for i := range r.files {
		f := &r.files[i]
		if f.view == nil || f.width != width || f.split != r.split {
			f.width, f.split = width, r.split
			f.view = diffview.New(f.hunks, diffview.Options{
				Theme: r.theme, Width: width, Split: r.split, Approve: true, Review: true, Syntax: f.syntax})
		}
		selected := -1
		if i == file {
			selected = hunk
			marked = rows
			if hunk > 0 {
				marked = rows + r.titles(i) + f.view.HunkRow(hunk)
			}
			if end = rows + r.titles(i) + f.view.Len(); hunk+1 < len(f.hunks) {
				end = rows + r.titles(i) + f.view.HunkRow(hunk+1)
			}
		}
		f.view.SetReview(selected, f.states())
		rows += r.titles(i) + f.view.Len()
	}
	return rows, marked, end
}

// view is the window on the diff that the dialog's page and scroll leave.
func (r *review) view(d *Ask, width int) []string {
	switch {
	case r.help:
		if r.moved {
			d.top, r.moved = 0, false
		}
		rows := r.helpRows(width)
		window := d.window(rows)
		if len(rows) > len(window) {
			window[len(window)-1] = d.position(len(rows), width)
		}
		return window
	case r.files == nil:
		return []string{r.theme.Muted.Apply("  " + cut(lang.T("working out the changes"), width-2))}
	case r.list:
		return r.listRows(width, d.page)
	}
	total, marked, end := r.lay(width)
	d.rows = total
	page := d.page
	if r.where(total > page) {
		page = max(1, page-1) // the last row says where one is
	}
	if r.moved {
		r.moved = false
		if marked < d.top || end > d.top+page { // all of the hunk, or as much as fits
			d.top = min(marked, max(d.top, end-page))
			if marked < d.top || end-marked > page {
				d.top = marked
			}
		}
	}
	d.top = min(max(0, d.top), max(0, total-page))
	r.see(d.top, min(d.top+page, total))
	rows := r.rows(d.top, min(d.top+page, total), width)
	if r.where(total > d.page) && d.page > 1 {
		rows = append(rows, r.position(d.top, min(d.top+page, total), total, width))
	}
	return rows
}

// see notes which hunks end within the rows shown.
func (r *review) see(from, to int) {
	at := 0
	for i := range r.files {
		f := &r.files[i]
		at += r.titles(i)
		for h := range f.marks {
			end := at
			switch {
			case h+1 < len(f.hunks):
				end += f.view.HunkRow(h + 1)
			case len(f.hunks) > 0:
				end += f.view.Len()
			}
			if end > from && end <= to {
				f.marks[h].seen = true
			}
		}
		at += f.view.Len()
	}
}

// where reports whether a row is spent on saying where one is.
func (r *review) where(cut bool) bool { return cut || len(r.files) > 1 }

// position says where in the review one is: the file, the hunk, the rows.
func (r *review) position(from, to, total, width int) string {
	file, hunk := r.locate(r.at)
	var parts []string
	switch {
	case r.several():
		parts = append(parts, lang.T("change %d of %d", file+1, len(r.files)))
	case len(r.files) > 1:
		parts = append(parts, lang.T("file %d of %d", file+1, len(r.files)))
	}
	if n := len(r.files[file].hunks); n > 1 {
		parts = append(parts, lang.T("hunk %d of %d", hunk+1, n))
	}
	if to-from < total {
		parts = append(parts, r.bound.Named(lang.T("rows %d to %d of %d · ↑↓ end scroll", from+1, to, total), keymap.AskUp, keymap.AskDown, keymap.AskEnd))
	}
	return r.theme.Faint.Apply(cut("  "+strings.Join(parts, lang.T(" · ")), width))
}

func (r *review) rows(from, to, width int) []string {
	var rows []string
	at := 0
	for i := range r.files {
		f := &r.files[i]
		if r.titles(i) > 0 && at >= from && at < to {
			rows = append(rows, f.title(r.theme, width))
		}
		at += r.titles(i)
		rows = append(rows, f.view.Rows(from-at, to-at)...)
		at += f.view.Len()
	}
	return rows
}

// titles is the rows a file's name takes: none where it is the only one, the
// question names it already and there is no more to say of it.
func (r *review) titles(i int) int {
	if f := &r.files[i]; len(r.files) == 1 && len(f.hunks) > 0 && len(f.notes()) == 0 {
		return 0
	}
	return 1
}

// listRows is the list of files with what becomes of each, as much of it as fits
// around the marked one.
func (r *review) listRows(width, page int) []string {
	t := r.theme
	at, _ := r.locate(r.at)
	first := max(0, min(at-page/2, len(r.files)-page))
	var rows []string
	for i := first; i < min(first+page, len(r.files)); i++ {
		f := &r.files[i]
		n, kept := f.total()
		state := diffview.Keep
		switch {
		case kept == 0:
			state = diffview.Drop
		case f.edited() > 0:
			state = diffview.Edited
		}
		for _, s := range f.states() {
			if s == diffview.Clash {
				state = s
			}
		}
		count := state.Text(t)
		if kept > 0 && kept < n {
			count = t.Warn.Apply(t.Glyphs.Ok + " " + lang.T("keep %d of %d", kept, n))
		}
		mark := "  "
		if i == at {
			mark = t.Accent.Apply(t.Glyphs.Pointer) + " "
		}
		room := max(12, width-safe.Width(count)-4)
		rows = append(rows, cut(mark+f.title(t, room)+"  "+count, width))
	}
	return rows
}

// editView is the small editor on a hunk, under the first row of the question.
func (r *review) editView(head []string, width, height int) Frame {
	t, e := r.theme, r.edit
	f := &r.files[e.file]
	title := lang.T("your version of %s", safe.Line(f.change.Path))
	if e.hunk < len(f.hunks) {
		title = lang.T("your version of hunk %d of %d, from line %d on", e.hunk+1, len(f.hunks), f.hunks[e.hunk].NewStart)
	}
	head = append(head, t.Hunk.Apply(cut("  "+title, width)))
	help := r.bound.Named(lang.T("ctrl+s take it · ctrl+g in your editor · esc leave it"), keymap.HunkTake, keymap.HunkEditor, keymap.HunkLeave)
	if e.sure {
		help = r.bound.Named(lang.T("esc again throws your edit away · ctrl+s takes it"), keymap.HunkLeave, keymap.HunkTake)
	}
	rows, x, y := e.comp.View(width, max(1, height-len(head)-1))
	out := append(append(head, rows...), t.Faint.Apply(cut("  "+help, width)))
	return Frame{Rows: out, X: x, Y: y + len(head), Cursor: true}
}

// reviewHelp are the keys of a review, the most needed first.
var reviewHelp = []struct {
	keys, text string
	does       []keymap.Action
}{
	{"x", lang.N("drop or keep the hunk"), []keymap.Action{keymap.ReviewDrop}},
	{"|", lang.N("break it into the changes in it"), []keymap.Action{keymap.ReviewBreak}},
	{"e", lang.N("edit it here"), []keymap.Action{keymap.ReviewEdit}},
	{"o", lang.N("edit it in your editor"), []keymap.Action{keymap.ReviewEditor}},
	{"O", lang.N("the whole file in your editor"), []keymap.Action{keymap.ReviewEditorFile}},
	{"d", lang.N("the file in the diff of the editor /ide connected"), []keymap.Action{keymap.ReviewIDE}},
	{"u", lang.N("the file as it was proposed"), []keymap.Action{keymap.ReviewRestore}},
	{"← →", lang.N("hunk before, next hunk"), []keymap.Action{keymap.ReviewBefore, keymap.ReviewNext}},
	{"{ }", lang.N("file before, next file"), []keymap.Action{keymap.ReviewFileBefore, keymap.ReviewNextFile}},
	{"l", lang.N("list of files"), []keymap.Action{keymap.ReviewFiles}},
	{"X", lang.N("drop or keep the file"), []keymap.Action{keymap.ReviewDropFile}},
	{"a", lang.N("drop or keep all"), []keymap.Action{keymap.ReviewDropAll}},
	{"< >", lang.N("a conflict: the proposal's, the file's version"), []keymap.Action{keymap.ReviewTakeNew, keymap.ReviewTakeOld}},
	{"i", lang.N("ask about each change by itself"), []keymap.Action{keymap.ReviewAlone}},
	{"v", lang.N("side by side, one column"), []keymap.Action{keymap.ReviewSplit}},
	{"c", lang.N("a comment to the model, with a yes or a no"), []keymap.Action{keymap.AskNote}},
	{"y", lang.N("write what is kept, once all of it was shown"), []keymap.Action{keymap.AskOnce}},
	{"W", lang.N("write it without having seen all"), []keymap.Action{keymap.ReviewAll}},
	{"n", lang.N("deny"), []keymap.Action{keymap.AskDeny}},
	{"tab", lang.N("deny and say what to do instead"), []keymap.Action{keymap.AskInstead}},
	{"esc", lang.N("deny and stop the run"), []keymap.Action{keymap.AskStop}},
}

// hints are the keys that fit on a row. beneath is Stack.Beneath.
func (r *review) hints(width int, beneath bool) string {
	name := r.bound.Named
	stop := name(lang.T("esc stop"), keymap.AskStop)
	if beneath {
		stop = name(lang.T("esc out of the view"), keymap.AskStop)
	}
	editor := name(lang.T("o editor"), keymap.ReviewEditor)
	all := []string{name(lang.T("x drop"), keymap.ReviewDrop), name(lang.T("e edit"), keymap.ReviewEdit), editor,
		name(lang.T("c comment"), keymap.AskNote), name(lang.T("←→ hunk"), keymap.ReviewBefore, keymap.ReviewNext), stop}
	if len(r.files) > 1 {
		all = []string{all[0], name(lang.T("{ } file"), keymap.ReviewFileBefore, keymap.ReviewNextFile), name(lang.T("l list"), keymap.ReviewFiles),
			all[1], all[3], all[5], all[2], all[4]}
	}
	if i := slices.Index(all, editor); r.breaks() { // in its place, which comes next
		all = append(slices.Replace(all, i, i+1, name(lang.T("| break up"), keymap.ReviewBreak)), editor)
	}
	if r.abroad.editor != "" {
		all = append(all[:2:2], append([]string{name(lang.T("d show in %s", r.abroad.editor), keymap.ReviewIDE)}, all[2:]...)...)
	}
	split := name(lang.T("v side by side"), keymap.ReviewSplit)
	if r.split && width >= diffview.SplitWidth {
		split = name(lang.T("v one column"), keymap.ReviewSplit)
	}
	all = append(all, split, name(lang.T("ctrl+o what was said"), keymap.AskRead))
	if r.rewritten() {
		all = append(all, name(lang.T("u undo edits"), keymap.ReviewRestore))
	}
	last := name(lang.T("? keys"), keymap.ReviewHelp)
	out := ""
	for _, h := range all {
		if safe.Width(out)+safe.Width(h)+safe.Width(last)+6 > width {
			break
		}
		out += h + lang.T(" · ")
	}
	return out + last
}

func (r *review) helpRows(width int) []string {
	t := r.theme
	var cells []string
	for _, k := range reviewHelp {
		cells = append(cells, "  "+t.Key.Apply(fmt.Sprintf("%-4s", r.bound.Together(k.keys, k.does...)))+" "+lang.T(k.text))
	}
	if width < 100 {
		var rows []string
		for _, c := range cells {
			rows = append(rows, cut(c, width))
		}
		return rows
	}
	half := (len(cells) + 1) / 2
	var rows []string
	for i, c := range cells[:half] {
		row := safe.Fit(c, width/2, lang.T("…"))
		if half+i < len(cells) {
			row += cells[half+i]
		}
		rows = append(rows, cut(row, width))
	}
	return rows
}
