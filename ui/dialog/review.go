package dialog

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/diffview"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/theme"
)

// review is the diff of a call's changes, file by file and hunk by hunk, and what
// the person does with each hunk. Comparing happens off the loop, in commands that
// come back as reviewed and reworked.
type review struct {
	theme   *theme.Theme
	bound   *keymap.Map
	changes []tools.Change
	files   []reviewFile // nil until the diff was worked out
	at      int          // the hunk under the mark, counted over all files
	split   bool         // side by side, where the width allows it
	liked   *bool        // the same of the next review; nil: nobody keeps it
	moved   bool         // the mark moved: bring its hunk into the window
	busy    int          // files that are being compared anew, or are open in an editor
	note    string       // what went wrong with the last edit
	edit    *hunkEdit    // nil: no hunk is being edited here
	list    bool         // the list of files is shown
	help    bool         // the keys are shown
	abroad  abroad
	later   []string // keys pressed while busy: they are for what it will be then
	*joint           // nil: all files are of one call
}

// reviewed carries a finished diff to the dialog it is for.
type reviewed struct {
	to    *review
	files []reviewFile
}

func newReview(t *theme.Theme, changes []tools.Change) *review {
	return &review{theme: t, changes: changes, abroad: abroad{sent: map[int][]byte{}, said: map[int][]byte{}, loose: map[int]bool{}}}
}

// start works the hunks out; a diff of a large file takes too long for the loop.
func (r *review) start() tea.Cmd {
	changes := r.changes
	return func() tea.Msg {
		files := make([]reviewFile, len(changes))
		for i, c := range changes {
			files[i] = newReviewFile(c)
		}
		findMoves(files)
		return reviewed{r, files}
	}
}

// take accepts what was worked out off the loop.
func (r *review) take(m tea.Msg) bool {
	switch m := m.(type) {
	case reviewed:
		if m.to != r {
			return false
		}
		r.files, r.moved = m.files, true
	case reworked:
		if m.to != r {
			return false
		}
		r.busy--
		r.note = ""
		if m.away { // in an editor nothing was pressed for the review
			r.later = nil
		}
		if m.err != nil {
			r.note = m.err.Error()
			return true
		}
		r.touched()
		file, hunk := r.locate(r.at)
		r.files[m.file] = m.as
		if file >= 0 {
			r.mark(file, min(hunk, len(m.as.marks)-1))
		}
	case reworkedAll:
		if m.to != r {
			return false
		}
		r.followed(m)
	}
	return true
}

// ready reports whether all of what would be written is known.
func (r *review) ready() bool { return r.files != nil && r.busy == 0 && r.edit == nil }

// anew reports whether what was shown already is being compared once more.
func (r *review) anew() bool { return r.files != nil && r.busy > 0 }

// locate returns the file and hunk of a mark.
func (r *review) locate(at int) (file, hunk int) {
	for i, f := range r.files {
		if at < len(f.marks) {
			return i, at
		}
		at -= len(f.marks)
	}
	return len(r.files) - 1, 0
}

// mark puts the mark on a hunk of a file.
func (r *review) mark(file, hunk int) {
	r.at, r.moved = max(0, hunk), true
	for _, f := range r.files[:file] {
		r.at += len(f.marks)
	}
}

func (r *review) total() (hunks, kept int) {
	for _, f := range r.files {
		n, k := f.total()
		hunks, kept = hunks+n, kept+k
	}
	return hunks, kept
}

// untouched reports whether all stands as it was proposed.
func (r *review) untouched() bool {
	for _, f := range r.files {
		if n, kept := f.total(); kept < n || f.edited() > 0 || f.change.Conflicts > 0 {
			return false
		}
	}
	return true
}

// clashes counts the hunks that hold two versions and cannot be written yet.
func (r *review) clashes() (n, first int) {
	at := 0
	for i := range r.files {
		for _, s := range r.files[i].states() {
			if s == diffview.Clash {
				if n == 0 {
					first = at
				}
				n++
			}
			at++
		}
	}
	return n, first
}

// unseen counts the hunks that would be written and were not on the screen to their
// end.
func (r *review) unseen() (n, first int) {
	at := 0
	for i := range r.files {
		for _, m := range r.files[i].marks {
			if !m.seen && !m.dropped {
				if n == 0 {
					first = at
				}
				n++
			}
			at++
		}
	}
	return n, first
}

// readOn brings the next of them into the window, or more of it.
func (r *review) readOn(d *Ask) {
	n, first := r.unseen()
	away := r.list || r.help
	r.list, r.help = false, false
	switch {
	case n == 0:
	case r.at != first, away:
		r.at, r.moved = first, true
	default:
		d.scroll(max(1, d.page-2))
	}
}

// seeAll takes all for read, because the person says so.
func (r *review) seeAll() {
	for i := range r.files {
		for h := range r.files[i].marks {
			r.files[i].marks[h].seen = true
		}
	}
}

// place names the hunk under the mark to the model; "" where there is no other.
func (r *review) place() string {
	hunks, _ := r.total()
	if hunks < 2 {
		return ""
	}
	file, hunk := r.locate(r.at)
	f := r.files[file]
	if hunk >= len(f.hunks) {
		return ""
	}
	return fmt.Sprintf("said of hunk %d of %d of %s, from line %d on", hunk+1, len(f.hunks), f.change.Path, f.hunks[hunk].OldStart)
}

func (r *review) toggle() {
	if f, h := r.locate(r.at); f >= 0 {
		r.files[f].marks[h].dropped = !r.files[f].marks[h].dropped
		r.touched()
	}
}

// breakUp makes several hunks of one that has several changes, so that each can be
// dropped, edited or spoken of by itself.
func (r *review) breakUp(file, hunk int) {
	f, more := r.files[file].broken(hunk)
	if !more {
		r.note = lang.T("there is one change in this hunk")
		return
	}
	r.files[file], r.moved = f, true
}

// breaks reports whether the hunk under the mark has several changes.
func (r *review) breaks() bool {
	file, hunk := r.locate(r.at)
	if file < 0 {
		return false
	}
	return len(r.files[file].parts(hunk)) > 1
}

// toggleFile drops all of a file, or keeps all of it.
func (r *review) toggleFile(file int) {
	f := &r.files[file]
	n, kept := f.total()
	f.drop(kept == n)
	r.touched()
}

func (r *review) step(by int) {
	if n, _ := r.total(); n > 0 {
		r.at = (r.at + by + n) % n
		r.moved = true
	}
}

// stepFile goes to the first hunk of another file.
func (r *review) stepFile(by int) {
	file, _ := r.locate(r.at)
	r.mark((file+by+len(r.files))%len(r.files), 0)
}

// key takes the keys only a review has.
func (r *review) key(k string) (cmd tea.Cmd, handled bool) {
	a := r.bound.Action(keymap.Review, k)
	if a == keymap.ReviewHelp {
		r.help, r.moved = !r.help, true
		return nil, true
	}
	if r.files == nil || r.busy > 0 {
		if a != "" && (a != keymap.ReviewAll || r.anew()) { // nothing was to be seen yet that all could be said of
			r.later = append(r.later, k)
		}
		return nil, a != ""
	}
	if a != "" {
		r.note = "" // it told of the key before
	}
	file, hunk := r.locate(r.at)
	if r.settled(file, a) {
		return nil, true
	}
	switch a {
	case keymap.ReviewNext:
		r.step(1)
	case keymap.ReviewBefore:
		r.step(-1)
	case keymap.ReviewNextFile:
		r.stepFile(1)
	case keymap.ReviewFileBefore:
		r.stepFile(-1)
	case keymap.ReviewDrop:
		r.toggle()
	case keymap.ReviewBreak:
		r.breakUp(file, hunk)
	case keymap.ReviewDropFile:
		r.toggleFile(file)
	case keymap.ReviewDropAll:
		n, kept := r.total()
		for i := range r.files {
			r.files[i].drop(kept == n)
		}
		r.touched()
	case keymap.ReviewSplit:
		if w := r.files[file].width; w > 0 && w < diffview.SplitWidth {
			r.note = lang.T("side by side needs %d columns; there are %d", diffview.SplitWidth, w)
			break
		}
		r.split, r.note = !r.split, ""
		if r.liked != nil {
			*r.liked = r.split
		}
	case keymap.ReviewFiles:
		r.list = !r.list
	case keymap.ReviewEdit:
		r.startEdit(file, hunk)
	case keymap.ReviewEditor:
		return r.open(file, hunk), true
	case keymap.ReviewEditorFile:
		return r.open(file, -1), true
	case keymap.ReviewTakeNew, keymap.ReviewTakeOld:
		return r.settle(file, hunk, a == keymap.ReviewTakeNew), true
	case keymap.ReviewRestore:
		return r.rework(file, func(f reviewFile) (reviewFile, error) { return newReviewFile(f.change), nil }), true
	default:
		return nil, false
	}
	return nil, true
}

// listKey takes the keys of the list of files. Enter goes to a file and allows
// nothing.
func (r *review) listKey(k string) (handled bool) {
	file, _ := r.locate(r.at)
	switch r.bound.Action(keymap.Files, k) {
	case keymap.FilesUp:
		r.stepFile(-1)
	case keymap.FilesDown:
		r.stepFile(1)
	case keymap.FilesDrop:
		if !r.settled(file, keymap.ReviewDropFile) {
			r.toggleFile(file)
		}
	case keymap.FilesClose:
		r.list, r.moved = false, true
	default:
		return false
	}
	return true
}

// label says what y does now.
func (r *review) label() string {
	n, kept := r.total()
	edited := 0
	for _, f := range r.files {
		edited += f.edited()
	}
	clashes, _ := r.clashes()
	switch {
	case clashes > 0:
		return r.bound.Named(lang.Count(clashes, "settle 1 conflict first: < takes the proposal, > the file's, e edits", "settle %d conflicts first: < takes the proposal, > the file's, e edits"),
			keymap.ReviewTakeNew, keymap.ReviewTakeOld, keymap.ReviewEdit)
	case kept == 0:
		return lang.T("turn all changes down")
	case kept < n && edited > 0:
		return lang.T("write %d of %d hunks, %d as you edited them", kept, n, edited)
	case kept < n:
		return lang.T("write %d of %d hunks", kept, n)
	case edited > 0:
		return lang.T("write this with your edits")
	case r.several():
		return lang.T("make all %d changes", len(r.calls))
	case len(r.changes) > 1:
		return lang.T("write these %d files", len(r.changes))
	case len(r.changes) == 1 && r.changes[0].Op == tools.Delete:
		return lang.T("delete it")
	case len(r.changes) == 1 && r.changes[0].Op == tools.Move:
		return lang.T("move it")
	}
	return lang.T("write this change")
}

// result is the reviewer's version of the changes: each file with its kept hunks,
// as they were edited. A creation or a deletion is kept whole or not at all,
// because half a deletion is another change than the one that was asked for. whole
// means that nothing is different from what was proposed.
func (r *review) result() (changes []tools.Change, whole bool, err error) {
	whole = true
	for i := range r.files {
		c, keep, same, err := r.files[i].result()
		if err != nil {
			return nil, false, err
		}
		if keep {
			changes = append(changes, c)
		}
		whole = whole && keep && same
	}
	if whole {
		return r.changes, true, nil
	}
	return changes, false, nil
}
