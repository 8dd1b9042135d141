package dialog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"forge/lazy"
	"forge/tools"
	"forge/tools/diff"
	"forge/ui/diffview"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// reviewFile is one file of a review. Its texts are decoded: a file in UTF-16 is
// compared and edited as text, and written in UTF-16 again.
type reviewFile struct {
	change        tools.Change // as it was proposed
	coding        diff.Coding
	before, after []byte // after: with all hunks, as they were edited
	hunks         []diff.Hunk
	marks         []hunkMark // one at least: an empty file can be turned down too
	syntax        *diffview.Syntax
	binary        bool
	moved         string // the file it was moved to or from
	unfit         bool   // it builds on what was dropped and cannot be made

	view  *diffview.View // for the last width
	width int
	split bool
}

// hunkMark is what the person did with a hunk. seen: its end was on the screen.
type hunkMark struct{ dropped, edited, seen bool }

// newReviewFile compares a change; nothing of it is dropped or edited.
func newReviewFile(c tools.Change) reviewFile {
	f := reviewFile{change: c}
	var after []byte
	f.before, after, f.coding = diff.Texts(c.Before, c.After)
	f.binary = isBinary(f.before) || isBinary(after)
	return f.with(after, nil)
}

// with is f with another text after, each hunk of which is as proposed if it was
// among the hunks known.
func (f reviewFile) with(after []byte, known []diff.Hunk) reviewFile {
	f.after, f.hunks, f.view = after, diff.Hunks(f.before, after), nil
	f.marks = make([]hunkMark, max(1, len(f.hunks)))
	for i, h := range f.hunks {
		f.marks[i].edited = known != nil && !slices.ContainsFunc(known, func(k diff.Hunk) bool {
			return k.OldStart == h.OldStart && k.OldCount == h.OldCount && bytes.Equal(k.After(), h.After())
		})
	}
	if len(f.hunks) == 0 && known != nil {
		f.marks[0] = hunkMark{dropped: f.change.Op == tools.Modify, edited: true}
	}
	f.syntax = diffview.NewSyntax(f.change.Path, f.before, f.after, f.hunks)
	return f
}

// rewrite puts a text in place of what a hunk leaves. One that changes nothing any
// more is dropped.
func (f reviewFile) rewrite(hunk int, text []byte) reviewFile {
	if bytes.Equal(text, f.leaves(hunk)) {
		return f
	}
	if hunk >= len(f.hunks) { // an empty file that is to hold something
		return f.with(text, []diff.Hunk{})
	}
	f.marks, f.hunks, f.view = slices.Clone(f.marks), slices.Clone(f.hunks), nil
	h, ok := f.hunks[hunk].Rewrite(f.before, text)
	if !ok {
		f.marks[hunk].dropped = true
		return f
	}
	f.hunks[hunk], f.marks[hunk] = h, hunkMark{edited: true, seen: true}
	f.hunks = diff.Renumber(f.hunks)
	f.after = diff.Apply(f.before, f.hunks)
	f.syntax = diffview.NewSyntax(f.change.Path, f.before, f.after, f.hunks)
	return f
}

// parts are the changes in a hunk; none where they go together or not at all.
func (f *reviewFile) parts(hunk int) []diff.Hunk {
	if hunk >= len(f.hunks) || f.change.Op != tools.Modify {
		return nil
	}
	return f.hunks[hunk].Parts()
}

// broken is f with a hunk in as many as it has changes; false: it has one. Each piece
// begins as the hunk was: kept or dropped, shown or not.
func (f reviewFile) broken(hunk int) (reviewFile, bool) {
	parts := f.parts(hunk)
	if len(parts) < 2 {
		return f, false
	}
	f.hunks = slices.Replace(slices.Clone(f.hunks), hunk, hunk+1, parts...)
	f.marks = slices.Replace(slices.Clone(f.marks), hunk, hunk+1, slices.Repeat(f.marks[hunk:hunk+1], len(parts))...)
	f.view, f.syntax = nil, diffview.NewSyntax(f.change.Path, f.before, f.after, f.hunks)
	return f, true
}

// rewritten reports whether the person wrote something else than was proposed.
func (r *review) rewritten() bool {
	return slices.ContainsFunc(r.files, func(f reviewFile) bool {
		return slices.ContainsFunc(f.marks, func(m hunkMark) bool { return m.edited })
	})
}

// isBinary judges by a NUL in the first bytes, as git does.
func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

// findMoves notes which new files hold what a deleted one held.
func findMoves(files []reviewFile) {
	for i := range files {
		from := &files[i]
		if from.change.Op != tools.Delete || len(from.before) == 0 {
			continue
		}
		for j := range files {
			to := &files[j]
			if to.change.Op == tools.Create && to.moved == "" && alike(from.before, to.after) {
				from.moved, to.moved = to.change.Path, from.change.Path
				break
			}
		}
	}
}

// alike reports whether more than half of the larger text is in both.
func alike(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	_, removed := diff.Stats(diff.Hunks(a, b))
	lines, other := bytes.Count(a, []byte("\n"))+1, bytes.Count(b, []byte("\n"))+1
	return 2*(lines-removed) > max(lines, other)
}

func (f *reviewFile) total() (hunks, kept int) {
	for _, m := range f.marks {
		if !m.dropped {
			kept++
		}
	}
	return len(f.marks), kept
}

// drop drops all of a file, or keeps all of it.
func (f *reviewFile) drop(all bool) {
	for i := range f.marks {
		f.marks[i].dropped = all || f.unfit
	}
}

func (f *reviewFile) edited() (n int) {
	for _, m := range f.marks {
		if m.edited && !m.dropped {
			n++
		}
	}
	return n
}

func (f *reviewFile) states() []diffview.State {
	out := make([]diffview.State, len(f.marks))
	for i, m := range f.marks {
		switch {
		case m.dropped:
			out[i] = diffview.Drop
		case f.change.Conflicts > 0 && i < len(f.hunks) && diff.Unsettled(f.hunks[i].After()) > 0:
			out[i] = diffview.Clash
		case m.edited:
			out[i] = diffview.Edited
		}
	}
	return out
}

// kept is the text with the kept hunks alone.
func (f *reviewFile) kept() []byte {
	var hunks []diff.Hunk
	for i, h := range f.hunks {
		if !f.marks[i].dropped {
			hunks = append(hunks, h)
		}
	}
	return diff.Apply(f.before, hunks)
}

// result is the change as the person leaves it. keep is false where nothing of it
// is left, same where it is what was proposed.
func (f *reviewFile) result() (c tools.Change, keep, same bool, err error) {
	n, kept := f.total()
	switch {
	case kept == 0, kept < n && f.change.Op == tools.Delete:
		return c, false, false, nil
	case kept == n && f.edited() == 0 && f.change.Conflicts == 0:
		return f.change, true, true, nil
	}
	c = f.change
	if c.After, err = f.coding.Encode(f.kept()); err != nil {
		return c, false, false, fmt.Errorf("%s: %w", c.Path, err)
	}
	c.Conflicts = 0 // none is left, or y would not be asked
	return c, true, false, nil
}

// notes are what is to be known of a file beside its lines.
func (f *reviewFile) notes() []string {
	var notes []string
	if f.unfit {
		return []string{lang.T("builds on what you dropped")}
	}
	if f.moved != "" && f.change.Op == tools.Delete {
		notes = append(notes, lang.T("moved to %s", safe.Prompt(f.moved)))
	} else if f.moved != "" {
		notes = append(notes, lang.T("moved from %s", safe.Prompt(f.moved)))
	}
	switch c := f.change; c.Thing {
	case tools.Folder:
		notes = append(notes, lang.T("folder, files in it: %d, %s", c.Files, size(int(c.Size))))
	case tools.Link:
		notes = append(notes, lang.T("link"))
	case tools.Binary:
		notes = append(notes, lang.T("binary, %s", size(int(c.Size))))
	case tools.Large:
		notes = append(notes, lang.T("too large to show, %s", size(int(c.Size))))
	}
	if f.change.Mode != 0 {
		notes = append(notes, lang.T("mode %04o", f.change.Mode.Perm()))
	}
	if f.binary {
		notes = append(notes, lang.T("binary, %s, then %s", size(len(f.change.Before)), size(len(f.change.After))))
	}
	if f.coding != diff.Bytes {
		notes = append(notes, "UTF-16")
	}
	if f.change.Op == tools.Modify && !f.binary {
		if was, is := ends(f.before), ends(f.after); was != is && was != "" && is != "" {
			notes = append(notes, lang.T("line ends %s, then %s", was, is))
		}
	}
	if len(f.after) == 0 && f.change.Op == tools.Create {
		notes = append(notes, lang.T("empty"))
	}
	return notes
}

// ends names the line ends of a text: LF, CRLF, or both.
func ends(text []byte) string {
	lf, crlf := bytes.Count(text, []byte("\n")), bytes.Count(text, []byte("\r\n"))
	switch {
	case lf == 0:
		return ""
	case crlf == 0:
		return "LF"
	case crlf == lf:
		return "CRLF"
	}
	return "LF+CRLF"
}

func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// verbs are what happens to a file, in its title.
var verbs = lazy.Value[map[tools.Op]string]{Of: func() map[tools.Op]string {
	return map[tools.Op]string{
		tools.Create: lang.N("new file"), tools.Modify: lang.N("edit"), tools.Delete: lang.N("delete"), tools.Move: lang.N("move"),
	}
}}

// title names a file in a row of width cells; one without hunks (an empty one)
// carries its mark here.
func (f *reviewFile) title(t *theme.Theme, width int) string {
	var end string
	if notes := f.notes(); len(notes) > 0 {
		end = "  " + t.Muted.Apply(strings.Join(notes, lang.T(" · ")))
	}
	if len(f.hunks) == 0 && !f.unfit {
		end = " " + f.states()[0].Text(t) + end
	}
	verb := verbs.Get()[f.change.Op]
	if verb == "" {
		verb = string(f.change.Op)
	}
	room := max(12, width-safe.Width(end))
	path := f.change.Path
	if f.change.From != "" {
		path = f.change.From + " → " + path
	}
	return cut(diffview.Title(t, lang.T(verb), path, f.hunks, room)+end, width)
}
