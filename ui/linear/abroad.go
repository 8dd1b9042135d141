package linear

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"forge/tools"
	"forge/tools/diff"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Shown is what became of a change in the editor. Neither Accepted nor an error: it was
// turned down.
type Shown struct {
	Accepted bool
	Loose    bool   // its text may be of another's diff, or of an editor that failed
	Text     string // what the editor had then
	Err      error
}

// shown brings it to the question it is for.
type shown struct {
	Shown
	of   *ask
	sent []byte
	nth  int // of the times it was shown
}

// editable reports whether the connected editor can show what a question is about, and
// say its answer: one file that is text.
func (a *ask) editable() bool {
	if a.p.Show == nil || len(a.p.Request.With) > 0 || len(a.files) != 1 {
		return false
	}
	f := a.files[0]
	after := f.after()
	return f.change.Op != tools.Delete && f.change.Op != tools.Move && utf8.Valid(after) && !isBinary(f.before) && !isBinary(after)
}

// after is the text as it would be written.
func (f file) after() []byte { return diff.Apply(f.before, f.hunks) }

// abroad has the editor show the change. The question stays open here.
func (a *ask) abroad() []string {
	text := a.files[0].after()
	a.shut()
	a.shows++
	nth := a.shows
	a.closed = a.p.Show(a.files[0].change.Path, text, func(s Shown) { a.send(shown{s, a, text, nth}) })
	return []string{lang.T("the editor is asked to show it; it can be answered there or here")}
}

// shut closes in the editor what is open there.
func (a *ask) shut() {
	if a.closed != nil {
		a.closed()
		a.closed = nil
	}
}

// arrived takes the editor's answer. Where it does not count, what was edited there is
// said as it is now, to be answered here.
func (a *ask) arrived(s shown) (over bool, say []string) {
	if a.closed == nil || s.nth != a.shows {
		return false, nil
	}
	a.closed = nil
	if s.Err != nil {
		return false, []string{errorLine(s.Err)}
	}
	what := lang.T("turned down in the editor")
	if s.Accepted {
		what = lang.T("accepted in the editor")
	}
	f := a.files[0]
	text := []byte(s.Text)
	if s.Accepted && s.Text != string(s.sent) {
		text = diff.LikeBefore(s.sent, text)
	}
	clash := f.change.Conflicts > 0 && diff.Unsettled(text) > 0
	why := ""
	switch {
	case a.p.Request.Level >= permission.High:
		why = lang.T("the risk is high, so the answer is given here")
	case a.p.Counts == nil || !a.p.Counts():
		why = lang.T("the answer is given here")
	case !s.Accepted:
		a.all(permission.Answer{})
		return true, []string{what + lang.T("; ") + lang.T("denied")}
	case clash:
		why = lang.T("it holds conflicts")
	case s.Loose:
		why = lang.T("with another text than it was sent, so read it here")
	case hides(f.before, text):
		why = lang.T("it holds characters that hide or imitate, so read it here")
	}
	say = []string{what + lang.T("; ") + why}
	if s.Accepted && !clash && (!bytes.Equal(text, s.sent) || f.change.Conflicts > 0) {
		if err := a.edit(text); err != nil {
			return false, []string{errorLine(err)}
		}
		say = append(append(say, a.more()...), a.answers()...)
		what = lang.T("accepted in the editor, with your edits")
	}
	if why != "" {
		return false, say
	}
	a.all(permission.Answer{Allow: true, Scope: permission.ScopeOnce})
	return true, []string{what}
}

// edit puts another text in the place of what was proposed.
func (a *ask) edit(text []byte) error {
	c := a.files[0].change
	after, err := a.files[0].coding.Encode(text)
	if err != nil {
		return err
	}
	c.After, c.Conflicts = after, 0
	a.edited = []tools.Change{c}
	a.files, a.body = changed(a.edited, 0)
	a.at = 0
	return nil
}

// hides reports whether lines that are new hold what hides or imitates.
func hides(before, after []byte) bool {
	for _, h := range diff.Hunks(before, after) {
		if safe.Suspicious(strings.ReplaceAll(string(h.After()), "\r\n", "\n")) {
			return true
		}
	}
	return false
}

// shown gives the editor's answer to its question, if that is still open.
func (f *face) shown(s shown) {
	for i, q := range f.open {
		if q != question(s.of) {
			continue
		}
		over, say := s.of.arrived(s)
		for _, line := range say {
			f.say(line)
		}
		if over {
			f.open = append(f.open[:i], f.open[i+1:]...)
			if i == 0 {
				f.ask()
			}
		}
		return
	}
}
