package dialog

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/diff"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// A change may be looked at, edited and answered in the editor forge is connected to,
// while the question stays open here. What is said there counts for the text that was
// sent there and for no other: whoever goes on here in the meantime takes it back.

// Show asks the screen to have the connected editor show a file as it would be written.
// Back makes the message that brings what became of it there.
type Show struct {
	ID   string // of the question
	Path string
	Text []byte
	Back func(Shown) tea.Msg
}

// Hide asks the screen to have the editor close it again.
type Hide struct{ ID, Path string }

// Shown is what became of it. Neither Accepted nor an error: it was turned down.
type Shown struct {
	Accepted bool
	Loose    bool   // its text may be of another's diff, or of an editor that failed
	Text     string // what the editor had then
	Err      error
}

// abroad is what a review has in the editor.
type abroad struct {
	editor string         // its name, for the hints; empty: none is connected
	sent   map[int][]byte // by file, what the editor shows now
	said   map[int][]byte // by file, what was left of it when it was answered there
	loose  map[int]bool   // by file, of those, where it is not sure whose text it is
}

// fromEditor brings the answer of the editor to the review it is for.
type fromEditor struct {
	to    *review
	file  int
	sent  []byte
	shown Shown
	as    reviewFile // of an accepted one
}

// toMany has the quiet begin anew: whoever answered in the editor was not looking here.
func (m fromEditor) toMany() bool { return m.shown.Err == nil }

// inEditor has the connected editor show the file under the mark.
func (d *Ask) inEditor() tea.Cmd {
	r := d.review
	r.note = ""
	if d.EditorName == nil {
		r.note = lang.T("the bridge to editors is off: set ide.connect to ask or auto")
		return nil
	}
	file, _ := r.locate(r.at)
	f := &r.files[file]
	text := f.kept()
	same := 0
	for _, c := range r.changes {
		if c.Path == f.change.Path {
			same++
		}
	}
	switch {
	case f.change.Op == tools.Delete, f.change.Op == tools.Move, f.unfit:
		r.note = lang.T("an editor shows no file that goes or moves: answer here")
		return nil
	case f.binary, !utf8.Valid(text), bytes.IndexByte(text, 0) >= 0:
		r.note = lang.T("this is no text: answer here")
		return nil
	case same > 1: // each is a step from the one before, and an editor shows the file alone
		r.note = lang.T("several changes of one file: have each asked about by itself first")
		return nil
	}
	return d.send(file, text)
}

func (d *Ask) send(file int, text []byte) tea.Cmd {
	r := d.review
	f := r.files[file]
	_, asked := r.abroad.sent[file]
	r.abroad.sent[file] = text
	delete(r.abroad.said, file)
	delete(r.abroad.loose, file)
	r.note = lang.T("the editor is asked to show it; it can be answered there or here")
	if asked {
		r.note = lang.T("asked once more: first the editor closes what it shows (seconds)")
	}
	back := func(s Shown) tea.Msg {
		m := fromEditor{to: r, file: file, sent: text, shown: s, as: f}
		if s.Accepted && s.Text != string(text) {
			known := diff.Hunks(f.before, newReviewFile(f.change).after)
			m.as = f.with(diff.LikeBefore(text, []byte(s.Text)), known)
			if _, err := m.as.coding.Encode(m.as.after); err != nil {
				m.shown = Shown{Err: err}
			}
		}
		return m
	}
	id, path := d.r.ID, f.change.Path
	return func() tea.Msg { return Show{ID: id, Path: path, Text: text, Back: back} }
}

// arrived takes the editor's answer, and reports whether it was one to the question.
func (d *Ask) arrived(m fromEditor) (cmd tea.Cmd, done bool) {
	r := d.review
	sent, open := r.abroad.sent[m.file]
	if !open || !bytes.Equal(sent, m.sent) { // it was taken back
		return nil, false
	}
	delete(r.abroad.sent, m.file)
	if m.shown.Err != nil {
		r.note = m.shown.Err.Error()
		return nil, false
	}
	file, hunk := r.locate(r.at)
	if !m.shown.Accepted {
		if len(r.files) == 1 {
			if why := d.editorBarred(); why != "" {
				r.note = lang.T("turned down in the editor") + lang.T("; ") + why
				return nil, false
			}
			d.deny(d.remark())
			return nil, true
		}
		r.files[m.file].drop(true)
	} else if m.shown.Text != string(m.sent) {
		r.files[m.file] = m.as
		if file == m.file {
			r.mark(file, min(hunk, len(m.as.marks)-1))
		}
	}
	f := &r.files[m.file]
	if m.shown.Loose {
		r.abroad.loose[m.file] = true
	}
	if !m.shown.Loose && !hides(f) { // a terminal shows what hides by name; of an editor nobody knows
		for h := range f.marks {
			f.marks[h].seen = true
		}
	}
	r.touched()
	r.abroad.said[m.file] = f.kept()
	return d.nextAbroad(), false
}

// hides reports whether a file's new lines hold what hides or imitates.
func hides(f *reviewFile) bool {
	return slices.ContainsFunc(f.hunks, func(h diff.Hunk) bool { return safe.Suspicious(strings.ReplaceAll(string(h.After()), "\r\n", "\n")) })
}

// nextAbroad shows the next file that was not answered there.
func (d *Ask) nextAbroad() tea.Cmd {
	r := d.review
	for i := range r.files {
		_, said := r.abroad.said[i]
		_, sent := r.abroad.sent[i]
		if said || sent || r.files[i].unfit {
			continue
		}
		r.mark(i, 0)
		cmd := d.inEditor()
		if cmd != nil {
			r.note = lang.T("%d of %d answered in the editor; the next is open there", len(r.abroad.said), len(r.files))
		}
		return cmd
	}
	return nil
}

// editorBarred says why the question is not answered by what the editor says; empty: it
// is.
func (d *Ask) editorBarred() string {
	level := d.r.Level
	for _, w := range d.r.With {
		level = max(level, w.Level)
	}
	switch {
	case level >= permission.High:
		return lang.T("the risk is high, so the answer is given here")
	case d.EditorAnswers == nil || !d.EditorAnswers():
		return lang.T("the answer is given here")
	}
	return ""
}

// byEditor answers the question where all of it was answered in the editor, and nothing
// was changed here since.
func (d *Ask) byEditor() (done bool) {
	r := d.review
	if r == nil || len(r.abroad.said) == 0 || !r.ready() || r.several() && r.stale {
		return false
	}
	for i := range r.files {
		said, ok := r.abroad.said[i]
		if !ok && !r.files[i].unfit || ok && !bytes.Equal(said, r.files[i].kept()) {
			return false
		}
	}
	clear(r.abroad.said)
	loose := len(r.abroad.loose) > 0
	clear(r.abroad.loose)
	why := d.editorBarred()
	switch n, _ := r.clashes(); {
	case why != "":
	case loose:
		why = lang.T("with another text than it was sent, so read it here")
	case n > 0:
		why = lang.T("it holds conflicts")
	case slices.ContainsFunc(r.files, func(f reviewFile) bool { return hides(&f) }):
		why = lang.T("it holds characters that hide or imitate, so read it here")
	default:
		if d.allow(permission.ScopeOnce) {
			return true
		}
		why = lang.T("the answer is given here")
	}
	r.note = lang.T("accepted in the editor") + lang.T("; ") + why
	return false
}

// recall closes in the editor what is not the same here any more.
func (d *Ask) recall() tea.Cmd {
	r := d.review
	var cmds []tea.Cmd
	for file, sent := range r.abroad.sent {
		if r.files[file].unfit || !bytes.Equal(sent, r.files[file].kept()) {
			delete(r.abroad.sent, file)
			id, path := d.r.ID, r.files[file].change.Path
			cmds = append(cmds, func() tea.Msg { return Hide{ID: id, Path: path} })
			r.note = lang.T("changed here, so the editor's diff was closed")
		}
	}
	return tea.Batch(cmds...)
}
