package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// joint is what a review of several calls knows beside their files: whose each is, and
// what becomes of it where a file before it is not taken as it was proposed.
type joint struct {
	calls  []string // their IDs
	of     []int    // of each file: which call it is of
	replan func(kept map[string][]tools.Change) []tools.Planned
	stale  bool // what is kept of a file is not what the files behind it were worked out on
}

// reworkedAll carries what the calls do now to the review it is for.
type reworkedAll struct {
	to    *review
	files map[int]reviewFile // those that are not as they were
}

func (reworkedAll) toMany() bool { return false }

// reviewOf is a review of all that a request asks about.
func reviewOf(d *Ask) *review {
	q := d.r
	r := newReview(d.theme, slices.Clone(q.Effect.Changes))
	if len(q.With) == 0 {
		return r
	}
	r.joint = &joint{calls: []string{q.Call.ID}, of: make([]int, len(r.changes)), replan: q.Rework}
	for _, w := range q.With {
		for _, c := range w.Effect.Changes {
			r.changes = append(r.changes, c)
			r.of = append(r.of, len(r.calls))
		}
		r.calls = append(r.calls, w.Call.ID)
	}
	return r
}

// several reports whether the review is of more than one call.
func (r *review) several() bool { return r.joint != nil }

// places counts the files by name: one that two calls change is one.
func (r *review) places() int {
	names := map[string]bool{}
	for _, c := range r.changes {
		names[c.Path] = true
	}
	return len(names)
}

// builds reports whether a later call changes a file of an earlier one too.
func (r *review) builds() bool {
	for i, c := range r.changes {
		for j := i + 1; j < len(r.changes); j++ {
			if r.of[i] != r.of[j] && r.changes[j].Path == c.Path {
				return true
			}
		}
	}
	return false
}

// touched notes that what is kept is another than before.
func (r *review) touched() {
	if r.several() {
		r.stale = true
	}
}

// follow works out anew, off the loop, what builds on what was dropped or edited: what
// is shown of it is what would be written.
func (r *review) follow() tea.Cmd {
	if !r.several() || !r.stale || !r.ready() {
		return nil
	}
	r.stale = false
	if r.replan == nil || !r.builds() {
		return nil
	}
	files := slices.Clone(r.files)
	for i := range files {
		files[i].marks = slices.Clone(files[i].marks)
	}
	r.busy++
	return func() tea.Msg { return reworkedAll{r, r.replanned(files)} }
}

// replanned are the files that are not as they were, once the calls do what is kept.
func (r *review) replanned(files []reviewFile) map[int]reviewFile {
	kept := map[string][]tools.Change{}
	for i, p := range r.parts(files) {
		if !p.unfit && !p.whole && p.err == nil {
			kept[r.calls[i]] = append([]tools.Change{}, p.changes...)
		}
	}
	plan := map[string][]tools.Change{}
	for _, p := range r.replan(kept) {
		if p.Err == nil {
			plan[p.Call.ID] = p.Effect.Changes
		}
	}
	now := map[int]reviewFile{}
	nth := map[int]int{} // of the files of a call
	for i, f := range files {
		call := r.of[i]
		k := nth[call]
		nth[call]++
		if call == 0 {
			continue // nothing comes before it
		}
		changes := plan[r.calls[call]]
		switch {
		case k >= len(changes):
			if !f.unfit {
				now[i] = reviewFile{change: f.change, unfit: true, marks: []hunkMark{{dropped: true}}}
			}
		case f.unfit || !changes[k].Same(f.change):
			as := newReviewFile(changes[k])
			if _, kept := f.total(); kept == 0 && !f.unfit {
				for h := range as.marks {
					as.marks[h].dropped = true
				}
			}
			now[i] = as
		}
	}
	return now
}

// followed takes what was worked out anew.
func (r *review) followed(m reworkedAll) {
	r.busy--
	file, hunk := r.locate(r.at)
	for i, f := range m.files {
		r.files[i] = f
	}
	if len(m.files) > 0 {
		r.mark(file, min(hunk, len(r.files[file].marks)-1))
		r.note = lang.Count(len(m.files), "1 change builds on this and was worked out anew", "%d changes build on this and were worked out anew")
	}
}

// part is what is left of one call.
type part struct {
	proposed []tools.Change // as it was shown last
	changes  []tools.Change // what is kept
	whole    bool           // all of it, as it was proposed
	unfit    bool           // it cannot be made on what is kept of those before it
	err      error
}

// parts is what is left of each call.
func (r *review) parts(files []reviewFile) []part {
	parts := make([]part, len(r.calls))
	for i := range parts {
		parts[i].whole = true
	}
	for i := range files {
		p := &parts[r.of[i]]
		c, keep, same, err := files[i].result()
		if err != nil {
			p.err = err
		}
		p.unfit = p.unfit || files[i].unfit
		p.proposed = append(p.proposed, files[i].change)
		if keep {
			p.changes = append(p.changes, c)
		}
		p.whole = p.whole && keep && same
	}
	return parts
}

// turnedDown is what the model is told of a call of which nothing was kept.
const turnedDown = "every change was turned down in the review. "

// allowSeveral answers each call by what is kept of it, and reports whether it could.
func (d *Ask) allowSeveral(scope permission.Scope) bool {
	parts := d.review.parts(d.review.files)
	answers := make([]permission.Answer, len(parts))
	taken, whole := 0, true
	for i, p := range parts {
		a := &answers[i]
		whole = whole && p.whole
		switch {
		case p.err != nil:
			d.review.note = p.err.Error()
			return false
		case p.unfit:
			a.Open = true
			continue
		case len(p.changes) == 0:
			a.Reason = strings.TrimSpace(turnedDown + d.remark())
			continue
		case !p.whole:
			a.Changes = p.changes
		}
		a.Allow = true
		taken++
		if i > 0 && !tools.SameChanges(p.proposed, d.r.With[i-1].Effect.Changes) {
			a.Shown = p.proposed
		}
	}
	if taken == 0 {
		d.deny(strings.TrimSpace(turnedDown + d.remark()))
		return true
	}
	if at := d.noted(answers); at >= 0 {
		answers[at].Reason = d.remark()
	}
	a := answers[0]
	if a.Scope = permission.ScopeOnce; whole {
		a.Scope = scope
	}
	a.With = answers[1:]
	d.reply(a)
	return true
}

// noted is the call that carries the note, beside those that were turned down: the one
// it was written at, or the first that runs; below 0 where there is no note or somebody
// has it already.
func (d *Ask) noted(answers []permission.Answer) int {
	if d.note == "" {
		return -1
	}
	if d.at < len(answers) && answers[d.at].Allow {
		return d.at
	}
	if slices.ContainsFunc(answers, func(a permission.Answer) bool { return a.Reason != "" }) {
		return -1
	}
	return slices.IndexFunc(answers, func(a permission.Answer) bool { return a.Allow })
}

// answerAll gives all calls one answer.
func (d *Ask) answerAll(a permission.Answer) {
	with := a
	for range d.r.With {
		a.With = append(a.With, with)
	}
	d.reply(a)
}

// alone has each call asked about by itself, and reports whether it could.
func (d *Ask) alone() bool {
	if !d.review.several() {
		d.review.note = lang.T("this is the only change that is asked about")
		return false
	}
	d.reply(permission.Answer{Alone: true})
	return true
}

// deeds is what several calls would do, in a line.
func (d *Ask) deeds() string {
	n := len(d.review.calls)
	if files := d.review.places(); files > 1 {
		return lang.T("%d changes of one answer, %d files", n, files)
	}
	return lang.T("%d changes of one answer, all in %s", n, safe.Line(d.review.changes[0].Path))
}

// settled reports whether a key may not touch the file under the mark, and says why.
func (r *review) settled(file int, a keymap.Action) bool {
	if file < 0 || !r.files[file].unfit {
		return false
	}
	switch a {
	case keymap.ReviewDrop, keymap.ReviewDropFile, keymap.ReviewEdit, keymap.ReviewEditor, keymap.ReviewEditorFile, keymap.ReviewRestore:
		r.note = lang.T("it cannot be made: it builds on what you dropped")
		return true
	}
	return false
}
